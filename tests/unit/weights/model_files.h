// Model files made byte by byte, for the tests of this room.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "weights/checkpoint.h"

namespace steno::weights {

// The bytes of plain values, one after another.
template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <typename T>
std::string bytes_of_one(T value) {
  return bytes_of(std::vector<T>{value});
}

struct RawTensor {
  std::string name;
  std::string dtype;  // the format's own code: "F32"; for CTranslate2 "0" to "5"
  std::vector<std::uint64_t> shape;
  std::string bytes;
};

// A header given as text, so that tests can lie in it.
std::string safetensors_file(std::string_view header, std::string_view data);
std::string safetensors_file(const std::vector<RawTensor>& tensors);

std::string ct2_string(std::string_view text);
std::string ct2_variable(const RawTensor& tensor);
std::string ct2_file(const std::vector<RawTensor>& tensors,
                     const std::vector<std::pair<std::string, std::string>>& aliases = {},
                     std::uint32_t version = 6);

// A stored entry of a zip archive. The numbers that tests lie about are those of the directory.
struct ZipPart {
  std::string name;
  std::string bytes;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::int64_t size_change = 0;    // of both sizes
  std::int64_t offset_change = 0;  // of the header's place
  bool is_zip64 = false;           // sizes and offset in the zip64 extra
};
std::string zip_file(const std::vector<ZipPart>& parts, bool has_zip64_end = false,
                     std::string_view comment = {});

// As torch.save writes it: archive/data.pkl, and archive/data/KEY for each storage.
std::string torch_file(const std::string& pickle,
                       const std::vector<std::pair<std::string, std::string>>& storages);

// Pickle opcodes of protocol 2. An item is a key and the opcodes that make its value.
using PickledItems = std::vector<std::pair<std::string, std::string>>;
std::string pickled_text(std::string_view text);
std::string pickled_number(std::int32_t number);
std::string pickled_global(std::string_view module, std::string_view name);
std::string pickled_dict(const PickledItems& items);
std::string pickled_tensor(std::string_view type, std::string_view key, int storage_elements,
                           int offset, const std::vector<int>& shape,
                           const std::vector<int>& strides);
std::string pickled(const PickledItems& items);  // a whole pickle of one dictionary

// Opens bytes that stay alive as long as the checkpoint's user keeps `bytes`.
std::unique_ptr<Checkpoint> open_safetensors_bytes(const std::string& bytes);
std::unique_ptr<Checkpoint> open_ct2_bytes(const std::string& bytes);
std::unique_ptr<Checkpoint> open_torch_bytes(const std::string& bytes);

std::vector<float> floats_of(const Tensor& tensor);

// The message of the Error(code) that `body` throws; a test failure when it throws none.
template <typename Body>
std::string message_of(ErrorCode code, Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.code() == code ? error.what() : std::string("another code: ") + error.what();
  }
  return "no error";
}

// An empty folder that is removed at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Makes the folders on the way.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace steno::weights
