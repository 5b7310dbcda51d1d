#include "audio/parallel_decoder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "audio/ffmpeg/range_decoder.h"
#include "base/check.h"
#include "base/error.h"

namespace steno::audio {
namespace {

// The reader asks whether to stop; it need not be safe to ask from other threads.
DecodeOptions range_options(DecodeOptions options) {
  options.cancelled = {};
  return options;
}

}  // namespace

struct ParallelDecoder::State {
  State(const Source& from, const DecodeOptions& decode_options, int num_threads, int seconds)
      : source(from),
        options(decode_options),
        range_s(seconds),
        num_in_flight(std::int64_t{2} * num_threads) {}
  ~State() { stop(); }

  void start(std::unique_ptr<RangeDecoder> first, int num_threads);
  void stop();
  void work(std::unique_ptr<RangeDecoder> decoder);
  std::optional<Planes> decode_range(std::unique_ptr<RangeDecoder>& decoder, std::int64_t range);
  std::optional<Planes> wait_for_range();
  bool next_planes();
  void go_on_serially();
  std::size_t take(std::span<const std::span<float>> outs, std::size_t offset);

  Source source;
  DecodeOptions options;
  std::int64_t range_s;
  std::int64_t num_in_flight;
  std::int64_t num_ranges = 0;
  AudioInfo info;
  DecodeReport report;

  Planes current = Planes(1);
  std::size_t current_begin = 0;
  std::int64_t num_taken = 0;     // ranges that were moved to `current`
  std::optional<Decoder> serial;  // once a range was odd

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::int64_t, std::optional<Planes>> done;  // ranges not taken yet
  std::int64_t num_started = 0;
  bool stopping = false;
  std::vector<std::thread> threads;
};

void ParallelDecoder::State::start(std::unique_ptr<RangeDecoder> first, int num_threads) {
  threads.emplace_back([this, decoder = std::move(first)]() mutable { work(std::move(decoder)); });
  for (int i = 1; i < num_threads; ++i) {
    threads.emplace_back([this] { work(nullptr); });
  }
}

void ParallelDecoder::State::stop() {
  {
    const std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  for (std::thread& thread : threads) thread.join();
  threads.clear();
}

void ParallelDecoder::State::work(std::unique_ptr<RangeDecoder> decoder) {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] {
      return stopping || num_started == num_ranges || num_started < num_taken + num_in_flight;
    });
    if (stopping || num_started == num_ranges) return;
    const std::int64_t range = num_started++;
    lock.unlock();
    std::optional<Planes> planes = decode_range(decoder, range);
    lock.lock();
    done[range] = std::move(planes);
    changed.notify_all();
  }
}

std::optional<Planes> ParallelDecoder::State::decode_range(std::unique_ptr<RangeDecoder>& decoder,
                                                           std::int64_t range) {
  try {
    if (!decoder) decoder = std::make_unique<RangeDecoder>(source, range_options(options));
    return decoder->decode(range * range_s, (range + 1) * range_s);
  } catch (const std::exception&) {
    return std::nullopt;  // decoding serially meets it again, and tells
  }
}

std::optional<Planes> ParallelDecoder::State::wait_for_range() {
  constexpr std::chrono::milliseconds kPoll{50};
  std::unique_lock lock(mutex);
  while (true) {
    if (options.cancelled && options.cancelled()) {
      throw Error(ErrorCode::kUnavailable, "audio: {}: cancelled", source.name());
    }
    if (done.contains(num_taken)) break;
    changed.wait_for(lock, kPoll);
  }
  std::optional<Planes> planes = std::move(done.extract(num_taken).mapped());
  if (planes) ++num_taken;
  changed.notify_all();
  return planes;
}

void ParallelDecoder::State::go_on_serially() {
  stop();
  serial.emplace(Decoder::open(source, options));
  STENO_CHECK(serial->num_outputs() == std::ssize(current));
  for (std::vector<float>& plane : current) plane.resize(kSampleRate);
  const std::vector<std::span<float>> skipped(current.begin(), current.end());
  for (std::int64_t second = 0; second < num_taken * range_s; ++second) {
    serial->read_channels(skipped);
  }
}

// False at the end, and where the serial decoder has taken over.
bool ParallelDecoder::State::next_planes() {
  if (num_taken == num_ranges) return false;
  std::optional<Planes> planes = wait_for_range();
  if (!planes) {
    go_on_serially();
    return false;
  }
  current = *std::move(planes);
  current_begin = 0;
  return true;
}

std::size_t ParallelDecoder::State::take(std::span<const std::span<float>> outs,
                                         std::size_t offset) {
  const std::size_t left = current.front().size() - current_begin;
  const std::size_t count = std::min(outs.front().size() - offset, left);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    std::ranges::copy(std::span(current[i]).subspan(current_begin, count),
                      outs[i].begin() + static_cast<std::ptrdiff_t>(offset));
  }
  current_begin += count;
  return count;
}

ParallelDecoder::ParallelDecoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParallelDecoder::~ParallelDecoder() = default;
ParallelDecoder::ParallelDecoder(ParallelDecoder&&) noexcept = default;
ParallelDecoder& ParallelDecoder::operator=(ParallelDecoder&&) noexcept = default;

std::optional<ParallelDecoder> ParallelDecoder::try_open(const Source& source,
                                                         const DecodeOptions& options,
                                                         int num_threads, int range_s) {
  if (num_threads < 2 || !source.open()->size_bytes()) return std::nullopt;
  auto first = std::make_unique<RangeDecoder>(source, range_options(options));
  if (!first->has_ranges()) return std::nullopt;
  auto state = std::make_unique<State>(source, options, num_threads, range_s);
  state->info = first->info();
  const double duration_s = *state->info.claimed_duration_s;
  if (duration_s < 2 * range_s) return std::nullopt;
  // The last range may be empty, or a sample that rounding adds.
  state->num_ranges = static_cast<std::int64_t>(duration_s / range_s) + 1;
  state->current.resize(static_cast<std::size_t>(first->num_outputs()));
  state->start(std::move(first), num_threads);
  return ParallelDecoder(std::move(state));
}

int ParallelDecoder::num_outputs() const {
  return static_cast<int>(state_->current.size());
}

std::size_t ParallelDecoder::read_channels(std::span<const std::span<float>> outs) {
  State& s = *state_;
  STENO_CHECK(std::ssize(outs) == num_outputs(), "{} spans for {} outputs", outs.size(),
              num_outputs());
  const std::size_t size = outs.front().size();
  std::size_t count = 0;
  while (count < size && !s.serial) {
    const std::size_t taken = s.take(outs, count);
    count += taken;
    s.report.num_samples += static_cast<std::int64_t>(taken);
    if (taken == 0 && !s.next_planes()) break;
  }
  s.report.covered_s = s.report.duration_s();
  if (!s.serial || count == size) return count;
  std::vector<std::span<float>> rest;
  for (const std::span<float> out : outs) rest.push_back(out.subspan(count));
  return count + s.serial->read_channels(rest);
}

const AudioInfo& ParallelDecoder::info() const {
  return state_->info;
}

const DecodeReport& ParallelDecoder::report() const {
  return state_->serial ? state_->serial->report() : state_->report;
}

}  // namespace steno::audio
