#include "weights/torch_archive.h"

#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "weights/extent.h"
#include "weights/pickle.h"
#include "weights/quote.h"
#include "weights/zip_archive.h"

namespace steno::weights {
namespace {

constexpr std::uint64_t kMaxPickleBytes = 16 << 20;  // the largest Whisper's has 130 KB
constexpr std::size_t kMaxItems = 500'000;  // of all dictionaries; a shared one counts each time
constexpr std::size_t kMaxNameBytes = 1000;
constexpr int kMaxDepth = 3;  // {"model_state_dict": {"encoder.conv1.weight": tensor}} needs two

template <typename... Args>
Error invalid(const ByteSource& file, fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kInvalidModel, "weights: {}: {}", file.name(),
          fmt::format(format, std::forward<Args>(args)...)};
}

// "archive/data.pkl" -> "archive/"
std::string find_root(const ByteSource& file, const std::vector<ZipEntry>& entries) {
  constexpr std::string_view kPickle = "data.pkl";
  for (const ZipEntry& entry : entries) {
    const std::size_t slash = entry.name.find('/');
    if (slash != std::string::npos && std::string_view(entry.name).substr(slash + 1) == kPickle) {
      return entry.name.substr(0, slash + 1);
    }
  }
  throw invalid(file, "is a zip archive without data.pkl: it was not made by torch.save");
}

class Reader {
 public:
  explicit Reader(const ByteSource& file) : file_(file) {
    for (ZipEntry& entry : read_zip_directory(file)) entries_.push_back(std::move(entry));
    for (const ZipEntry& entry : entries_) entry_by_name_[entry.name] = &entry;
    root_ = find_root(file, entries_);
  }

  void read(Contents& contents) {
    check_byte_order();
    const std::string text = read_entry(*find(root_ + "data.pkl"), kMaxPickleBytes);
    pickle_ = parse_pickle(text, fmt::format("weights: {}: data.pkl", file_.name()));
    if (std::get_if<PickleDict>(&pickle_.values[pickle_.root]) == nullptr) {
      throw invalid(file_, "holds no dictionary of tensors (expected a state_dict)");
    }
    add_dict(pickle_.root, "", 1, contents);
  }

 private:
  const ZipEntry* find(const std::string& name) const {
    const auto found = entry_by_name_.find(name);
    return found == entry_by_name_.end() ? nullptr : found->second;
  }

  std::string read_entry(const ZipEntry& entry, std::uint64_t max_bytes) const {
    if (entry.size_bytes > max_bytes) {
      throw invalid(file_, "{} has {} bytes, more than any model needs ({})", quote(entry.name),
                    entry.size_bytes, max_bytes);
    }
    std::string text(entry.size_bytes, '\0');
    file_.read_at(entry.offset, std::as_writable_bytes(std::span(text)));
    const auto sum = ::crc32_z(0, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    if (sum != entry.crc32) {
      throw invalid(file_, "{} is damaged: its CRC-32 is {:08x}, expected {:08x}",
                    quote(entry.name), sum, entry.crc32);
    }
    return text;
  }

  void check_byte_order() const {
    const ZipEntry* order = find(root_ + "byteorder");
    if (order == nullptr) return;  // files before torch 2.1
    const std::string text = read_entry(*order, 16);
    if (text != "little") throw invalid(file_, "its byte order is {}, not little", quote(text));
  }

  void add_dict(PickleIndex index, const std::string& prefix, int depth, Contents& contents) {
    for (const auto& [key, value] : std::get<PickleDict>(pickle_.values[index]).items) {
      if (++num_items_ > kMaxItems) {
        throw invalid(file_, "holds more than {} values, more than any model has", kMaxItems);
      }
      const auto* name = std::get_if<std::string>(&pickle_.values[key]);
      if (name == nullptr) continue;  // a dictionary of something else
      if (name->size() > kMaxNameBytes) {
        throw invalid(file_, "holds a name of {} bytes: {}", name->size(), quote(*name));
      }
      add(value, prefix + *name, depth, contents);
    }
  }

  void add(PickleIndex index, const std::string& name, int depth, Contents& contents) {
    const PickleValue& value = pickle_.values[index];
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      contents.numbers[name] = *number;
    } else if (const auto* tensor = std::get_if<PickleTensor>(&value)) {
      contents.tensors.push_back(info_of(*tensor, name));
    } else if (std::get_if<PickleDict>(&value) != nullptr && depth < kMaxDepth) {
      add_dict(index, name + ".", depth + 1, contents);
    }
  }

  TensorInfo info_of(const PickleTensor& tensor, const std::string& name) const {
    const auto& storage = std::get<PickleStorage>(pickle_.values[tensor.storage]);
    TensorInfo info;
    info.name = name;
    if (!storage.unreadable.empty()) {
      info.unreadable = fmt::format("its storage is a {}", storage.unreadable);
      return info;
    }
    info.dtype = storage.dtype;
    const ZipEntry& entry = entry_of(storage, name);
    const std::uint64_t element_bytes = size_bytes(storage.dtype);
    const auto size = try_size_bytes(tensor.shape, element_bytes);
    const std::uint64_t storage_elements = entry.size_bytes / element_bytes;
    if (!size || tensor.offset > storage_elements ||
        *size / element_bytes > storage_elements - tensor.offset) {
      throw invalid(file_,
                    "tensor {}: shape [{}] from element {} leaves its storage of {} elements",
                    quote(name), fmt::join(tensor.shape, ", "), tensor.offset, storage_elements);
    }
    info.offset = entry.offset + tensor.offset * element_bytes;
    if (tensor.shape.size() > Shape::kMaxRank) {
      info.unreadable = fmt::format("it has {} dimensions; steno reads up to {}",
                                    tensor.shape.size(), Shape::kMaxRank);
      return info;
    }
    info.shape = shape_of(tensor.shape);
    if (!is_contiguous(tensor)) {
      info.unreadable = fmt::format(
          "its rows do not lie one after another (strides [{}]; save tensor.contiguous())",
          fmt::join(tensor.strides, ", "));
    }
    return info;
  }

  const ZipEntry& entry_of(const PickleStorage& storage, const std::string& name) const {
    const ZipEntry* entry = find(root_ + "data/" + storage.key);
    if (entry == nullptr) {
      throw invalid(file_, "tensor {}: its storage {} is not in the archive", quote(name),
                    quote("data/" + storage.key));
    }
    const std::uint64_t element_bytes = size_bytes(storage.dtype);
    if (entry->size_bytes % element_bytes != 0 ||
        entry->size_bytes / element_bytes != storage.num_elements) {
      throw invalid(file_, "tensor {}: its storage has {} bytes, not the {} elements it claims",
                    quote(name), entry->size_bytes, storage.num_elements);
    }
    return *entry;
  }

  // Strides of dimensions of one element mean nothing.
  static bool is_contiguous(const PickleTensor& tensor) {
    std::uint64_t expected = 1;
    for (std::size_t i = tensor.shape.size(); i-- > 0;) {
      if (tensor.shape[i] == 0) return true;
      if (tensor.shape[i] > 1 && tensor.strides[i] != expected) return false;
      expected *= tensor.shape[i];
    }
    return true;
  }

  const ByteSource& file_;
  std::vector<ZipEntry> entries_;
  std::map<std::string_view, const ZipEntry*> entry_by_name_;
  std::string root_;
  Pickle pickle_;
  std::size_t num_items_ = 0;
};

}  // namespace

std::unique_ptr<Checkpoint> open_torch(std::unique_ptr<ByteSource> file) {
  Contents contents;
  contents.description = file->name();
  Reader(*file).read(contents);
  if (contents.tensors.empty()) throw invalid(*file, "holds no tensors");
  contents.sources.push_back(std::move(file));
  return std::make_unique<Checkpoint>(std::move(contents));
}

std::vector<std::filesystem::path> torch_files(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->path().extension() == ".pt" && it->is_regular_file(ignored))
      found.push_back(it->path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace steno::weights
