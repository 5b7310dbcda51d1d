// What went wrong, for whom, and what to do: the one exception type of the project.
//
// Three kinds of failure, three means:
//   bad input or world      throw Error(code, message)     caught at the doors, mapped by one table
//   expected absence        std::optional, try_...
//   our own bug             STENO_CHECK (base/check.h)     never reachable from user bytes
// A message says where, what was found, what was expected, and what to do.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace steno {

enum class ErrorCode {
  kUsage,         // the caller's options are wrong
  kInvalidValue,  // a value is out of its range or not known
  kUnsupported,   // a valid request that this model or build cannot honour
  kInvalidAudio,  // undecodable, no audio stream, too short
  kNotFound,      // a file, model or key that is not there
  kInvalidModel,  // model files that are malformed or do not fit
  kUnavailable,   // try again later: out of memory, disk full, network
  kInternal,      // our own bug
};

// How each door reports a code.
struct ErrorInfo {
  std::string_view name;         // stable, snake_case: the `code` of an API error
  int http_status;               // 4xx: the request; 5xx: us
  std::string_view openai_type;  // the `type` of an API error
  int exit_code;                 // 1 failed, 2 usage, 75 try again (sysexits EX_TEMPFAIL)
  bool retryable;
};

const ErrorInfo& info(ErrorCode code);

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  template <typename... Args>
  Error(ErrorCode code, fmt::format_string<Args...> format, Args&&... args)
      : Error(code, fmt::format(format, std::forward<Args>(args)...)) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace steno
