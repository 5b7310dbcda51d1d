#include "hub/digest.h"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <string_view>

#include "base/check.h"

namespace steno::hub {

struct Digest::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  EVP_MD_CTX_free};
};

Digest::Digest(std::size_t num_digits, std::uint64_t size_bytes)
    : state_(std::make_unique<State>()) {
  constexpr std::size_t kSha256Digits = 64;
  const bool is_sha256 = num_digits == kSha256Digits;
  STENO_CHECK(
      EVP_DigestInit_ex(state_->context.get(), is_sha256 ? EVP_sha256() : EVP_sha1(), nullptr) == 1,
      "libcrypto refuses the digest");
  if (!is_sha256) {
    const std::string header = fmt::format("blob {}", size_bytes) + '\0';
    update(header);
  }
}

Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;

void Digest::update(std::span<const char> bytes) {
  STENO_CHECK(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1,
              "libcrypto refuses {} bytes", bytes.size());
}

std::string Digest::finish() {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  STENO_CHECK(EVP_DigestFinal_ex(state_->context.get(), bytes, &size) == 1,
              "libcrypto gives no digest");
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

}  // namespace steno::hub
