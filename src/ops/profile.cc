#include "ops/profile.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace steno::ops {
namespace {

void check_finite(const std::string& op, const Tensor& result) {
  const float* values = result.data<float>();
  for (std::int64_t i = 0; i < result.num_elements(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw Error(ErrorCode::kInternal, "{}: value {} of {} is {}", op, i, result.shape().to_string(),
                values[i]);
  }
}

// Adds its life time to an OpTime; nothing when that is null.
class Stopwatch {
 public:
  explicit Stopwatch(OpTime* time) : time_(time), start_(Clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    if (time_ == nullptr) return;
    time_->num_calls += 1;
    time_->seconds += std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  OpTime* time_;
  Clock::time_point start_;
};

class ProfiledOps final : public Ops {
 public:
  ProfiledOps(std::unique_ptr<Ops> inner, ProfileOptions options,
              std::map<std::string, OpTime>* times)
      : inner_(std::move(inner)), options_(std::move(options)), times_(times) {}

  std::string description() const override { return inner_->description(); }

  Weight pack(const Tensor& matrix, const Tensor& bias, ComputeType type) override {
    const Stopwatch stopwatch = watch("pack");
    return inner_->pack(matrix, bias, type);
  }
  Tensor linear(const Tensor& x, const Weight& w, const LinearOptions& options) override {
    return observed("linear", [&] { return inner_->linear(x, w, options); });
  }
  Tensor conv1d(const Tensor& x, const Weight& w, const Conv1dOptions& options) override {
    return observed("conv1d", [&] { return inner_->conv1d(x, w, options); });
  }
  Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps) override {
    return observed("layer_norm", [&] { return inner_->layer_norm(x, gamma, beta, eps); });
  }
  Tensor feed_forward(const Tensor& x, const FeedForward& w) override {
    return observed("feed_forward", [&] { return inner_->feed_forward(x, w); });
  }
  Tensor gelu(const Tensor& x) override {
    return observed("gelu", [&] { return inner_->gelu(x); });
  }
  Tensor relu(const Tensor& x) override {
    return observed("relu", [&] { return inner_->relu(x); });
  }
  Tensor stft_magnitude(const Tensor& x, const Tensor& window, int hop) override {
    return observed("stft_magnitude", [&] { return inner_->stft_magnitude(x, window, hop); });
  }
  Tensor lstm(const Tensor& gates, const Weight& w, LstmState& state) override {
    return observed("lstm", [&] { return inner_->lstm(gates, w, state); });
  }
  Tensor add(const Tensor& a, const Tensor& b) override {
    return observed("add", [&] { return inner_->add(a, b); });
  }
  Tensor embedding(const Tensor& table, std::span<const std::int32_t> ids) override {
    return observed("embedding", [&] { return inner_->embedding(table, ids); });
  }
  Tensor attention(const Columns& q, const Columns& k, const Columns& v,
                   const AttentionOptions& options, ComputeType type) override {
    return observed("attention", [&] { return inner_->attention(q, k, v, options, type); });
  }
  KvPages make_kv_pages(int num_pages, int page_tokens, int num_heads, int head_dim,
                        DType dtype) override {
    return inner_->make_kv_pages(num_pages, page_tokens, num_heads, head_dim, dtype);
  }
  void store_kv(KvPages& pages, const Columns& k, const Columns& v,
                std::span<const KvSlot> slots) override {
    const Stopwatch stopwatch = watch("store_kv");
    inner_->store_kv(pages, k, v, slots);
  }
  void copy_kv_page(KvPages& pages, int from, int to) override {
    const Stopwatch stopwatch = watch("copy_kv_page");
    inner_->copy_kv_page(pages, from, to);
  }
  Tensor attention_paged(const Columns& q, const KvPages& pages, std::span<const KvSpan> spans,
                         const AttentionOptions& options) override {
    return observed("attention_paged",
                    [&] { return inner_->attention_paged(q, pages, spans, options); });
  }
  Tensor attention_weights(const Columns& q, const KvPages& pages, const KvSpan& span,
                           std::span<const int> heads, const AttentionOptions& options) override {
    return observed("attention_weights",
                    [&] { return inner_->attention_weights(q, pages, span, heads, options); });
  }

 private:
  Stopwatch watch(const std::string& op) {
    return Stopwatch(times_ == nullptr ? nullptr : &(*times_)[op]);
  }

  template <class Call>
  Tensor observed(const std::string& op, Call call) {
    Tensor result = [&] {
      const Stopwatch stopwatch = watch(op);
      return call();
    }();
    if (options_.check_finite) check_finite(op, result);
    if (options_.on_result) options_.on_result(op, result);
    return result;
  }

  std::unique_ptr<Ops> inner_;
  ProfileOptions options_;
  std::map<std::string, OpTime>* times_;
};

}  // namespace

std::unique_ptr<Ops> profile(std::unique_ptr<Ops> inner, ProfileOptions options,
                             std::map<std::string, OpTime>* times) {
  return std::make_unique<ProfiledOps>(std::move(inner), std::move(options), times);
}

}  // namespace steno::ops
