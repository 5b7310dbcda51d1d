#include "unit/weights/model_files.h"

#include <fmt/ranges.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>

#include "weights/ctranslate2.h"
#include "weights/safetensors.h"
#include "weights/torch_archive.h"

namespace steno::weights {

std::string safetensors_file(std::string_view header, std::string_view data) {
  return bytes_of_one<std::uint64_t>(header.size()) + std::string(header) + std::string(data);
}

std::string safetensors_file(const std::vector<RawTensor>& tensors) {
  std::string header = R"({"__metadata__":{"format":"pt"})";
  std::string data;
  for (const RawTensor& tensor : tensors) {
    header += fmt::format(R"(,"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                          tensor.name, tensor.dtype, fmt::join(tensor.shape, ","), data.size(),
                          data.size() + tensor.bytes.size());
    data += tensor.bytes;
  }
  return safetensors_file(header + "}", data);
}

std::string ct2_string(std::string_view text) {
  return bytes_of_one(static_cast<std::uint16_t>(text.size() + 1)) + std::string(text) + '\0';
}

std::string ct2_variable(const RawTensor& tensor) {
  std::string out = ct2_string(tensor.name);
  out += static_cast<char>(tensor.shape.size());
  for (const std::uint64_t dim : tensor.shape) out += bytes_of_one(static_cast<std::uint32_t>(dim));
  out += static_cast<char>(std::stoi(tensor.dtype));
  return out + bytes_of_one(static_cast<std::uint32_t>(tensor.bytes.size())) + tensor.bytes;
}

std::string ct2_file(const std::vector<RawTensor>& tensors,
                     const std::vector<std::pair<std::string, std::string>>& aliases,
                     std::uint32_t version) {
  std::string out = bytes_of_one(version) + ct2_string("WhisperSpec") + bytes_of_one(3u);
  out += bytes_of_one(static_cast<std::uint32_t>(tensors.size()));
  for (const RawTensor& tensor : tensors) out += ct2_variable(tensor);
  out += bytes_of_one(static_cast<std::uint32_t>(aliases.size()));
  for (const auto& [alias, target] : aliases) out += ct2_string(alias) + ct2_string(target);
  return out;
}

namespace {

constexpr std::uint32_t kIn64 = 0xffffffff;

std::uint32_t crc_of(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string number16(std::size_t value) {
  return bytes_of_one(static_cast<std::uint16_t>(value));
}
std::string number32(std::size_t value) {
  return bytes_of_one(static_cast<std::uint32_t>(value));
}
std::string number64(std::size_t value) {
  return bytes_of_one(static_cast<std::uint64_t>(value));
}

// Version, flags, method, time, date, CRC and sizes: the same in both headers.
std::string zip_fields(const ZipPart& part, std::size_t size) {
  const std::size_t field = part.is_zip64 ? kIn64 : size;
  return number16(part.flags) + number16(part.method) + number32(0) + number32(crc_of(part.bytes)) +
         number32(field) + number32(field) + number16(part.name.size());
}

std::string local_header(const ZipPart& part) {
  return "PK\x03\x04" + number16(45) + zip_fields(part, part.bytes.size()) + number16(0) +
         part.name;
}

std::string central_record(const ZipPart& part, std::size_t offset) {
  const std::size_t size = part.bytes.size() + part.size_change;
  const std::size_t place = offset + part.offset_change;
  std::string extra;
  if (part.is_zip64) {
    extra = number16(0x7777) + number16(1) + "x" + number16(1) + number16(24) + number64(size) +
            number64(size) + number64(place);
  }
  return "PK\x01\x02" + number16(45) + number16(45) + zip_fields(part, size) +
         number16(extra.size()) + number16(0) + number16(0) + number16(0) + number32(0) +
         number32(part.is_zip64 ? kIn64 : place) + part.name + extra;
}

std::string pickled_tuple(const std::vector<int>& numbers) {
  std::string out = "(";
  for (const int number : numbers) out += pickled_number(number);
  return out + "t";
}

}  // namespace

std::string zip_file(const std::vector<ZipPart>& parts, bool has_zip64_end,
                     std::string_view comment) {
  std::string out;
  std::string directory;
  for (const ZipPart& part : parts) {
    directory += central_record(part, out.size());
    out += local_header(part) + part.bytes;
  }
  const std::size_t begin = out.size();
  out += directory;
  if (has_zip64_end) {
    const std::size_t end = out.size();
    out += "PK\x06\x06" + number64(44) + number16(45) + number16(45) + number32(0) + number32(0) +
           number64(parts.size()) + number64(parts.size()) + number64(directory.size()) +
           number64(begin);
    out += "PK\x06\x07" + number32(0) + number64(end) + number32(1);
  }
  return out + "PK\x05\x06" + number16(0) + number16(0) +
         number16(has_zip64_end ? 0xffff : parts.size()) +
         number16(has_zip64_end ? 0xffff : parts.size()) +
         number32(has_zip64_end ? kIn64 : directory.size()) +
         number32(has_zip64_end ? kIn64 : begin) + number16(comment.size()) + std::string(comment);
}

std::string torch_file(const std::string& pickle,
                       const std::vector<std::pair<std::string, std::string>>& storages) {
  std::vector<ZipPart> parts = {{.name = "archive/data.pkl", .bytes = pickle},
                                {.name = "archive/byteorder", .bytes = "little"}};
  for (const auto& [key, bytes] : storages) {
    parts.push_back({.name = "archive/data/" + key, .bytes = bytes});
  }
  return zip_file(parts);
}

std::string pickled_text(std::string_view text) {
  return "X" + bytes_of_one(static_cast<std::uint32_t>(text.size())) + std::string(text);
}

std::string pickled_number(std::int32_t number) {
  return "J" + bytes_of_one(number);
}

std::string pickled_global(std::string_view module, std::string_view name) {
  return fmt::format("c{}\n{}\n", module, name);
}

std::string pickled_dict(const PickledItems& items) {
  std::string out = "}(";
  for (const auto& [key, value] : items) out += pickled_text(key) + value;
  return out + "u";
}

std::string pickled_tensor(std::string_view type, std::string_view key, int storage_elements,
                           int offset, const std::vector<int>& shape,
                           const std::vector<int>& strides) {
  const std::string storage =
      "(" + pickled_text("storage") + pickled_global("torch", std::string(type) + "Storage") +
      pickled_text(key) + pickled_text("cpu") + pickled_number(storage_elements) + "tQ";
  return pickled_global("torch._utils", "_rebuild_tensor_v2") + "(" + storage +
         pickled_number(offset) + pickled_tuple(shape) + pickled_tuple(strides) + "\x89" +
         pickled_global("collections", "OrderedDict") + ")RtR";
}

std::string pickled(const PickledItems& items) {
  return "\x80\x02" + pickled_dict(items) + ".";
}

std::unique_ptr<Checkpoint> open_torch_bytes(const std::string& bytes) {
  return open_torch(borrow_memory(std::as_bytes(std::span(bytes)), "test"));
}

std::unique_ptr<Checkpoint> open_safetensors_bytes(const std::string& bytes) {
  return open_safetensors(borrow_memory(std::as_bytes(std::span(bytes)), "model.safetensors"));
}

std::unique_ptr<Checkpoint> open_ct2_bytes(const std::string& bytes) {
  return open_ctranslate2(borrow_memory(std::as_bytes(std::span(bytes)), "model.bin"));
}

std::vector<float> floats_of(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.num_elements()};
}

TempFolder::TempFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "steno_weights_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw Error(ErrorCode::kUnavailable, "mkdtemp failed");
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempFolder::write(const std::string& name, std::string_view content) const {
  const std::filesystem::path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace steno::weights
