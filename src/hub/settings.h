// Where the hub is and where its files go: the environment variables that the Python package
// huggingface_hub reads, with the same meaning.
//
//   HF_ENDPOINT                      another hub or a mirror
//   HF_TOKEN, HF_TOKEN_PATH, $HF_HOME/token     who asks; sent to the endpoint alone
//   HF_HUB_CACHE, HF_HOME            the cache (weights/model_cache.h)
//   HF_HUB_OFFLINE                   1: no network
//   HF_HUB_DOWNLOAD_TIMEOUT          seconds without a byte until a transfer is tried again
//   CURL_CA_BUNDLE, SSL_CERT_FILE, REQUESTS_CA_BUNDLE    other certificates than the system's
// Proxies (HTTPS_PROXY, NO_PROXY, ...) are libcurl's own business.
#pragma once

#include <filesystem>
#include <string>

namespace steno::hub {

struct Settings {
  std::string endpoint = "https://huggingface.co";  // no slash at the end
  std::string token;                                // empty: none. Never in a message.
  std::filesystem::path cache;                      // holds models--org--name
  std::string certificates;                         // a file; empty: the system's
  bool is_offline = false;
  int connect_timeout_s = 15;
  int stall_timeout_s = 30;
  double retry_pause_s = 1;  // before the first retry; doubles from there
};

// Throws Error(kUsage) naming the variable whose value makes no sense.
Settings settings_from_environment();

}  // namespace steno::hub
