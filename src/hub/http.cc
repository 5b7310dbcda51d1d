#include "hub/http.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <exception>

#include "base/check.h"
#include "base/utf8.h"

namespace steno::hub {
namespace {

constexpr int kMaxRedirects = 10;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::optional<std::uint64_t> try_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// W/"abc" and "abc" -> abc
std::string_view bare_etag(std::string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  if (etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"')) {
    etag = etag.substr(1, etag.size() - 2);
  }
  return etag;
}

// "bytes 100-199/200" -> 100
std::optional<std::uint64_t> try_range_begin(std::string_view value) {
  constexpr std::string_view kUnit = "bytes ";
  if (!value.starts_with(kUnit)) return std::nullopt;
  value.remove_prefix(kUnit.size());
  return try_number(value.substr(0, value.find('-')));
}

// One exchange: what libcurl's callbacks need.
struct Exchange {
  const Request* request = nullptr;
  CURL* handle = nullptr;
  Answer answer;
  bool has_range = false;
  bool has_begun = false;
  std::uint64_t num_ignored_bytes = 0;
  std::exception_ptr thrown;
};

void read_header(Exchange& exchange, std::string_view line) {
  if (line.starts_with("HTTP/")) {  // an answer 100 or of a proxy comes before the real one
    exchange.answer = Answer{};
    exchange.has_range = false;
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = utf8::strip(line.substr(colon + 1));
  if (name == "x-linked-etag") exchange.answer.linked_etag = bare_etag(value);
  if (name == "retry-after") {
    const auto seconds = try_number(value);
    if (seconds && *seconds < 1'000'000) {
      exchange.answer.retry_after_s = static_cast<int>(*seconds);
    }
  }
  if (name == "content-range") {
    if (const auto begin = try_range_begin(value)) {
      exchange.answer.first_byte = *begin;
      exchange.has_range = true;
    }
  }
}

std::size_t on_header(char* data, std::size_t, std::size_t size, void* user) {
  read_header(*static_cast<Exchange*>(user), {data, size});
  return size;
}

void pass_on(Exchange& exchange, std::span<const char> bytes) {
  if (!exchange.has_begun) {
    exchange.has_begun = true;
    if (exchange.request->on_begin) exchange.request->on_begin(exchange.answer);
  }
  exchange.request->on_bytes(bytes);
}

// TRAP: nothing may be thrown through libcurl, which is C. Returning less than `size` ends it.
std::size_t on_body(char* data, std::size_t, std::size_t size, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  long status = 0;
  curl_easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &status);
  exchange.answer.status = static_cast<int>(status);
  if (status == 206 && !exchange.has_range) return 0;
  if (status != 200 && status != 206) {  // an error page: its end is not worth waiting for
    constexpr std::uint64_t kMaxErrorBytes = 1 << 20;
    exchange.num_ignored_bytes += size;
    return exchange.num_ignored_bytes > kMaxErrorBytes ? 0 : size;
  }
  try {
    pass_on(exchange, {data, size});
    return size;
  } catch (...) {
    exchange.thrown = std::current_exception();
    return 0;
  }
}

struct CurlLibrary {
  CurlLibrary() { curl_global_init(CURL_GLOBAL_DEFAULT); }
};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// For a message: signed URLs carry their secret in the query.
std::string host_of(std::string_view url) {
  return utf8::printable(url.substr(0, url.find_first_of("/?#", url.find("//") + 2)));
}

}  // namespace

bool Answer::is_transient() const {
  if (status == 408 || status == 429 || status >= 500) return true;
  return !failure.empty() && (status == 0 || status == 200 || status == 206);
}

std::string origin_of(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return "";
  const std::string scheme = lower(url.substr(0, scheme_end));
  if (scheme != "http" && scheme != "https") return "";
  std::string_view authority = url.substr(scheme_end + 3);
  authority = authority.substr(0, authority.find_first_of("/?#\\"));
  // TRAP: user@host names another host than it seems to.
  if (authority.empty() || authority.find('@') != std::string_view::npos) return "";
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');  // [::1]:8080
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  std::string host = lower(authority);
  if (!has_port) host += scheme == "https" ? ":443" : ":80";
  return fmt::format("{}://{}", scheme, host);
}

bool may_follow(std::string_view from_url, std::string_view to_url) {
  const std::string from = origin_of(from_url);
  const std::string to = origin_of(to_url);
  return !to.empty() && !(from.starts_with("https:") && to.starts_with("http:"));
}

struct Http::State {
  explicit State(const Settings& chosen)
      : settings(chosen), endpoint_origin(origin_of(chosen.endpoint)) {
    static const CurlLibrary kLibrary;
    handle = curl_easy_init();
    STENO_CHECK(handle != nullptr, "libcurl gives no handle");
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { curl_easy_cleanup(handle); }

  void prepare(const std::string& url, const Request& request, Exchange& exchange);
  Answer perform(const std::string& url, const Request& request);
  std::string redirect_target() const;

  Settings settings;
  std::string endpoint_origin;
  CURL* handle = nullptr;
  char error_text[CURL_ERROR_SIZE] = {};
};

void Http::State::prepare(const std::string& url, const Request& request, Exchange& exchange) {
  curl_easy_reset(handle);  // keeps connections
  error_text[0] = '\0';
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "steno/" STENO_VERSION);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error_text);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, long{settings.connect_timeout_s});
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);  // bytes a second
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, long{settings.stall_timeout_s});
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
  if (request.first_byte > 0) {
    curl_easy_setopt(handle, CURLOPT_RANGE, fmt::format("{}-", request.first_byte).c_str());
  }
  if (!settings.certificates.empty()) {
    curl_easy_setopt(handle, CURLOPT_CAINFO, settings.certificates.c_str());
  }
  if (!settings.token.empty() && origin_of(url) == endpoint_origin) {
    curl_easy_setopt(handle, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(handle, CURLOPT_XOAUTH2_BEARER, settings.token.c_str());
  }
}

Answer Http::State::perform(const std::string& url, const Request& request) {
  Exchange exchange{.request = &request, .handle = handle, .answer = {}, .thrown = {}};
  prepare(url, request, exchange);
  const CURLcode code = curl_easy_perform(handle);
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  exchange.answer.status = static_cast<int>(status);
  if (exchange.thrown) std::rethrow_exception(exchange.thrown);
  if (code != CURLE_OK) {
    const char* reason = error_text[0] != '\0' ? error_text : curl_easy_strerror(code);
    exchange.answer.failure = fmt::format("{}: {}", host_of(url), utf8::printable(reason));
  } else if (exchange.answer.is_whole() && !exchange.has_begun && request.on_begin) {
    request.on_begin(exchange.answer);  // an empty file
  }
  return exchange.answer;
}

// Absolute, or empty.
std::string Http::State::redirect_target() const {
  const char* target = nullptr;
  curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &target);
  return target == nullptr ? "" : target;
}

Http::Http(const Settings& settings) : state_(std::make_unique<State>(settings)) {}
Http::~Http() = default;

Answer Http::get(const Request& request) {
  std::string url = request.url;
  std::string linked_etag;
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    Answer answer = state_->perform(url, request);
    // Only the hub itself knows the content's name; storage behind it has ETags of its own.
    if (origin_of(url) == state_->endpoint_origin && linked_etag.empty()) {
      linked_etag = answer.linked_etag;
    }
    answer.linked_etag = linked_etag;
    if (!is_redirect(answer.status) || !answer.failure.empty()) return answer;
    const std::string target = state_->redirect_target();
    if (!may_follow(url, target)) {
      answer.failure =
          fmt::format("{}: sends us to \"{}\", which is refused", host_of(url), host_of(target));
      return answer;
    }
    url = target;
  }
  Answer answer;
  answer.status = 310;  // no such status: too many redirects
  answer.failure = fmt::format("{}: more than {} redirects", host_of(request.url), kMaxRedirects);
  return answer;
}

}  // namespace steno::hub
