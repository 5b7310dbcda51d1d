// The Fourier transform of real frames, one frame a lane.
//
// A real transform of N is a complex one of N / 2 over (even, odd) sample pairs, unpacked at the
// end. Every array is [row][lane]; the arithmetic of a lane never sees its neighbours, so a frame
// gives the same bits in any lane and beside any frame.
// Source: Stockham's autosort FFT, radix 2 (Van Loan, Computational Frameworks, 1.7).
// Included by kernels.cc only, which says the namespace of its instruction set.
#pragma once

#include <cstdint>

#include "ops/cpu/kernels.h"
#include "ops/cpu/simd.h"

namespace steno::ops::cpu::STENO_ISA_NAMESPACE {
namespace {

struct ComplexRows {
  float* re;  // [N / 2][kLanes]
  float* im;

  F real(i64 row) const { return load<F>(re + row * kLanes); }
  F imag(i64 row) const { return load<F>(im + row * kLanes); }
};

inline void put(const ComplexRows& to, i64 row, F re, F im) {
  store(re, to.re + row * kLanes);
  store(im, to.im + row * kLanes);
}

// Even samples become real parts, odd ones imaginary parts; lanes past num_frames are silent.
inline void load_frames(const FourierTables& tables, const float* const* frames, int num_frames,
                        const ComplexRows& to) {
  const i64 half = tables.size / 2;
  for (int lane = 0; lane < kLanes; ++lane) {
    const float* frame = lane < num_frames ? frames[lane] : nullptr;
    for (i64 i = 0; i < half; ++i) {
      const float* window = tables.window + 2 * i;
      to.re[i * kLanes + lane] = frame == nullptr ? 0.0F : frame[2 * i] * window[0];
      to.im[i * kLanes + lane] = frame == nullptr ? 0.0F : frame[2 * i + 1] * window[1];
    }
  }
}

// One pass over transforms of `length` points, `stride` rows side by side.
inline void radix2_pass(const FourierTables& tables, i64 length, i64 stride, const ComplexRows& in,
                        const ComplexRows& out) {
  const i64 half = length / 2;
  for (i64 p = 0; p < half; ++p) {
    const F cosine = splat(tables.cosines[p * (tables.size / length)]);
    const F sine = splat(tables.sines[p * (tables.size / length)]);
    for (i64 q = 0; q < stride; ++q) {
      const i64 a = q + stride * p;
      const i64 b = a + stride * half;
      const F re = in.real(a) - in.real(b);
      const F im = in.imag(a) - in.imag(b);
      put(out, q + stride * 2 * p, in.real(a) + in.real(b), in.imag(a) + in.imag(b));
      put(out, q + stride * (2 * p + 1), re * cosine + im * sine, im * cosine - re * sine);
    }
  }
}

inline F square_root(F x) {
  float lanes[kLanes];
  store(x, lanes);
  for (float& lane : lanes) lane = __builtin_sqrtf(lane);
  return load<F>(lanes);
}

// z = transform of even + i odd  ->  |X[k]| and |X[N / 2 - k]|, where X[k] = E[k] + w^k O[k] and
// X[N / 2 - k] = conj(E[k] - w^k O[k]). E and O are twice too large here, hence the 1/2.
inline void unpack_magnitudes(const FourierTables& tables, const ComplexRows& z, float* rows) {
  const i64 half = tables.size / 2;
  for (i64 k = 0; k <= half / 2; ++k) {
    const i64 mirror = (half - k) % half;
    const F even_re = z.real(k) + z.real(mirror);
    const F even_im = z.imag(k) - z.imag(mirror);
    const F odd_re = z.imag(k) + z.imag(mirror);
    const F odd_im = z.real(mirror) - z.real(k);
    const F cosine = splat(tables.cosines[k]);
    const F sine = splat(tables.sines[k]);
    const F turned_re = odd_re * cosine + odd_im * sine;
    const F turned_im = odd_im * cosine - odd_re * sine;
    const F low_re = even_re + turned_re, low_im = even_im + turned_im;
    const F high_re = even_re - turned_re, high_im = even_im - turned_im;
    store(0.5F * square_root(low_re * low_re + low_im * low_im), rows + k * kLanes);
    store(0.5F * square_root(high_re * high_re + high_im * high_im), rows + (half - k) * kLanes);
  }
}

void magnitudes(const FourierTables& tables, const float* const* frames, int num_frames,
                float* work, float* out) {
  const i64 half = tables.size / 2;
  ComplexRows in{work, work + half * kLanes};
  ComplexRows next{work + 2 * half * kLanes, work + 3 * half * kLanes};
  load_frames(tables, frames, num_frames, in);
  i64 stride = 1;
  for (i64 length = half; length > 1; length /= 2, stride *= 2) {
    radix2_pass(tables, length, stride, in, next);
    const ComplexRows done = next;
    next = in;
    in = done;
  }
  float* rows = work + 4 * half * kLanes;
  unpack_magnitudes(tables, in, rows);
  for (int lane = 0; lane < num_frames; ++lane) {
    for (i64 k = 0; k <= half; ++k) out[lane * (half + 1) + k] = rows[k * kLanes + lane];
  }
}

}  // namespace
}  // namespace steno::ops::cpu::STENO_ISA_NAMESPACE
