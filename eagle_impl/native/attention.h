// Attention of the tokens of one pass over a cache of keys and values.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lanes.h"
#include "pool.h"
#include "products.h"

namespace {

// Where the tokens of a pass stand, and whom they see. Mirrored by kernels.py.
struct Pass {
  int64_t tokens, heads, kv_heads, head_dim, capacity;
  float scale;
  const float *cos, *sin;  // [tokens, head_dim]
  const int64_t* slots;    // Where a token's keys begin, in floats; null: all at 0. [tokens]
  const int64_t* columns;  // Column of the cache for a token's own key. [tokens]
  const int64_t* seen;     // How many columns, from the first on, a token sees. [tokens]
  const uint8_t* mask;     // Whether a token sees each of the last columns too, up to that of the
  int64_t width;           // last token, or null. [tokens, width]
};

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
  const int64_t masked = pass.columns[pass.tokens - 1] + 1 - pass.width;  // where the mask begins
  int64_t columns = 0;
  for (int64_t token = from / shared; token <= (to - 1) / shared; ++token)
    columns = std::max(columns, pass.mask ? masked + pass.width : pass.seen[token]);

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
    Product<float> of = {queries.data(), dim, panel, kPanel, dim};
    of.next = panel + dim * kPanel, of.next_stride = kPanel;
    multiply<2>(rows, of, &scores[c], width);
  }
  float factors[kRows];
  for (int64_t row = 0; row < rows; ++row) {
    const uint8_t* mask = pass.mask ? pass.mask + token(row) * pass.width : nullptr;
    factors[row] =
        1.0f / exponentials(&scores[row * width], columns, pass.seen[token(row)], mask, masked);
  }
  for (int64_t d = 0; d < dim; d += kPanel) {
    const float* panel = values + d;  // [columns, kPanel]
    const Product<float> of = {scores.data(), width, panel, dim, columns, panel + kPanel, dim};
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
