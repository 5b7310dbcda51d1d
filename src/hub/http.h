// GET over HTTPS, as the hub wants it: libcurl behind one function.
//
// Redirects are followed here and not by libcurl, so that the token goes to the endpoint's own
// origin (scheme, host and port) and nowhere else, and nothing falls back from https to http.
// Threads: an Http belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hub/settings.h"

namespace steno::hub {

struct Answer {
  int status = 0;       // 0: there was none
  std::string failure;  // why it did not come, or not wholly; empty: it did
  std::optional<int> retry_after_s;
  std::uint64_t first_byte = 0;  // of the file, by Content-Range; 0 for a whole answer
  std::string linked_etag;       // the hub's name for the content, without quotes; may be empty

  bool is_whole() const { return failure.empty() && (status == 200 || status == 206); }
  // Worth another try: the connection broke or the server is busy.
  bool is_transient() const;
};

struct Request {
  std::string url;
  std::uint64_t first_byte = 0;  // asks for the file from there on
  // Called before the body of an answer 200 or 206, then with each piece of it. What they throw
  // ends the transfer and is thrown on by get().
  std::function<void(const Answer&)> on_begin;
  std::function<void(std::span<const char>)> on_bytes;
};

// "https://host:port" in lower case with the port always there; empty for what is no http URL.
std::string origin_of(std::string_view url);
// Whether a redirect may be followed: http or https, and never from https to http.
bool may_follow(std::string_view from_url, std::string_view to_url);

class Http {
 public:
  explicit Http(const Settings& settings);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  // What the network does wrong is in the answer. Throws only what the request's functions throw.
  Answer get(const Request& request);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace steno::hub
