// The two hashes the hub names files by.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace steno::hub {

class Digest {
 public:
  // By the length of the hash that is expected: SHA-256 for 64 digits, else git's SHA-1 of a blob
  // of `size_bytes`, whose text begins with a header.
  Digest(std::size_t num_digits, std::uint64_t size_bytes);
  ~Digest();
  Digest(Digest&&) noexcept;

  void update(std::span<const char> bytes);
  // Lower-case hexadecimal. Ends the digest.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace steno::hub
