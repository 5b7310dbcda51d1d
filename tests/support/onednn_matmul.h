// oneDNN's matrix product, one thread: the oracle of our own, and the yardstick of the benchmark.
// Works with oneDNN 2.x and 3.x, whose matmul descriptors differ; no scales are used, those do too.
#pragma once

#include <cstdint>
#include <dnnl.hpp>
#include <type_traits>

namespace steno::test {

// y [M, N] = x [M, K] . w^T, w [N, K], packed once as oneDNN likes it.
// T = float: f32 in and out. T = int8_t: s8 operands, s32 sums.
template <typename T>
class OneDnnMatmul {
 public:
  using Sum = std::conditional_t<std::is_same_v<T, float>, float, std::int32_t>;

  OneDnnMatmul(std::int64_t m, std::int64_t k, std::int64_t n, const T* w)
      : x_desc_({m, k}, kType, dnnl::memory::format_tag::ab),
        y_desc_({m, n}, kSumType, dnnl::memory::format_tag::ab) {
    const dnnl::memory::desc any({k, n}, kType, dnnl::memory::format_tag::any);
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::matmul::primitive_desc descriptor(engine_, x_desc_, any, y_desc_);
#else
    const dnnl::matmul::primitive_desc descriptor(dnnl::matmul::desc(x_desc_, any, y_desc_),
                                                  engine_);
#endif
    matmul_ = dnnl::matmul(descriptor);
    const dnnl::memory::desc plain({k, n}, kType, dnnl::memory::format_tag::ba);
    dnnl::memory from(plain, engine_, const_cast<T*>(w));
    packed_ = dnnl::memory(descriptor.weights_desc(), engine_);
    dnnl::reorder(from, packed_).execute(stream_, from, packed_);
    stream_.wait();
  }

  void multiply(const T* x, Sum* y) {
    dnnl::memory in(x_desc_, engine_, const_cast<T*>(x));
    dnnl::memory out(y_desc_, engine_, y);
    matmul_.execute(stream_,
                    {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, packed_}, {DNNL_ARG_DST, out}});
    stream_.wait();
  }

 private:
  using DataType = dnnl::memory::data_type;
  static constexpr DataType kType = std::is_same_v<T, float> ? DataType::f32 : DataType::s8;
  static constexpr DataType kSumType = std::is_same_v<T, float> ? DataType::f32 : DataType::s32;

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::memory::desc x_desc_;
  dnnl::memory::desc y_desc_;
  dnnl::memory packed_;
  dnnl::matmul matmul_;
};

}  // namespace steno::test
