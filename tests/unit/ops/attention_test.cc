// Dense and paged attention on every instruction set against f64.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "ops/cpu/cpu_ops.h"
#include "unit/ops/oracle.h"

namespace steno::ops {
namespace {

using oracle::Values;
using oracle::values_of;

class AttentionTest : public testing::TestWithParam<cpu::IsaChoice> {
 protected:
  cpu::CpuOps ops_{GetParam(), 2};
};

// A softmax average of values up to 5: its weights are off by the rounding of the scores (E
// products of size up to |q||k| scale) and of exp; 2,000 eps covers E = 64 with scores up to 30.
constexpr double kTolerance = 2000 * oracle::kEps;

Values one_head(const Tensor& t, std::int64_t batch_item, std::int64_t begin, std::int64_t size) {
  const std::int64_t width = t.dim(-1);
  const Values all = values_of(t);
  const std::int64_t rows = t.num_rows() / t.dim(0);
  const auto first = all.begin() + batch_item * rows * width;
  return oracle::columns(Values(first, first + rows * width), width, begin, size);
}

struct Dense {
  std::int64_t batch, t, s, heads, e;
};

// Queries around the 24 rows of a unit, keys around the panels' widths, heads of usual and odd
// sizes.
constexpr Dense kDense[] = {{1, 1, 1, 1, 1},    {1, 25, 65, 2, 64}, {2, 7, 7, 3, 5},
                            {1, 48, 64, 1, 80}, {2, 30, 17, 2, 24}, {1, 3, 200, 1, 128}};

TEST_P(AttentionTest, IsTheSoftmaxAverageOfTheValues) {
  for (const Dense& c : kDense) {
    const std::int64_t d = c.heads * c.e;
    const Tensor qkv = oracle::random({c.batch, c.t, 3 * d}, 1);
    const Tensor kv = oracle::random({c.batch, c.s, 2 * d}, 2);
    const Columns q(qkv, d, 2 * d);
    const AttentionOptions options{.num_heads = static_cast<int>(c.heads), .scale = 0.3F};
    const Tensor result =
        ops_.attention(q, Columns(kv, 0, d), Columns(kv, d, 2 * d), options, ComputeType::kF32);
    EXPECT_EQ(result.shape(), (Shape{c.batch, c.t, d}));
    for (std::int64_t b = 0; b < c.batch; ++b) {
      for (std::int64_t h = 0; h < c.heads; ++h) {
        const Values expected = oracle::attention(
            one_head(qkv, b, d + h * c.e, c.e), one_head(kv, b, h * c.e, c.e),
            one_head(kv, b, d + h * c.e, c.e), c.e, 0.3, [&](std::int64_t) { return c.s; });
        const Values got = one_head(result, b, h * c.e, c.e);
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], kTolerance);
      }
    }
  }
}

// What the integer form sees of one head: queries and keys in int8 by row, the keys after their
// mean was taken off; values in 10 bits and a sign by column.
struct Rounded {
  Values q, k, v;
};

Rounded rounded(const Values& q, Values k, Values v, std::int64_t e, const cpu::IsaChoice& isa) {
  const std::int64_t num_keys = std::ssize(k) / e;
  for (std::int64_t i = 0; i < e; ++i) {
    double mean = 0;
    float most = 0;
    for (std::int64_t s = 0; s < num_keys; ++s) {
      mean += k[s * e + i] / static_cast<double>(num_keys);
      most = std::max(most, std::abs(static_cast<float>(v[s * e + i])));
    }
    for (std::int64_t s = 0; s < num_keys; ++s) {
      k[s * e + i] -= mean;
      v[s * e + i] =
          std::nearbyint(static_cast<float>(v[s * e + i]) * (511.0F / most)) * most / 511;
    }
  }
  return {oracle::quantised_activations(q, e, isa), oracle::quantised(k, e), std::move(v)};
}

TEST_P(AttentionTest, IntegerFormIsTheAverageOfWhatItRoundsTo) {
  for (const Dense& c : kDense) {
    const std::int64_t d = c.heads * c.e;
    const Tensor q = oracle::random({c.batch, c.t, d}, 1);
    const Tensor kv = oracle::random({c.batch, c.s, 2 * d}, 2);
    const AttentionOptions options{.num_heads = static_cast<int>(c.heads), .scale = 0.3F};
    const Tensor result =
        ops_.attention(q, Columns(kv, 0, d), Columns(kv, d, 2 * d), options, ComputeType::kInt8);
    for (std::int64_t b = 0; b < c.batch; ++b) {
      for (std::int64_t h = 0; h < c.heads; ++h) {
        const Rounded seen = rounded(one_head(q, b, h * c.e, c.e), one_head(kv, b, h * c.e, c.e),
                                     one_head(kv, b, d + h * c.e, c.e), c.e, GetParam());
        const Values expected =
            oracle::attention(seen.q, seen.k, seen.v, c.e, 0.3, [&](std::int64_t) { return c.s; });
        const Values got = one_head(result, b, h * c.e, c.e);
        // Each weight is off by half of 1/32767 of the largest and by 8e-5 of itself; a value of a
        // key whose rounding the mean's last bit decides, by a step: 4/127 of a score's 0.3 * 4.
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 4e-3);
      }
    }
  }
}

TEST_P(AttentionTest, IntegerFormIsNearTheF32Form) {
  const Tensor x = oracle::random({1, 70, 128}, 3);
  const AttentionOptions options{.num_heads = 2, .scale = 0.125F};
  const Tensor exact = ops_.attention(x, x, x, options, ComputeType::kF32);
  const Tensor fast = ops_.attention(x, x, x, options, ComputeType::kInt8);
  // A score is the sum of 64 products of operands that are off by up to 3/254 each.
  EXPECT_LE(oracle::distance(fast, values_of(exact)), 0.06);
}

// More keys than an int32 could sum at once, all with the largest weight and the largest value.
TEST_P(AttentionTest, IntegerFormSumsMoreKeysThanAnInt32Holds) {
  const Tensor zero = Tensor::zeros({1, 1500, 64});
  Tensor v = Tensor::make({1, 1500, 64});
  std::fill_n(v.data<float>(), v.num_elements(), 3.0F);
  const Tensor result = ops_.attention(zero.slice(0, 1), zero, v, {}, ComputeType::kInt8);
  EXPECT_LE(oracle::distance(result, Values(result.num_elements(), 3.0)), 3 * oracle::kEps);
}

TEST_P(AttentionTest, WhatIsNoNumberShowsInTheIntegerForm) {
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(),
                       std::numeric_limits<float>::infinity()};
  for (const float x : bad) {
    for (int which = 0; which < 3; ++which) {
      Tensor inputs[] = {oracle::random({1, 33, 64}, 5), oracle::random({1, 33, 64}, 6),
                         oracle::random({1, 33, 64}, 7)};
      inputs[which].data<float>()[64 + 3] = x;
      const Values result = values_of(
          ops_.attention(inputs[0], inputs[1], inputs[2], {.scale = 0.1F}, ComputeType::kInt8));
      EXPECT_FALSE(std::isfinite(oracle::norm(result))) << "input " << which;
    }
  }
}

TEST_P(AttentionTest, ThreadsDoNotChangeABit) {
  const Tensor x = oracle::random({2, 50, 96}, 4);
  const AttentionOptions options{.num_heads = 3, .scale = 0.2F};
  const Values expected = values_of(ops_.attention(x, x, x, options, ComputeType::kF32));
  for (const int num_threads : {1, 4}) {
    cpu::CpuOps other(GetParam(), num_threads);
    EXPECT_EQ(values_of(other.attention(x, x, x, options, ComputeType::kF32)), expected);
    EXPECT_EQ(values_of(other.attention(x, x, x, options, ComputeType::kInt8)),
              values_of(ops_.attention(x, x, x, options, ComputeType::kInt8)));
  }
}

// One page after another, in the order given.
std::vector<KvSlot> slots_in(std::span<const std::int32_t> pages, int page_tokens, int num_tokens) {
  std::vector<KvSlot> slots;
  for (int t = 0; t < num_tokens; ++t) slots.push_back({pages[t / page_tokens], t % page_tokens});
  return slots;
}

constexpr DType kPageTypes[] = {DType::kF32, DType::kBF16, DType::kI8};

// Rows of heads of `e` as pages of that type keep them.
Values as_stored(Values x, std::int64_t e, DType dtype) {
  if (dtype == DType::kI8) return oracle::quantised(x, e);
  if (dtype == DType::kF32) return x;
  for (double& value : x) value = oracle::round_to_bf16(value);
  return x;
}

// Queries of heads of `e` as scores over pages of that type see them.
Values as_asked(const Values& q, std::int64_t e, DType dtype, const cpu::IsaChoice& isa) {
  return dtype == DType::kI8 ? oracle::quantised_activations(q, e, isa) : q;
}

// A softmax weight of the integer form is off by 1/65534 of the largest and by 8e-5 of itself, and
// where a query's rounding is a tie, a score is off by a step.
double tolerance_of(DType dtype) {
  return dtype == DType::kI8 ? 2e-3 : kTolerance;
}

struct Paged {
  int page_tokens, num_keys, heads, e;
};

constexpr Paged kPaged[] = {{16, 40, 2, 64},  {16, 1, 1, 64}, {5, 23, 3, 10},  {1500, 1500, 1, 64},
                            {64, 129, 2, 80}, {1, 3, 1, 3},   {31, 62, 1, 128}};

TEST_P(AttentionTest, PagedIsTheDenseOneOverTheSameKeys) {
  for (const Paged& c : kPaged) {
    const int d = c.heads * c.e;
    const int num_pages = (c.num_keys + c.page_tokens - 1) / c.page_tokens;
    std::vector<std::int32_t> pages(num_pages);
    std::iota(pages.rbegin(), pages.rend(), 1);  // not in the order of memory
    const Tensor k = oracle::random({c.num_keys, d}, 5);
    const Tensor v = oracle::random({c.num_keys, d}, 6);
    const int rows = 7;
    const Tensor q = oracle::random({rows, d}, 7);
    std::vector<KvSpan> spans;
    for (int r = 0; r < rows; ++r) spans.push_back({pages, std::max(1, c.num_keys - r)});
    for (const DType dtype : kPageTypes) {
      KvPages memory = ops_.make_kv_pages(num_pages + 1, c.page_tokens, c.heads, c.e, dtype);
      ops_.store_kv(memory, k, v, slots_in(pages, c.page_tokens, c.num_keys));
      const AttentionOptions options{.num_heads = c.heads, .scale = 0.25F};
      const Tensor result = ops_.attention_paged(q, memory, spans, options);
      const Values keys = as_stored(values_of(k), c.e, dtype);
      const Values values = as_stored(values_of(v), c.e, dtype);
      for (int h = 0; h < c.heads; ++h) {
        const Values expected = oracle::attention(
            oracle::columns(as_asked(values_of(q), c.e, dtype, GetParam()), d, h * c.e, c.e),
            oracle::columns(keys, d, h * c.e, c.e), oracle::columns(values, d, h * c.e, c.e), c.e,
            0.25, [&](std::int64_t r) { return spans[r].num_keys; });
        const Values got = oracle::columns(values_of(result), d, h * c.e, c.e);
        for (std::size_t i = 0; i < got.size(); ++i) {
          ASSERT_NEAR(got[i], expected[i], tolerance_of(dtype))
              << name(dtype) << " page of " << c.page_tokens << ", " << c.num_keys << " keys";
        }
      }
    }
  }
}

// A window's cross-attention, at every number of keys that is near a multiple of something.
TEST_P(AttentionTest, PagedSeesExactlyTheKeysItIsTold) {
  const Tensor k = oracle::random({1500, 64}, 18);
  const Tensor v = oracle::random({1500, 64}, 19);
  const Tensor q = oracle::random({1, 64}, 20);
  const std::int32_t page[] = {0};
  for (const DType dtype : kPageTypes) {
    KvPages memory = ops_.make_kv_pages(1, 1500, 1, 64, dtype);
    ops_.store_kv(memory, k, v, slots_in(page, 1500, 1500));
    const Values keys = as_stored(values_of(k), 64, dtype);
    const Values values = as_stored(values_of(v), 64, dtype);
    for (int n = 1; n <= 1500; n += n < 70 || n > 1480 ? 1 : 47) {
      const KvSpan span[] = {{page, n}};
      const Tensor result = ops_.attention_paged(q, memory, span, {.num_heads = 1, .scale = 0.2F});
      const Values expected =
          oracle::attention(as_asked(values_of(q), 64, dtype, GetParam()), keys, values, 64, 0.2,
                            [n](std::int64_t) { return std::int64_t{n}; });
      ASSERT_LE(oracle::distance(result, expected), tolerance_of(dtype)) << name(dtype) << " " << n;
    }
  }
}

// Against keys and values that were never rounded. A key's element is off by half a step, amax /
// 254, so a score is by at most scale |q|_1 amax / 254 =: d; each weight then by a factor within
// e^(+-2d), and the average by (e^2d - 1) times the largest value, plus half a step of the values.
TEST_P(AttentionTest, PagedInt8IsWithinItsStepOfTheExactOne) {
  for (const Paged& c : {Paged{1500, 1500, 1, 64}, {16, 100, 1, 64}, {16, 33, 1, 128}}) {
    const Tensor k = oracle::random({c.num_keys, c.e}, 21);
    const Tensor v = oracle::random({c.num_keys, c.e}, 22);
    const Tensor q = oracle::random({5, c.e}, 23);
    std::vector<std::int32_t> pages((c.num_keys + c.page_tokens - 1) / c.page_tokens);
    std::iota(pages.begin(), pages.end(), 0);
    KvPages memory =
        ops_.make_kv_pages(static_cast<int>(pages.size()), c.page_tokens, 1, c.e, DType::kI8);
    ops_.store_kv(memory, k, v, slots_in(pages, c.page_tokens, c.num_keys));
    const std::vector<KvSpan> spans(5, KvSpan{pages, c.num_keys});
    const Values got = values_of(ops_.attention_paged(q, memory, spans, {.scale = 0.125F}));
    const Values expected =
        oracle::attention(values_of(q), values_of(k), values_of(v), c.e, 0.125,
                          [&](std::int64_t) { return std::int64_t{c.num_keys}; });
    const double key_max = oracle::max_magnitude(values_of(k));
    const double value_max = oracle::max_magnitude(values_of(v));
    for (std::size_t i = 0; i < got.size(); ++i) {
      double q_sum = 0;
      for (int e = 0; e < c.e; ++e) q_sum += std::abs(q.data<float>()[i / c.e * c.e + e]);
      const double score_error = 0.125 * q_sum * key_max / 254;
      const double bound = std::expm1(2 * score_error) * value_max + value_max / 254;
      ASSERT_NEAR(got[i], expected[i], bound + kTolerance) << c.num_keys << " keys of " << c.e;
    }
  }
}

// One key: the output is its value, whatever the score is.
TEST_P(AttentionTest, PagedInt8KeepsValuesOfAnySize) {
  for (const float size : {0.0F, 1e-40F, 1e-30F, 1e-6F, 1e30F, 3e38F}) {
    const Tensor k = oracle::random({1, 64}, 24, 1e-3F * size);
    Tensor v = oracle::random({1, 64}, 25, 0.1F * size);
    v.data<float>()[7] = size;
    KvPages memory = ops_.make_kv_pages(1, 1, 1, 64, DType::kI8);
    const KvSlot slot[] = {{0, 0}};
    ops_.store_kv(memory, k, v, slot);
    const std::int32_t page[] = {0};
    const KvSpan span[] = {{page, 1}};
    const Tensor result = ops_.attention_paged(Tensor::zeros({1, 64}), memory, span, {});
    // Half a step. What is below 127 / FLT_MAX has no scale in f32, and counts as zero.
    EXPECT_LE(oracle::distance(result, values_of(v)), size / 253 + 1e-36) << size;
  }
}

TEST_P(AttentionTest, PagedInt8RowsOfZerosTakePartInTheAverage) {
  Tensor k = oracle::random({20, 64}, 26);
  Tensor v = oracle::random({20, 64}, 27);
  for (int t = 0; t < 20; t += 3) {
    std::fill_n(k.data<float>() + t * 64, 64, 0.0F);
    std::fill_n(v.data<float>() + t * 64, 64, -0.0F);
  }
  const std::int32_t pages[] = {0, 1, 2};
  KvPages memory = ops_.make_kv_pages(3, 7, 1, 64, DType::kI8);
  ops_.store_kv(memory, k, v, slots_in(pages, 7, 20));
  const Tensor q = oracle::random({2, 64}, 28);
  const KvSpan spans[] = {{pages, 20}, {pages, 1}};
  const Tensor result = ops_.attention_paged(q, memory, spans, {.scale = 0.3F});
  const Values expected =
      oracle::attention(as_asked(values_of(q), 64, DType::kI8, GetParam()),
                        oracle::quantised(values_of(k), 64), oracle::quantised(values_of(v), 64),
                        64, 0.3F, [](std::int64_t r) { return r == 0 ? 20 : 1; });
  EXPECT_LE(oracle::distance(result, expected), tolerance_of(DType::kI8));
}

TEST_P(AttentionTest, PagedInt8ShowsWhatIsNotANumberToThoseWhoSeeIt) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    for (const bool in_key : {true, false}) {
      Tensor k = oracle::random({3, 64}, 29);
      Tensor v = oracle::random({3, 64}, 30);
      (in_key ? k : v).data<float>()[2 * 64 + 5] = bad;
      const std::int32_t pages[] = {0};
      KvPages memory = ops_.make_kv_pages(1, 3, 1, 64, DType::kI8);
      ops_.store_kv(memory, k, v, slots_in(pages, 3, 3));
      const KvSpan spans[] = {{pages, 2}, {pages, 3}};
      const Values result =
          values_of(ops_.attention_paged(oracle::random({2, 64}, 31), memory, spans, {}));
      EXPECT_TRUE(std::isfinite(result[5]));
      EXPECT_FALSE(std::isfinite(result[64 + 5]));
    }
  }
}

TEST_P(AttentionTest, PagedRowsWithTheirOwnPagesAndCopiesOfThem) {
  const int page_tokens = 4;
  const Tensor k = oracle::random({8, 16}, 8);
  const Tensor v = oracle::random({8, 16}, 9);
  const std::int32_t first[] = {0, 1};
  const std::int32_t second[] = {0, 4};
  Tensor q = oracle::random({1, 16}, 10);
  Tensor both = Tensor::make({2, 16});
  for (int r = 0; r < 2; ++r) std::copy_n(q.data<float>(), 16, both.data<float>() + r * 16);
  const KvSpan spans[] = {{first, 7}, {second, 7}};
  for (const DType dtype : kPageTypes) {
    KvPages memory = ops_.make_kv_pages(5, page_tokens, 2, 8, dtype);
    ops_.store_kv(memory, k, v, slots_in(first, page_tokens, 8));
    ops_.copy_kv_page(memory, 1, 4);
    const Values result = values_of(ops_.attention_paged(both, memory, spans, {.num_heads = 2}));
    const auto middle = result.begin() + 16;
    EXPECT_EQ(Values(result.begin(), middle), Values(middle, result.end()));
    // The copy is the second row's own: what the first stores now, it does not see.
    ops_.store_kv(memory, q, q, slots_in(std::span(first).last(1), page_tokens, 1));
    const Values later = values_of(ops_.attention_paged(both, memory, spans, {.num_heads = 2}));
    EXPECT_NE(Values(later.begin(), later.begin() + 16), Values(result.begin(), middle));
    EXPECT_EQ(Values(later.begin() + 16, later.end()), Values(middle, result.end()));
  }
}

TEST_P(AttentionTest, PagedThreadsAndNeighboursDoNotChangeABit) {
  const Tensor k = oracle::random({100, 32}, 11);
  const Tensor q = oracle::random({30, 32}, 12);
  std::vector<std::int32_t> pages(7);
  std::iota(pages.begin(), pages.end(), 0);
  const std::vector<KvSpan> spans(30, KvSpan{pages, 100});
  for (const DType dtype : kPageTypes) {
    Values expected;
    for (const int num_threads : {1, 2, 4}) {
      cpu::CpuOps ops(GetParam(), num_threads);
      KvPages memory = ops.make_kv_pages(7, 16, 2, 16, dtype);
      ops.store_kv(memory, k, k, slots_in(pages, 16, 100));
      const Tensor result = ops.attention_paged(q, memory, spans, {.num_heads = 2});
      const Tensor alone =
          ops.attention_paged(q.slice(29, 30), memory, std::span(spans).first(1), {.num_heads = 2});
      if (expected.empty()) expected = values_of(result);
      EXPECT_EQ(values_of(result), expected) << name(dtype);
      EXPECT_EQ(values_of(alone), values_of(result.slice(29, 30))) << name(dtype);
    }
  }
}

TEST_P(AttentionTest, WeightsAreTheSoftmaxOfTheScores) {
  for (const Paged& c : kPaged) {
    const int d = c.heads * c.e;
    const int num_pages = (c.num_keys + c.page_tokens - 1) / c.page_tokens;
    std::vector<std::int32_t> pages(num_pages);
    std::iota(pages.rbegin(), pages.rend(), 1);
    const Tensor k = oracle::random({c.num_keys, d}, 15);
    const int rows = 50;  // more than one reading of the keys serves
    const Tensor q = oracle::random({rows, d}, 16);
    std::vector<int> heads;
    for (int h = c.heads - 1; h >= 0; h -= 2) heads.push_back(h);
    const int num_seen = std::max(1, c.num_keys - 2);
    for (const DType dtype : kPageTypes) {
      KvPages memory = ops_.make_kv_pages(num_pages + 1, c.page_tokens, c.heads, c.e, dtype);
      ops_.store_kv(memory, k, k, slots_in(pages, c.page_tokens, c.num_keys));
      const Tensor result =
          ops_.attention_weights(q, memory, {pages, num_seen}, heads,
                                 {.num_heads = c.heads, .scale = 0.25F});  // [H, R, K]
      const Values keys = as_stored(values_of(k), c.e, dtype);
      ASSERT_EQ(result.num_elements(), std::ssize(heads) * rows * num_seen);
      for (std::size_t h = 0; h < heads.size(); ++h) {
        const Values queries =
            oracle::columns(as_asked(values_of(q), c.e, dtype, GetParam()), d, heads[h] * c.e, c.e);
        const Values own = oracle::columns(keys, d, heads[h] * c.e, c.e);
        const float* got = result.data<float>() + static_cast<std::int64_t>(h) * rows * num_seen;
        for (int r = 0; r < rows; r += 7) {
          double sum = 0;
          Values expected(num_seen);
          for (int t = 0; t < num_seen; ++t) {
            double dot = 0;
            for (int e = 0; e < c.e; ++e) dot += queries[r * c.e + e] * own[t * c.e + e];
            expected[t] = std::exp(0.25 * dot);
            sum += expected[t];
          }
          for (int t = 0; t < num_seen; ++t) {
            ASSERT_NEAR(got[static_cast<std::int64_t>(r) * num_seen + t], expected[t] / sum,
                        tolerance_of(dtype))
                << name(dtype) << " head " << heads[h] << " row " << r << " key " << t;
          }
        }
      }
    }
  }
}

TEST_P(AttentionTest, PagedRefusesWhatIsNotThere) {
  KvPages memory = ops_.make_kv_pages(2, 4, 1, 8, DType::kF32);
  const Tensor x = Tensor::zeros({1, 8});
  const std::int32_t pages[] = {0, 1};
  const std::int32_t absent[] = {2};
  const KvSpan too_long[] = {{pages, 9}};
  const KvSpan no_page[] = {{absent, 1}};
  const KvSlot past_end[] = {{0, 4}};
  EXPECT_ANY_THROW(ops_.attention_paged(x, memory, too_long, {}));
  EXPECT_ANY_THROW(ops_.attention_paged(x, memory, no_page, {}));
  const int heads[] = {0};
  const int no_head[] = {1};
  EXPECT_ANY_THROW(ops_.attention_weights(x, memory, too_long[0], heads, {}));
  EXPECT_ANY_THROW(ops_.attention_weights(x, memory, {pages, 3}, no_head, {}));
  EXPECT_ANY_THROW(ops_.store_kv(memory, x, x, past_end));
  EXPECT_ANY_THROW(ops_.copy_kv_page(memory, 0, 2));
  EXPECT_ANY_THROW(ops_.make_kv_pages(1, 4, 1, 8, DType::kF16));
}

INSTANTIATE_TEST_SUITE_P(Isa, AttentionTest, oracle::each_isa(), oracle::isa_name);

}  // namespace
}  // namespace steno::ops
