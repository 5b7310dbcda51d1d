#include "cli/outcome.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/find_inputs.h"

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
  const std::string name = input == kStdin ? "stdin" : utf8::printable(input);
  if (message.find(name + ":") != std::string::npos) return message;
  return name + ": " + message;
}

int Tally::exit_code() const {
  if (failed_.empty()) return kExitDone;
  if (num_done_ + num_skipped_ > 0) return kExitPartlyDone;
  const int first = failed_.front().failure.exit_code;
  const bool all_alike = std::ranges::all_of(
      failed_, [first](const FailedInput& failed) { return failed.failure.exit_code == first; });
  return all_alike ? first : kExitFailed;
}

}  // namespace steno::cli
