#include "unit/weights/model_files.h"

#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>

#include "weights/ctranslate2.h"
#include "weights/safetensors.h"

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
