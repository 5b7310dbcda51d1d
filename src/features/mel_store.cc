#include "features/mel_store.h"

#include <algorithm>

#include "base/check.h"

namespace steno::features {

MelStore::MelStore(int num_mels, std::size_t memory_limit_bytes)
    : num_mels_(num_mels),
      memory_limit_floats_(memory_limit_bytes / sizeof(float) / num_mels * num_mels) {
  STENO_CHECK(num_mels > 0);
}

void MelStore::append(std::span<const float> frames) {
  STENO_CHECK(frames.size() % num_mels_ == 0, "{} floats", frames.size());
  const std::size_t room = memory_limit_floats_ - memory_.size();
  const std::size_t kept = std::min(room, frames.size());
  memory_.insert(memory_.end(), frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(kept));
  if (kept < frames.size()) {
    if (file_ == nullptr) file_ = std::make_unique<TemporaryFile>("features: long audio");
    const std::int64_t stored = num_frames_ * num_mels_ + static_cast<std::int64_t>(kept);
    const std::int64_t offset = stored - static_cast<std::int64_t>(memory_limit_floats_);
    file_->write_at(offset * static_cast<std::int64_t>(sizeof(float)),
                    std::as_bytes(frames.subspan(kept)));
  }
  maximum_ = std::max(maximum_, features::maximum(frames));
  num_frames_ += static_cast<std::int64_t>(frames.size()) / num_mels_;
  content_frames_ = num_frames_;
}

void MelStore::finish(std::int64_t content_frames) {
  STENO_CHECK(content_frames >= 0 && content_frames <= num_frames_, "{} of {} frames",
              content_frames, num_frames_);
  content_frames_ = content_frames;
}

float MelStore::loudest(std::int64_t first_frame, std::int64_t num_frames) const {
  STENO_CHECK(first_frame >= 0 && num_frames >= 0, "frames from {}, {}", first_frame, num_frames);
  const std::int64_t there = std::clamp<std::int64_t>(content_frames_ - first_frame, 0, num_frames);
  std::vector<float> rows(static_cast<std::size_t>(there * num_mels_));
  if (there > 0) read(first_frame, rows);
  return features::maximum(rows);
}

Tensor MelStore::read_window(std::int64_t first_frame, std::int64_t num_frames) const {
  return read_up_to(content_frames_, first_frame, num_frames, 0.0F);
}

Tensor MelStore::read_window_with_silence(std::int64_t first_frame, std::int64_t num_frames) const {
  float silence = kSilence;
  normalise({&silence, 1}, maximum_);
  return read_up_to(num_frames_, first_frame, num_frames, silence);
}

// Rows from `end_frame` on are `padding`.
Tensor MelStore::read_up_to(std::int64_t end_frame, std::int64_t first_frame,
                            std::int64_t num_frames, float padding) const {
  STENO_CHECK(first_frame >= 0 && num_frames >= 0, "frames from {}, {}", first_frame, num_frames);
  const std::int64_t there = std::clamp<std::int64_t>(end_frame - first_frame, 0, num_frames);
  Tensor window = Tensor::make({num_frames, num_mels_});
  const std::span all(window.data<float>(), static_cast<std::size_t>(window.num_elements()));
  const std::span rows = all.first(static_cast<std::size_t>(there * num_mels_));
  if (there > 0) read(first_frame, rows);
  normalise(rows, maximum_);
  std::ranges::fill(all.subspan(rows.size()), padding);
  return window;
}

// Requires every row to have been appended.
void MelStore::read(std::int64_t first_frame, std::span<float> rows) const {
  const std::size_t begin = static_cast<std::size_t>(first_frame * num_mels_);
  const std::size_t in_memory = begin < memory_.size() ? memory_.size() - begin : 0;
  const std::size_t copied = std::min(in_memory, rows.size());
  if (copied > 0)
    std::copy_n(memory_.begin() + static_cast<std::ptrdiff_t>(begin), copied, rows.begin());
  if (copied == rows.size()) return;
  const std::size_t offset = (begin + copied - memory_limit_floats_) * sizeof(float);
  file_->read_at(static_cast<std::int64_t>(offset), std::as_writable_bytes(rows.subspan(copied)));
}

}  // namespace steno::features
