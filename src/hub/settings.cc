#include "hub/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "weights/model_cache.h"

namespace steno::hub {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : std::string(utf8::strip(value));
}

std::string first_of(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = environment(name); !value.empty()) return value;
  }
  return "";
}

bool is_true(std::string value) {
  for (char& c : value) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  constexpr std::array<std::string_view, 4> kTrue = {"1", "ON", "YES", "TRUE"};
  return std::ranges::find(kTrue, value) != kTrue.end();
}

std::string endpoint_from_environment() {
  std::string endpoint = environment("HF_ENDPOINT");
  if (endpoint.empty()) return Settings{}.endpoint;
  const bool is_url = endpoint.starts_with("https://") || endpoint.starts_with("http://");
  const bool is_plain = std::ranges::all_of(endpoint, [](char c) {
    return c > 0x20 && c < 0x7f && std::string_view("?#@\\\"'<>").find(c) == std::string_view::npos;
  });
  if (!is_url || !is_plain) {
    throw Error(ErrorCode::kUsage, "HF_ENDPOINT: \"{}\" is not a URL like https://huggingface.co",
                utf8::printable(endpoint));
  }
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint;
}

// TRAP: a line break in a token would add a header of its own.
std::string checked_token(std::string token, std::string_view source) {
  if (!std::ranges::all_of(token, [](char c) { return c > 0x20 && c < 0x7f; })) {
    throw Error(ErrorCode::kUsage,
                "{}: the token has characters that no token has (a space, a line break, ...)",
                source);
  }
  return token;
}

std::string token_from_environment() {
  if (std::string token = first_of({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}); !token.empty()) {
    return checked_token(std::move(token), "HF_TOKEN");
  }
  const std::string named = environment("HF_TOKEN_PATH");
  const std::filesystem::path path =
      named.empty() ? weights::hub_home() / "token" : std::filesystem::path(named);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  constexpr std::size_t kMaxTokenBytes = 4096;
  const std::string text = file::read(path, kMaxTokenBytes);
  return checked_token(std::string(utf8::strip(text)), path.string());
}

int seconds_from_environment(const char* name, int otherwise) {
  const std::string text = environment(name);
  if (text.empty()) return otherwise;
  constexpr int kMaxSeconds = 86400;
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 1 ||
      seconds > kMaxSeconds) {
    throw Error(ErrorCode::kUsage, "{}: \"{}\" is not a number of seconds from 1 to {}", name,
                utf8::printable(text), kMaxSeconds);
  }
  return seconds;
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  settings.endpoint = endpoint_from_environment();
  settings.token = token_from_environment();
  settings.cache = weights::hub_folder();
  settings.certificates = first_of({"CURL_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"});
  settings.is_offline = is_true(first_of({"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}));
  settings.stall_timeout_s =
      seconds_from_environment("HF_HUB_DOWNLOAD_TIMEOUT", settings.stall_timeout_s);
  return settings;
}

}  // namespace steno::hub
