// Kernels for float32 on CPUs, for what a decoder does most. kernels.py compiles and calls them.
//
// Every sum runs in an order that depends only on what is summed, never on how many tokens are
// computed together: a token's result is the same to the last bit whether it is computed alone, in
// a prompt or in a tree. Vectors are those of GCC and Clang, so that nothing is tied to one CPU.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "pool.h"

namespace {

constexpr int64_t kLanes = 16;
typedef float Lanes __attribute__((vector_size(64)));
typedef int32_t Integers __attribute__((vector_size(64)));

Lanes load(const float* from) {
  Lanes lanes;
  memcpy(&lanes, from, sizeof lanes);  // needs no alignment
  return lanes;
}

void store(float* to, Lanes lanes) { memcpy(to, &lanes, sizeof lanes); }

float total(Lanes lanes) {
  float x[kLanes];
  store(x, lanes);
  for (int64_t half = kLanes / 2; half; half /= 2)
    for (int64_t i = 0; i < half; ++i) x[i] += x[i + half];
  return x[0];
}

// exp to about 2e-7 relative: 2^n from the exponent's bits, the rest from Cephes' polynomial.
Lanes exponential(Lanes x) {
  x = x > -87.0f ? x : Lanes{} - 87.0f;
  x = x < 88.0f ? x : Lanes{} + 88.0f;
  constexpr float round = 12582912.0f;  // 1.5 * 2^23: adding it leaves no fraction
  Lanes n = (x * 1.44269504f + round) - round;
  Lanes r = x - n * 0.693359375f + n * 2.12194440e-4f;
  Lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  Integers bits = (__builtin_convertvector(n, Integers) + 127) << 23;
  Lanes power;
  memcpy(&power, &bits, sizeof power);
  return p * power;
}

// Calls task(token) for every token, by several threads if there is enough to do for each.
template <typename Task>
void in_parts(int64_t tokens, int64_t size, const Task& task) {
  const int64_t parts = std::min(tokens, tokens * size / 8192 + 1);
  Pool::shared().run(parts, [&](int64_t part) {
    for (int64_t token = tokens * part / parts; token < tokens * (part + 1) / parts; ++token)
      task(token);
  });
}

// ---- The one product that all is made of: a few rows by a panel of columns -------------------

constexpr int64_t kPanel = 2 * kLanes;  // columns of a panel
#ifdef __AVX512F__
constexpr int kRows = 14;  // rows that share one reading of a panel: 28 of 32 registers
#else
constexpr int kRows = 3;
#endif

struct Product {
  const float* rows;  // [Rows, inputs], row_stride apart
  int64_t row_stride;
  const float* panel;  // [inputs, kLanes * Vectors], panel_stride apart
  int64_t panel_stride;
  int64_t inputs;
  const float* next = nullptr;  // what is fetched meanwhile, next_stride for each input
  int64_t next_stride = 0;
  const float* onto = nullptr;  // what is added, onto_stride apart for each row, or null
  int64_t onto_stride = 0;
};

template <int Vectors, int Rows>
void product(const Product& of, float* y, int64_t y_stride) {
  Lanes sums[Rows][Vectors];
  for (int row = 0; row < Rows; ++row)
    for (int i = 0; i < Vectors; ++i)
      sums[row][i] = of.onto ? load(of.onto + row * of.onto_stride + i * kLanes) : Lanes{};
  const float *panel = of.panel, *next = of.next;
  for (int64_t k = 0; k < of.inputs; ++k, panel += of.panel_stride, next += of.next_stride) {
    Lanes columns[Vectors];
    for (int i = 0; i < Vectors; ++i) {
      __builtin_prefetch(next + i * kLanes);
      columns[i] = load(panel + i * kLanes);
    }
    for (int row = 0; row < Rows; ++row)
      for (int i = 0; i < Vectors; ++i)
        sums[row][i] += of.rows[row * of.row_stride + k] * columns[i];
  }
  for (int row = 0; row < Rows; ++row)
    for (int i = 0; i < Vectors; ++i) store(y + row * y_stride + i * kLanes, sums[row][i]);
}

// product<Vectors, rows>
template <int Vectors, int Rows = kRows>
void multiply(int64_t rows, const Product& of, float* y, int64_t y_stride) {
  if (rows == Rows) return product<Vectors, Rows>(of, y, y_stride);
  if constexpr (Rows > 1) multiply<Vectors, Rows - 1>(rows, of, y, y_stride);
}

// ---- Attention -------------------------------------------------------------------------------

// Where the tokens of a pass stand, and whom they see. Mirrored by kernels.py.
struct Pass {
  int64_t tokens, heads, kv_heads, head_dim, capacity;
  float scale;
  const float *cos, *sin;  // [tokens, head_dim]
  const int64_t* slots;    // Where a token's keys begin, in floats; null: all at 0. [tokens]
  const int64_t* columns;  // Column of the cache for a token's own key. [tokens]
  const int64_t* seen;     // How many columns, from the first on, a token sees. [tokens]
  const uint8_t* mask;     // Whether a token sees the one in column columns[0] + j too, or null.
};                         // [tokens, tokens]

// Hugging Face's convention: halves are rotated. [head_dim] -> [head_dim], stride apart
void rotate(const Pass& pass, int64_t token, const float* x, float* y, int64_t stride) {
  const int64_t half = pass.head_dim / 2;
  const float* cos = pass.cos + token * pass.head_dim;
  const float* sin = pass.sin + token * pass.head_dim;
  for (int64_t d = 0; d < half; ++d) {
    y[d * stride] = x[d] * cos[d] - x[half + d] * sin[d];
    y[(half + d) * stride] = x[half + d] * cos[d] + x[d] * sin[d];
  }
}

// Scores of all columns become exp(score - highest) of those that are seen, and 0 of the others.
// Returns the sum. It is taken lane by lane in the order in which the seen ones follow each other,
// so that it does not matter how many unseen ones stand between them.
float exponentials(float* scores, int64_t columns, int64_t seen, const uint8_t* mask,
                   int64_t first) {
  const int64_t whole = seen / kLanes * kLanes;  // columns that are seen, in whole vectors
  const auto sees = [&](int64_t c) { return c < seen || (mask && mask[c - first]); };
  Lanes highest = Lanes{} - __builtin_inff();
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Lanes lanes = load(scores + c);
    highest = lanes > highest ? lanes : highest;
  }
  float most = highest[0];
  for (int64_t i = 1; i < kLanes; ++i) most = std::max(most, highest[i]);
  for (int64_t c = whole; c < columns; ++c)
    if (sees(c)) most = std::max(most, scores[c]);
  for (int64_t c = 0; c < columns; c += kLanes)
    store(scores + c, exponential(load(scores + c) - most));
  Lanes sums = {};
  for (int64_t c = 0; c < whole; c += kLanes) sums += load(scores + c);
  for (int64_t c = whole, rank = whole; c < columns; ++c) {
    if (sees(c))
      sums[rank++ % kLanes] += scores[c];
    else
      scores[c] = 0.0f;
  }
  return total(sums);
}

// Some query heads that share a key head, of one or more tokens that share a slot: rows from..to
// of the key head's, where row = token * shared + query head.
void attend(const Pass& pass, const float* qkv, const float* keys, const float* values, float* out,
            int64_t kv_head, int64_t from, int64_t to) {
  const int64_t dim = pass.head_dim, rows = to - from, shared = pass.heads / pass.kv_heads;
  const int64_t start = pass.slots ? pass.slots[from / shared] : 0;
  keys += start + kv_head * pass.capacity * dim;
  values += start + kv_head * pass.capacity * dim;
  int64_t columns = 0;
  for (int64_t token = from / shared; token <= (to - 1) / shared; ++token)
    columns = std::max(columns, pass.mask ? pass.columns[0] + pass.tokens : pass.seen[token]);

  static thread_local std::vector<float> queries, scores, sums;
  const int64_t width = (columns + kPanel - 1) / kPanel * kPanel;
  queries.resize(rows * dim);
  scores.resize(rows * width);
  sums.resize(rows * dim);
  const auto head = [&](int64_t row) { return kv_head * shared + (from + row) % shared; };
  const auto token = [&](int64_t row) { return (from + row) / shared; };
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t at = token(row) * (pass.heads + 2 * pass.kv_heads) + head(row);
    rotate(pass, token(row), qkv + at * dim, &queries[row * dim], 1);
    for (int64_t d = 0; d < dim; ++d) queries[row * dim + d] *= pass.scale;
  }
  for (int64_t c = 0; c < columns; c += kPanel) {
    const float* panel = keys + c * dim;  // [head_dim, kPanel]
    multiply<2>(rows, {queries.data(), dim, panel, kPanel, dim, panel + dim * kPanel, kPanel},
                &scores[c], width);
  }
  float factors[kRows];
  for (int64_t row = 0; row < rows; ++row) {
    const uint8_t* mask = pass.mask ? pass.mask + token(row) * pass.tokens : nullptr;
    factors[row] = 1.0f / exponentials(&scores[row * width], columns, pass.seen[token(row)], mask,
                                       pass.columns[0]);
  }
  for (int64_t d = 0; d < dim; d += kPanel) {
    const float* panel = values + d;  // [columns, kPanel]
    const Product of = {scores.data(), width, panel, dim, columns, panel + kPanel, dim};
    if (d + kPanel <= dim)
      multiply<2>(rows, of, &sums[d], dim);
    else
      multiply<1>(rows, of, &sums[d], dim);
  }
  for (int64_t row = 0; row < rows; ++row) {
    float* gathered = out + (token(row) * pass.heads + head(row)) * dim;
    for (int64_t d = 0; d < dim; ++d) gathered[d] = factors[row] * sums[row * dim + d];
  }
}

}  // namespace

extern "C" {

// How many threads compute; one until this is called.
void eagle_start(int64_t threads) { Pool::shared().start(static_cast<int>(threads)); }

// y = x W^T + onto: x [tokens, inputs], panels [ceil(outputs / 32), inputs, 32], y [tokens, outputs];
// onto is a bias [outputs] if onto_stride is 0, other rows [tokens, outputs] if it is outputs, or
// null
void eagle_linear(const float* x, const float* panels, const float* onto, int64_t onto_stride,
                  float* y, int64_t tokens, int64_t inputs, int64_t outputs) {
  const int64_t all = (outputs + kPanel - 1) / kPanel, blocks = (tokens + kRows - 1) / kRows;
  // A few panels in a row for each task, so that reading ahead pays.
  const int64_t threads = Pool::shared().threads();
  const int64_t tasks = std::min(all, std::max(4 * threads, std::min(all / 8, 64 * threads)));
  Pool::shared().run(tasks, [=](int64_t task) {
    for (int64_t at = all * task / tasks; at < all * (task + 1) / tasks; ++at)
      for (int64_t block = 0; block < blocks; ++block) {
        const int64_t token = tokens * block / blocks, output = at * kPanel;
        const int64_t rows = tokens * (block + 1) / blocks - token;
        const float* panel = panels + output * inputs;  // [inputs, kPanel]
        Product of = {x + token * inputs, inputs, panel, kPanel, inputs};
        // While the first block reads the panel from memory, it is fetched a little ahead; later
        // blocks find it in the cache and have the time to fetch the next one, each its share.
        of.next = panel + (blocks == 1 ? 96 * kPanel : inputs * kPanel / blocks * (blocks + block));
        of.next_stride = kPanel / blocks;
        if (onto) of.onto = onto + token * onto_stride + output, of.onto_stride = onto_stride;
        float* to = y + token * outputs + output;
        const int64_t width = outputs - output;
        if (width >= kPanel) {
          multiply<2>(rows, of, to, outputs);
          continue;
        }
        float in[kRows * kPanel], out[kRows * kPanel];  // there is no whole panel to read or write
        for (int64_t row = 0; onto && row < rows; ++row)
          memcpy(in + row * kPanel, of.onto + row * onto_stride, width * sizeof(float));
        if (onto) of.onto = in, of.onto_stride = kPanel;
        multiply<2>(rows, of, out, kPanel);
        for (int64_t row = 0; row < rows; ++row)
          memcpy(to + row * outputs, out + row * kPanel, width * sizeof(float));
      }
  });
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
}
