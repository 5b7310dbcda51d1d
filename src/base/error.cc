#include "base/error.h"

#include "base/check.h"

namespace steno {

const ErrorInfo& info(ErrorCode code) {
  static constexpr ErrorInfo kUsage{"usage", 400, "invalid_request_error", 2, false};
  static constexpr ErrorInfo kInvalidValue{"invalid_value", 400, "invalid_request_error", 2, false};
  static constexpr ErrorInfo kUnsupported{"unsupported_value", 400, "invalid_request_error", 2,
                                          false};
  static constexpr ErrorInfo kInvalidAudio{"invalid_audio", 400, "invalid_request_error", 1, false};
  static constexpr ErrorInfo kNotFound{"not_found", 404, "invalid_request_error", 1, false};
  static constexpr ErrorInfo kInvalidModel{"invalid_model", 500, "server_error", 1, false};
  static constexpr ErrorInfo kUnavailable{"unavailable", 503, "server_error", 75, true};
  static constexpr ErrorInfo kInternal{"internal", 500, "server_error", 1, false};
  switch (code) {
    case ErrorCode::kUsage:
      return kUsage;
    case ErrorCode::kInvalidValue:
      return kInvalidValue;
    case ErrorCode::kUnsupported:
      return kUnsupported;
    case ErrorCode::kInvalidAudio:
      return kInvalidAudio;
    case ErrorCode::kNotFound:
      return kNotFound;
    case ErrorCode::kInvalidModel:
      return kInvalidModel;
    case ErrorCode::kUnavailable:
      return kUnavailable;
    case ErrorCode::kInternal:
      return kInternal;
  }
  return kInternal;
}

namespace internal {

void check_failed(const char* file, int line, const char* condition, const std::string& detail) {
  throw Error(ErrorCode::kInternal,
              "{}:{}: check failed: {}{}{} (a bug in steno; please report it)", file, line,
              condition, detail.empty() ? "" : ": ", detail);
}

}  // namespace internal

}  // namespace steno
