// Kernels for float32 on CPUs, for what a decoder does most. kernels.py compiles and calls them.
//
// Every sum runs in an order that depends only on what is summed, never on how many tokens are
// computed together: a token's result is the same to the last bit whether it is computed alone, in
// a prompt or in a tree.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "attention.h"
#include "lanes.h"
#include "pool.h"
#include "products.h"
#include "ranking.h"

extern "C" {

// How many threads compute; one until this is called.
void eagle_start(int64_t threads) { Pool::shared().start(static_cast<int>(threads)); }

// y = x W^T + onto: x [tokens, inputs], panels [ceil(outputs / 32), inputs, 32], y [tokens, outputs];
// onto is a bias [outputs] if onto_stride is 0, other rows [tokens, outputs] if it is outputs, or
// null
void eagle_linear(const float* x, const float* panels, const float* onto, int64_t onto_stride,
                  float* y, int64_t tokens, int64_t inputs, int64_t outputs) {
  linear(x, panels, nullptr, onto, onto_stride, y, tokens, inputs, outputs);
}

// The same with weights that are whole numbers times a scale [ceil(outputs / 32) * 32].
void eagle_linear_int8(const float* x, const int8_t* panels, const float* scales,
                       const float* onto, int64_t onto_stride, float* y, int64_t tokens,
                       int64_t inputs, int64_t outputs) {
  linear(x, panels, scales, onto, onto_stride, y, tokens, inputs, outputs);
}

// x, y [tokens, size], weight [size]; size is a multiple of 16
void eagle_rms_norm(const float* x, const float* weight, float epsilon, float* y, int64_t tokens,
                    int64_t size) {
  in_parts(tokens, size, [=](int64_t token) {
    const float* in = x + token * size;
    Lanes squares = {};
    for (int64_t d = 0; d < size; d += kLanes) squares += load(in + d) * load(in + d);
    const float factor = 1.0f / __builtin_sqrtf(total(squares) / size + epsilon);
    for (int64_t d = 0; d < size; d += kLanes)
      store(y + token * size + d, load(in + d) * factor * load(weight + d));
  });
}

// gate_up [tokens, 2 * size], y [tokens, size]; size is a multiple of 16
void eagle_swiglu(const float* gate_up, float* y, int64_t tokens, int64_t size) {
  in_parts(tokens, size, [=](int64_t token) {
    const float* gates = gate_up + token * 2 * size;
    for (int64_t d = 0; d < size; d += kLanes) {
      Lanes gate = load(gates + d), up = load(gates + size + d);
      store(y + token * size + d, gate * up / (1.0f + exponential(-gate)));
    }
  });
}

// Rotates queries and keys, writes keys and values into the cache, and attends.
// qkv [tokens, heads + 2 * kv_heads, head_dim]; out [tokens, heads, head_dim];
// keys [slots, kv_heads, capacity / 32, head_dim, 32], so that a score's lanes are columns;
// values [slots, kv_heads, capacity, head_dim]; head_dim is a multiple of 16, capacity of 32
void eagle_attend(const Pass* of, const float* qkv, float* keys, float* values, float* out) {
  const Pass pass = *of;
  const int64_t dim = pass.head_dim, shared = pass.heads / pass.kv_heads;
  // Rows of a key head that are computed together, and the parts into which they are cut.
  const int64_t together = pass.slots ? shared : pass.tokens * shared;
  const int64_t cuts = (together + kRows - 1) / kRows;
  const int64_t parts = pass.tokens * shared / together * cuts;
  in_parts(pass.tokens, pass.kv_heads * dim, [=](int64_t token) {
    const float* key = qkv + (token * (pass.heads + 2 * pass.kv_heads) + pass.heads) * dim;
    const int64_t column = pass.columns[token], start = pass.slots ? pass.slots[token] : 0;
    for (int64_t head = 0; head < pass.kv_heads; ++head, key += dim) {
      const int64_t at = start + head * pass.capacity * dim;
      float* lane = keys + at + column / kPanel * kPanel * dim + column % kPanel;
      rotate(pass, token, key, lane, kPanel);
      memcpy(values + at + column * dim, key + pass.kv_heads * dim, dim * sizeof(float));
    }
  });
  Pool::shared().run(pass.kv_heads * parts, [=](int64_t task) {
    const int64_t part = task / pass.kv_heads, first = part / cuts * together;
    attend(pass, qkv, keys, values, out, task % pass.kv_heads,
           first + together * (part % cuts) / cuts, first + together * (part % cuts + 1) / cuts);
  });
}

// The column of the largest logit of each row, the first among equals; -1 if one of them is NaN.
// logits [rows, columns], chosen [rows]
void eagle_argmax(const float* logits, int64_t rows, int64_t columns, int64_t* chosen) {
  Pool::shared().run(
      rows, [=](int64_t row) { chosen[row] = argmax(logits + row * columns, columns); });
}

// The columns of the largest logits of each row, the largest first and the first among equals, and
// their log-probabilities. logits [rows, columns]; best, log_probs [rows, count]; count <= columns
void eagle_likeliest(const float* logits, int64_t rows, int64_t columns, int64_t count,
                     int64_t* best, float* log_probs) {
  Pool::shared().run(rows, [=](int64_t row) {
    likeliest(logits + row * columns, columns, count, best + row * count, log_probs + row * count);
  });
}
}
