// The one product that all is made of: a few rows by a panel of columns.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "lanes.h"
#include "pool.h"

namespace {

constexpr int64_t kPanel = 2 * kLanes;  // columns of a panel
#ifdef __AVX512F__
constexpr int kRows = 14;  // rows that share one reading of a panel: 28 of 32 registers
#else
constexpr int kRows = 3;
#endif

template <typename Weight>  // float, or int8_t with a scale for each column
struct Product {
  const float* rows;  // [Rows, inputs], row_stride apart
  int64_t row_stride;
  const Weight* panel;  // [inputs, kLanes * Vectors], panel_stride apart
  int64_t panel_stride;
  int64_t inputs;
  const Weight* next = nullptr;  // what is fetched meanwhile, next_stride for each input
  int64_t next_stride = 0;
  const float* onto = nullptr;  // what is added, onto_stride apart for each row, or null
  int64_t onto_stride = 0;
  const float* scales = nullptr;  // what whole numbers stand for. [kLanes * Vectors]
};

template <int Vectors, int Rows, typename Weight>
void product(const Product<Weight>& of, float* y, int64_t y_stride) {
  constexpr bool scaled = sizeof(Weight) == 1;
  Lanes sums[Rows][Vectors];
  const auto onto = [&](int row, int i) {
    return of.onto ? load(of.onto + row * of.onto_stride + i * kLanes) : Lanes{};
  };
  for (int row = 0; row < Rows; ++row)
    for (int i = 0; i < Vectors; ++i) sums[row][i] = scaled ? Lanes{} : onto(row, i);
  const Weight *panel = of.panel, *next = of.next;
  for (int64_t k = 0; k < of.inputs; ++k, panel += of.panel_stride, next += of.next_stride) {
    Lanes columns[Vectors];
    for (int i = 0; i < Vectors; ++i) {
      if (!scaled || i == 0) __builtin_prefetch(next + i * kLanes);  // bytes: half a line in all
      columns[i] = load(panel + i * kLanes);
    }
    for (int row = 0; row < Rows; ++row)
      for (int i = 0; i < Vectors; ++i)
        sums[row][i] += of.rows[row * of.row_stride + k] * columns[i];
  }
  for (int row = 0; row < Rows; ++row)
    for (int i = 0; i < Vectors; ++i) {
      if (scaled) sums[row][i] = sums[row][i] * load(of.scales + i * kLanes) + onto(row, i);
      store(y + row * y_stride + i * kLanes, sums[row][i]);
    }
}

// product<Vectors, rows>
template <int Vectors, int Rows = kRows, typename Weight>
void multiply(int64_t rows, const Product<Weight>& of, float* y, int64_t y_stride) {
  if (rows == Rows) return product<Vectors, Rows>(of, y, y_stride);
  if constexpr (Rows > 1) multiply<Vectors, Rows - 1>(rows, of, y, y_stride);
}

// y = x W^T + onto; see eagle_linear and eagle_linear_int8.
template <typename Weight>
void linear(const float* x, const Weight* panels, const float* scales, const float* onto,
            int64_t onto_stride, float* y, int64_t tokens, int64_t inputs, int64_t outputs) {
  const int64_t all = (outputs + kPanel - 1) / kPanel, blocks = (tokens + kRows - 1) / kRows;
  // A few panels in a row for each task, so that reading ahead pays.
  const int64_t threads = Pool::shared().threads();
  const int64_t tasks = std::min(all, std::max(4 * threads, std::min(all / 8, 64 * threads)));
  Pool::shared().run(tasks, [=](int64_t task) {
    for (int64_t at = all * task / tasks; at < all * (task + 1) / tasks; ++at)
      for (int64_t block = 0; block < blocks; ++block) {
        const int64_t token = tokens * block / blocks, output = at * kPanel;
        const int64_t rows = tokens * (block + 1) / blocks - token;
        const Weight* panel = panels + output * inputs;  // [inputs, kPanel]
        Product<Weight> of = {x + token * inputs, inputs, panel, kPanel, inputs};
        // While the first block reads the panel from memory, it is fetched a little ahead; later
        // blocks find it in the cache and have the time to fetch the next one, each its share.
        of.next = panel + (blocks == 1 ? 96 * kPanel : inputs * kPanel / blocks * (blocks + block));
        of.next_stride = kPanel / blocks;
        if (onto) of.onto = onto + token * onto_stride + output, of.onto_stride = onto_stride;
        if (scales) of.scales = scales + output;
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

}  // namespace
