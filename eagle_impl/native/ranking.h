// The largest of many numbers.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lanes.h"

namespace {

// The largest of some numbers, at least one, other than NaN; and whether there is any NaN.
float largest(const float* x, int64_t count, bool* nan) {
  Lanes most = Lanes{} - __builtin_inff();
  Integers strange = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Lanes lanes = load(x + i);
    most = lanes > most ? lanes : most;
    strange |= lanes != lanes;
  }
  float found = -__builtin_inff();
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    found = std::max(found, most[lane]);
    *nan |= strange[lane] != 0;
  }
  for (; i < count; ++i) {
    found = x[i] > found ? x[i] : found;
    *nan |= x[i] != x[i];
  }
  return found;
}

// The place of the largest of some numbers, the first among equals; -1 if one of them is NaN.
int64_t argmax(const float* x, int64_t count) {
  constexpr int64_t block = 64 * kLanes;  // only that of the largest is looked through
  float best = -__builtin_inff();
  int64_t at = 0;
  bool nan = false;
  for (int64_t first = 0; first < count; first += block) {
    const float most = largest(x + first, std::min(block, count - first), &nan);
    if (most > best) best = most, at = first;
  }
  while (!nan && x[at] != best) ++at;
  return nan ? -1 : at;
}

// The places of the largest of some logits, the largest first and the first among equals, and their
// log-probabilities.
void likeliest(const float* x, int64_t count, int64_t wanted, int64_t* places, float* scores) {
  const auto insert = [&](int64_t place, int64_t rank) {
    for (; rank > 0 && x[place] > scores[rank - 1]; --rank)
      scores[rank] = scores[rank - 1], places[rank] = places[rank - 1];
    scores[rank] = x[place], places[rank] = place;
  };
  for (int64_t i = 0; i < wanted; ++i) insert(i, i);
  constexpr int64_t block = 8 * kLanes;  // few hold one of the largest
  const float& worst = scores[wanted - 1];
  bool nan = false;
  for (int64_t first = wanted; first < count; first += block) {
    const int64_t end = std::min(first + block, count);
    if (largest(x + first, end - first, &nan) > worst)
      for (int64_t i = first; i < end; ++i)
        if (x[i] > worst) insert(i, wanted - 1);
  }
  const float most = scores[0];
  Lanes sums = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) sums += exponential(load(x + i) - most);
  float rest = 0.0f;
  for (; i < count; ++i) rest += std::exp(x[i] - most);
  const float all = most + std::log(total(sums) + rest);
  for (int64_t rank = 0; rank < wanted; ++rank) scores[rank] -= all;
}

}  // namespace
