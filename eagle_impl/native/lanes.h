// Vectors of sixteen numbers. They are those of GCC and Clang, so that nothing is tied to one CPU.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

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

Lanes load(const int8_t* from) {
#ifdef __AVX512F__  // two instructions, which no compiler finds by itself
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i*)from)));
#else
  typedef int8_t Bytes __attribute__((vector_size(16)));
  typedef int16_t Shorts __attribute__((vector_size(32)));
  Bytes bytes;
  memcpy(&bytes, from, sizeof bytes);
  const Shorts shorts = __builtin_convertvector(bytes, Shorts);
  return __builtin_convertvector(__builtin_convertvector(shorts, Integers), Lanes);
#endif
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

}  // namespace
