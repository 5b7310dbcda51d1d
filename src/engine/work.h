// What the scheduler knows of a piece of work: who wants it, what kind it is, what it costs. Plain
// data.
// Path: engine (submit) -> here -> scheduler.
// Units: cost in units of one encoder position (20 ms of audio in Whisper), the measure that all
// model families share.
#pragma once

#include <cstdint>

namespace steno::engine {

using JobId = std::uint64_t;
using WorkId = std::uint64_t;  // rises with every submission

enum class Priority { kInteractive, kBatch };  // in the order in which they are served

enum class Kind {
  kEncode,          // a window of features -> an encoded window
  kDetectLanguage,  // of an encoded window
  kDecode,          // an encoded window -> text, in as many steps as it takes
  kAlign,           // an encoded window and its text -> times
};

// The caches of an encoded window belong to one lane; all further work on it is done there.
inline constexpr int kAnyLane = -1;

struct Work {
  WorkId id = 0;
  JobId job = 0;
  Priority priority = Priority::kBatch;
  Kind kind = Kind::kEncode;
  int lane = kAnyLane;    // a lane for all but kEncode
  int num_rows = 0;       // of kDecode: beams or samples
  std::int64_t cost = 0;  // of all but kDecode, which is charged step by step
};

}  // namespace steno::engine
