#include "weights/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "weights/extent.h"
#include "weights/quote.h"

namespace steno::weights {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the reference implementation

template <typename... Args>
Error invalid(const std::string& file, fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kInvalidModel, "weights: {}: {}", file,
          fmt::format(format, std::forward<Args>(args)...)};
}

std::uint64_t read_header_bytes(const ByteSource& file) {
  if (file.size_bytes() < kLengthBytes) {
    throw invalid(file.name(), "has {} bytes, too few for a safetensors file", file.size_bytes());
  }
  std::uint64_t length = 0;
  file.read_at(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMaxHeaderBytes) {
    throw invalid(file.name(),
                  "the header claims {} bytes, more than the {} that safetensors allows (is it a "
                  "safetensors file?)",
                  length, kMaxHeaderBytes);
  }
  if (length > file.size_bytes() - kLengthBytes) {
    throw invalid(file.name(),
                  "the header claims {} bytes but the file has {} (cut off while downloading?)",
                  length, file.size_bytes());
  }
  return length;
}

// A JSON parser keeps the last of two equal keys without a word; this callback sees both.
json parse_header(const std::string& text, const std::string& file) {
  constexpr int kMaxDepth = 4;                   // {name: {"shape": [...]}} needs three
  constexpr std::size_t kMaxValues = 2'000'000;  // as base/json.h
  std::set<std::string> names;
  std::size_t num_values = 0;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    const bool is_value = event == json::parse_event_t::value ||
                          event == json::parse_event_t::array_start ||
                          event == json::parse_event_t::object_start;
    num_values += is_value ? 1 : 0;
    if (num_values > kMaxValues) {
      throw invalid(file, "the header has more than {} values", kMaxValues);
    }
    if (depth > kMaxDepth) throw invalid(file, "the header is nested too deep");
    const bool is_name = event == json::parse_event_t::key && depth == 1;
    if (is_name && !names.insert(parsed.get<std::string>()).second) {
      throw invalid(file, "the name {} occurs twice", quote(parsed.get<std::string>()));
    }
    return true;
  };
  try {
    json header = json::parse(text, watch);
    if (!header.is_object()) throw invalid(file, "the header is not a JSON object");
    return header;
  } catch (const json::parse_error& error) {
    throw invalid(file, "the header is not JSON: it is malformed at byte {}",
                  kLengthBytes + error.byte);
  } catch (const json::exception&) {  // a number like 1e999
    throw invalid(file, "the header is not JSON: it has a number that no double can hold");
  }
}

std::optional<DType> try_dtype(std::string_view code) {
  if (code == "F32") return DType::kF32;
  if (code == "F16") return DType::kF16;
  if (code == "BF16") return DType::kBF16;
  if (code == "I8") return DType::kI8;
  if (code == "U8") return DType::kU8;
  if (code == "I16") return DType::kI16;
  if (code == "I32") return DType::kI32;
  if (code == "I64") return DType::kI64;
  return std::nullopt;
}

// One header entry, its types checked but not yet its numbers.
struct Entry {
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::optional<std::vector<std::uint64_t>> try_numbers(const json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const json& number : *found) {
    if (!number.is_number_unsigned()) return std::nullopt;
    numbers.push_back(number.get<std::uint64_t>());
  }
  return numbers;
}

std::optional<Entry> try_entry(const json& value) {
  if (!value.is_object()) return std::nullopt;
  const auto dtype = value.find("dtype");
  auto shape = try_numbers(value, "shape");
  const auto offsets = try_numbers(value, "data_offsets");
  if (dtype == value.end() || !dtype->is_string() || !shape || !offsets || offsets->size() != 2) {
    return std::nullopt;
  }
  return Entry{dtype->get<std::string>(), *std::move(shape), (*offsets)[0], (*offsets)[1]};
}

// Checks the size that shape and type ask for, or says why the tensor cannot be read.
void fill_info(const Entry& entry, const std::string& file, TensorInfo& tensor) {
  const std::optional<DType> dtype = try_dtype(entry.dtype);
  if (!dtype) {
    tensor.unreadable = fmt::format(
        "its element type is {}; steno reads F32, F16, BF16, I8, U8, I16, "
        "I32 and I64",
        quote(entry.dtype));
    return;
  }
  tensor.dtype = *dtype;
  const auto size = try_size_bytes(entry.shape, steno::size_bytes(*dtype));
  if (!size || *size != entry.end - entry.begin) {
    throw invalid(file, "tensor {}: {} elements of shape [{}] do not fill {} bytes",
                  quote(tensor.name), entry.dtype, fmt::join(entry.shape, ", "),
                  entry.end - entry.begin);
  }
  if (entry.shape.size() > Shape::kMaxRank) {
    tensor.unreadable = fmt::format("it has {} dimensions; steno reads up to {}",
                                    entry.shape.size(), Shape::kMaxRank);
    return;
  }
  tensor.shape = shape_of(entry.shape);
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string_view name;
};

void check_no_overlap(std::vector<Range> ranges, const std::string& file) {
  std::erase_if(ranges, [](const Range& range) { return range.begin == range.end; });
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[i - 1].end) {
      throw invalid(file, "the tensors {} and {} overlap", quote(ranges[i - 1].name),
                    quote(ranges[i].name));
    }
  }
}

std::vector<TensorInfo> read_table(const ByteSource& file, int source) {
  std::string text(read_header_bytes(file), '\0');
  file.read_at(kLengthBytes, std::as_writable_bytes(std::span(text)));
  const std::uint64_t data_begin = kLengthBytes + text.size();
  const std::uint64_t data_bytes = file.size_bytes() - data_begin;
  const json header = parse_header(text, file.name());

  std::vector<TensorInfo> tensors;
  std::vector<Range> ranges;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") continue;
    const std::optional<Entry> entry = try_entry(value);
    if (!entry) {
      throw invalid(file.name(), "tensor {}: dtype, shape or data_offsets is missing or malformed",
                    quote(name));
    }
    if (entry->begin > entry->end || entry->end > data_bytes) {
      throw invalid(file.name(),
                    "tensor {}: claims bytes {} to {} of {} bytes of data (cut off while "
                    "downloading?)",
                    quote(name), entry->begin, entry->end, data_bytes);
    }
    TensorInfo tensor;
    tensor.name = name;
    tensor.source = source;
    tensor.offset = data_begin + entry->begin;
    fill_info(*entry, file.name(), tensor);
    tensors.push_back(std::move(tensor));
    ranges.push_back({entry->begin, entry->end, header.find(name).key()});
  }
  check_no_overlap(std::move(ranges), file.name());
  return tensors;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

// Which shard each tensor is said to be in.
std::map<std::string, std::string> read_weight_map(const std::filesystem::path& index) {
  const json root = steno::json::parse(file::read(index), index.string());
  const auto map = root.is_object() ? root.find("weight_map") : root.end();
  if (map == root.end() || !map->is_object()) {
    throw invalid(index.string(), "has no object \"weight_map\"");
  }
  std::map<std::string, std::string> shard_of;
  for (const auto& [name, shard] : map->items()) {
    if (!shard.is_string() || !is_plain_name(shard.get_ref<const std::string&>())) {
      throw invalid(
          index.string(), "tensor {}: the shard {} is not the name of a file beside the index",
          quote(name), shard.is_string() ? quote(shard.get<std::string>()) : std::string("given"));
    }
    shard_of[name] = shard.get<std::string>();
  }
  return shard_of;
}

std::vector<std::string> distinct_shards(const std::map<std::string, std::string>& shard_of) {
  std::set<std::string> shards;
  for (const auto& [name, shard] : shard_of) shards.insert(shard);
  return {shards.begin(), shards.end()};
}

std::unique_ptr<ByteSource> open_shard(const std::filesystem::path& index,
                                       const std::string& shard) {
  const std::filesystem::path path = index.parent_path() / shard;
  if (!std::filesystem::is_regular_file(path)) {
    throw Error(ErrorCode::kNotFound,
                "weights: {}: the shard {} is missing (download not finished?)", index.string(),
                quote(shard));
  }
  return open_file(path);
}

}  // namespace

std::unique_ptr<Checkpoint> open_safetensors(std::unique_ptr<ByteSource> file) {
  Contents contents;
  contents.description = file->name();
  contents.tensors = read_table(*file, 0);
  contents.sources.push_back(std::move(file));
  return std::make_unique<Checkpoint>(std::move(contents));
}

std::unique_ptr<Checkpoint> open_safetensors_shards(const std::filesystem::path& index) {
  const std::map<std::string, std::string> shard_of = read_weight_map(index);
  Contents contents;
  contents.description = index.string();
  for (const std::string& shard : distinct_shards(shard_of)) {
    const auto source = static_cast<int>(contents.sources.size());
    contents.sources.push_back(open_shard(index, shard));
    for (TensorInfo& tensor : read_table(*contents.sources.back(), source)) {
      contents.tensors.push_back(std::move(tensor));
    }
  }
  auto checkpoint = std::make_unique<Checkpoint>(std::move(contents));
  for (const auto& [name, shard] : shard_of) {
    if (checkpoint->find(name) == nullptr) {
      throw invalid(index.string(), "tensor {} should be in {}, which does not have it",
                    quote(name), quote(shard));
    }
  }
  return checkpoint;
}

std::vector<std::string> shard_names(const std::filesystem::path& index) {
  return distinct_shards(read_weight_map(index));
}

}  // namespace steno::weights
