// What FFmpeg has to say: its log goes nowhere but into our own messages. Private to the room.
// Threads: the last message is kept per thread; codecs run on their caller's (thread_count = 1).
#pragma once

#include <cstdint>
#include <string>

namespace steno::audio {

// Takes over the log of FFmpeg for the whole process, once.
void capture_library_log();

void forget_library_message();

// " (FFmpeg: moov atom not found)" from this thread's last error message, else from `error_code`
// (negative), else empty.
std::string library_reason(int error_code = 0);

// "12 KiB", "4.0 GiB".
std::string format_bytes(std::int64_t num_bytes);

}  // namespace steno::audio
