#include "features/fft.h"

#include <cmath>
#include <numbers>

namespace steno::features {
namespace {

// A real transform of 400 is a complex one of 200 over (even, odd) sample pairs, unpacked at the
// end. 200 = 5 * 5 * 8: three passes, and the last needs no twiddles.
constexpr int kHalf = kFrameSamples / 2;
constexpr std::size_t kWork = std::size_t{kHalf} * kLanes;

struct Work {
  alignas(64) std::array<float, kWork> re;  // [200][8]
  alignas(64) std::array<float, kWork> im;  // [200][8]
};

inline Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
inline Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}
inline Complex operator*(Complex a, float s) {
  return {a.re * s, a.im * s};
}
inline Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex times_minus_i(Complex a) {
  return {a.im, -a.re};
}

Complex root_of_unity(int power, int order) {
  const double angle = -2.0 * std::numbers::pi * power / order;
  return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

std::vector<Complex> pass_twiddles(int length, int radix) {
  std::vector<Complex> twiddles;
  for (int p = 0; p < length / radix; ++p) {
    for (int j = 1; j < radix; ++j) twiddles.push_back(root_of_unity(p * j, length));
  }
  return twiddles;
}

struct Dft5 {
  Complex y0, y1, y2, y3, y4;
};
inline Dft5 dft5(Complex x0, Complex x1, Complex x2, Complex x3, Complex x4) {
  constexpr float kCos1 = 0.30901699437494742410F;   // cos(2 pi / 5)
  constexpr float kCos2 = -0.80901699437494742410F;  // cos(4 pi / 5)
  constexpr float kSin1 = 0.95105651629515357212F;   // sin(2 pi / 5)
  constexpr float kSin2 = 0.58778525229247312917F;   // sin(4 pi / 5)
  const Complex sum14 = x1 + x4, diff14 = x1 - x4;
  const Complex sum23 = x2 + x3, diff23 = x2 - x3;
  const Complex even1 = x0 + sum14 * kCos1 + sum23 * kCos2;
  const Complex even2 = x0 + sum14 * kCos2 + sum23 * kCos1;
  const Complex odd1 = times_minus_i(diff14 * kSin1 + diff23 * kSin2);
  const Complex odd2 = times_minus_i(diff14 * kSin2 - diff23 * kSin1);
  return {x0 + sum14 + sum23, even1 + odd1, even2 + odd2, even2 - odd2, even1 - odd1};
}

struct Dft4 {
  Complex y0, y1, y2, y3;
};
inline Dft4 dft4(Complex x0, Complex x1, Complex x2, Complex x3) {
  const Complex sum02 = x0 + x2, diff02 = x0 - x2;
  const Complex sum13 = x1 + x3, diff13 = times_minus_i(x1 - x3);
  return {sum02 + sum13, diff02 + diff13, sum02 - sum13, diff02 - diff13};
}

// One Stockham pass of radix 5 over sub-transforms of `length` points, `stride` floats side by
// side. Row r of the input starts at r * in_stride: equal to `stride` but for the first pass, which
// reads every other row of the frames.
void radix5_pass(int length, int stride, const std::vector<Complex>& twiddles, int in_stride,
                 const float* __restrict in_re, const float* __restrict in_im,
                 float* __restrict out_re, float* __restrict out_im) {
  const int columns = length / 5;
  const int in_step = columns * in_stride;
  for (int p = 0; p < columns; ++p) {
    const Complex* w = &twiddles[static_cast<std::size_t>(p) * 4];
    const Complex w1 = w[0], w2 = w[1], w3 = w[2], w4 = w[3];
    const float* re = in_re + p * in_stride;
    const float* im = in_im + p * in_stride;
    float* to_re = out_re + p * 5 * stride;
    float* to_im = out_im + p * 5 * stride;
    for (int q = 0; q < stride; ++q) {
      const auto x = [&](int j) { return Complex{re[q + j * in_step], im[q + j * in_step]}; };
      const auto put = [&](int j, Complex y) {
        to_re[q + j * stride] = y.re;
        to_im[q + j * stride] = y.im;
      };
      const Dft5 y = dft5(x(0), x(1), x(2), x(3), x(4));
      put(0, y.y0);
      put(1, y.y1 * w1);
      put(2, y.y2 * w2);
      put(3, y.y3 * w3);
      put(4, y.y4 * w4);
    }
  }
}

// The last pass: sub-transforms of 8 points, [8][25 * lanes] -> the same shape, in order.
void radix8_pass(const Work& in, Work& out) {
  constexpr int kStride = 25 * kLanes;
  constexpr float kHalfRoot = 0.70710678118654752440F;
  constexpr Complex kRoot1{kHalfRoot, -kHalfRoot}, kRoot3{-kHalfRoot, -kHalfRoot};
  const float* __restrict in_re = in.re.data();
  const float* __restrict in_im = in.im.data();
  float* __restrict out_re = out.re.data();
  float* __restrict out_im = out.im.data();
  for (int q = 0; q < kStride; ++q) {
    const auto x = [&](int j) { return Complex{in_re[q + j * kStride], in_im[q + j * kStride]}; };
    const auto put = [&](int j, Complex y) {
      out_re[q + j * kStride] = y.re;
      out_im[q + j * kStride] = y.im;
    };
    const Dft4 even = dft4(x(0), x(2), x(4), x(6));
    const Dft4 odd = dft4(x(1), x(3), x(5), x(7));
    const Complex odd1 = odd.y1 * kRoot1, odd2 = times_minus_i(odd.y2), odd3 = odd.y3 * kRoot3;
    put(0, even.y0 + odd.y0);
    put(1, even.y1 + odd1);
    put(2, even.y2 + odd2);
    put(3, even.y3 + odd3);
    put(4, even.y0 - odd.y0);
    put(5, even.y1 - odd1);
    put(6, even.y2 - odd2);
    put(7, even.y3 - odd3);
  }
}

// z = FFT(even + i odd)  ->  |X[k]|^2 and |X[200 - k]|^2, where X[k] = E[k] + w^k O[k] and
// X[200 - k] = conj(E[k] - w^k O[k]). E and O are twice too large here, hence the 1/4.
void unpack(const Work& z, const std::vector<Complex>& twiddles, PowerLanes& power) {
  for (int k = 0; k <= kHalf / 2; ++k) {
    const Complex w = twiddles[static_cast<std::size_t>(k)];
    const int mirror = (kHalf - k) % kHalf;
    const float* __restrict re = z.re.data() + k * kLanes;
    const float* __restrict im = z.im.data() + k * kLanes;
    const float* __restrict mirror_re = z.re.data() + mirror * kLanes;
    const float* __restrict mirror_im = z.im.data() + mirror * kLanes;
    float* __restrict low = power.data() + k * kLanes;
    float* __restrict high = power.data() + (kHalf - k) * kLanes;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Complex a{re[lane], im[lane]};
      const Complex b{mirror_re[lane], -mirror_im[lane]};
      const Complex e = a + b;
      const Complex o = times_minus_i(a - b) * w;
      const Complex x = e + o, y = e - o;
      low[lane] = 0.25F * (x.re * x.re + x.im * x.im);
      high[lane] = 0.25F * (y.re * y.re + y.im * y.im);
    }
  }
}

}  // namespace

PowerSpectrum::PowerSpectrum()
    : first_twiddles_(pass_twiddles(kHalf, 5)), second_twiddles_(pass_twiddles(kHalf / 5, 5)) {
  for (int k = 0; k <= kHalf / 2; ++k) unpack_twiddles_.push_back(root_of_unity(k, kFrameSamples));
}

void PowerSpectrum::transform(const FrameLanes& frames, PowerLanes& power) const {
  Work a, b;
  const float* even = frames.data();
  const float* odd = even + kLanes;
  radix5_pass(kHalf, kLanes, first_twiddles_, 2 * kLanes, even, odd, a.re.data(), a.im.data());
  radix5_pass(kHalf / 5, 5 * kLanes, second_twiddles_, 5 * kLanes, a.re.data(), a.im.data(),
              b.re.data(), b.im.data());
  radix8_pass(b, a);
  unpack(a, unpack_twiddles_, power);
}

}  // namespace steno::features
