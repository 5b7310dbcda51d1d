#include "cli/outcome.h"

#include <exception>
#include <filesystem>
#include <new>

#include "base/error.h"
#include "base/utf8.h"

namespace steno::cli {

Failure current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return {info(error.code()).exit_code, error.what()};
  } catch (const std::bad_alloc&) {
    return {kExitTryAgain, "out of memory; free some, or run fewer things at once"};
  } catch (const std::filesystem::filesystem_error& error) {
    return {kExitFailed, error.path1().string() + ": " + error.code().message()};
  } catch (const std::exception& error) {
    return {kExitFailed, error.what()};
  }
}

std::string message_about(const std::string& input, const std::string& message) {
  const std::string name = utf8::printable(input);
  if (message.find(name + ":") != std::string::npos) return message;
  return name + ": " + message;
}

void Tally::add_failure(int exit_code) {
  const bool is_first = num_failed_ == 0;
  failed_with_ = is_first || failed_with_ == exit_code ? exit_code : kExitFailed;
  ++num_failed_;
}

int Tally::exit_code() const {
  if (num_failed_ == 0) return kExitDone;
  return num_done_ > 0 ? kExitPartlyDone : failed_with_;
}

}  // namespace steno::cli
