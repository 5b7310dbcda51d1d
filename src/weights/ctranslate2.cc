#include "weights/ctranslate2.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "weights/extent.h"
#include "weights/quote.h"

namespace steno::weights {
namespace {

constexpr std::uint32_t kMinVersion = 4;  // before, element types were guessed from their size
constexpr std::uint32_t kMaxVersion = 6;
constexpr std::string_view kScaleSuffix = "_scale";

// Fewest bytes that one takes in the file, by which an absurd count is seen before it is followed.
constexpr std::uint64_t kMinVariableBytes = 2 + 1 + 1 + 1 + 4;
constexpr std::uint64_t kMinAliasBytes = 2 * (2 + 1);

template <typename... Args>
Error invalid(const ByteSource& file, fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kInvalidModel, "weights: {}: {}", file.name(),
          fmt::format(format, std::forward<Args>(args)...)};
}

// Reads the table front to back through a small window and steps over the data.
class Cursor {
 public:
  explicit Cursor(const ByteSource& file) : file_(file) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return file_.size_bytes() - position_; }

  template <typename T>
  T number(std::string_view what) {
    T value;
    take(std::as_writable_bytes(std::span(&value, 1)), what);
    return value;
  }

  std::string string(std::string_view what) {
    std::string text(number<std::uint16_t>(what), '\0');
    take(std::as_writable_bytes(std::span(text)), what);
    if (text.empty() || text.back() != '\0') {
      throw invalid(file_, "{} before byte {} does not end in NUL", what, position_);
    }
    text.pop_back();
    return text;
  }

  // A count of things of which each takes at least `min_bytes`.
  std::uint32_t count(std::string_view what, std::uint64_t min_bytes) {
    const auto count = number<std::uint32_t>(what);
    if (count > remaining() / min_bytes) {
      throw invalid(file_, "claims {} {} but only {} bytes follow (cut off while downloading?)",
                    count, what, remaining());
    }
    return count;
  }

  void skip(std::uint64_t bytes, std::string_view what) {
    check_remaining(bytes, what);
    position_ += bytes;
  }

 private:
  void check_remaining(std::uint64_t bytes, std::string_view what) const {
    if (bytes > remaining()) {
      throw invalid(file_,
                    "{} at byte {} takes {} bytes but the file has {} (cut off while downloading?)",
                    what, position_, bytes, file_.size_bytes());
    }
  }

  void take(std::span<std::byte> out, std::string_view what) {
    check_remaining(out.size(), what);
    if (out.size() > window_.size()) {
      file_.read_at(position_, out);
    } else if (!out.empty()) {
      fill_window(out.size());
      std::memcpy(out.data(), window_.data() + (position_ - window_begin_), out.size());
    }
    position_ += out.size();
  }

  void fill_window(std::size_t needed) {
    if (position_ >= window_begin_ && position_ + needed <= window_end_) return;
    window_begin_ = position_;
    window_end_ = position_ + std::min<std::uint64_t>(window_.size(), remaining());
    file_.read_at(window_begin_, std::span(window_).first(window_end_ - window_begin_));
  }

  const ByteSource& file_;
  std::uint64_t position_ = 0;
  std::array<std::byte, 1024> window_{};  // some variable headers; more would read data in vain
  std::uint64_t window_begin_ = 0;
  std::uint64_t window_end_ = 0;
};

DType dtype_of(const ByteSource& file, std::uint8_t code, const std::string& name) {
  constexpr DType kCodes[] = {DType::kF32, DType::kI8,  DType::kI16,
                              DType::kI32, DType::kF16, DType::kBF16};
  if (code >= std::size(kCodes)) {
    throw invalid(file, "variable {}: the element type {} is not known", quote(name), code);
  }
  return kCodes[code];
}

TensorInfo read_variable(Cursor& cursor, const ByteSource& file) {
  TensorInfo tensor;
  tensor.name = cursor.string("a variable's name");
  std::vector<std::uint64_t> dims(cursor.number<std::uint8_t>("a rank"));
  for (std::uint64_t& dim : dims) dim = cursor.number<std::uint32_t>("a dimension");
  tensor.dtype = dtype_of(file, cursor.number<std::uint8_t>("an element type"), tensor.name);
  const auto data_bytes = cursor.number<std::uint32_t>("a byte count");

  const auto size = try_size_bytes(dims, steno::size_bytes(tensor.dtype));
  if (!size || *size != data_bytes) {
    throw invalid(file, "variable {}: {} elements of shape [{}] do not fill {} bytes",
                  quote(tensor.name), name(tensor.dtype), fmt::join(dims, ", "), data_bytes);
  }
  if (dims.size() > Shape::kMaxRank) {
    tensor.unreadable =
        fmt::format("it has {} dimensions; steno reads up to {}", dims.size(), Shape::kMaxRank);
  } else {
    tensor.shape = shape_of(dims);
  }
  tensor.offset = cursor.position();
  cursor.skip(data_bytes, "the data of " + quote(tensor.name));
  return tensor;
}

bool is_float(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

void check_scale(const TensorInfo& tensor, const TensorInfo& scale, const ByteSource& file) {
  const bool is_per_row = tensor.shape.rank() >= 1 && scale.shape.rank() == 1 &&
                          scale.shape.dim(0) == tensor.shape.dim(0);
  const bool is_one = scale.shape.num_elements() == 1;
  if (!is_float(scale.dtype) || !scale.unreadable.empty() || !(is_per_row || is_one)) {
    throw invalid(file, "variable {}: its scale is {} {} but {} {} needs one for each row or one",
                  quote(tensor.name), name(scale.dtype), scale.shape.to_string(),
                  name(tensor.dtype), tensor.shape.to_string());
  }
}

void link_scales(std::vector<TensorInfo>& tensors, const ByteSource& file) {
  std::map<std::string_view, int> index_by_name;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    index_by_name.emplace(tensors[i].name, static_cast<int>(i));
  }
  for (TensorInfo& tensor : tensors) {
    if (tensor.dtype != DType::kI8 && tensor.dtype != DType::kI16) continue;
    const auto found = index_by_name.find(tensor.name + std::string(kScaleSuffix));
    if (found != index_by_name.end()) {
      check_scale(tensor, tensors[found->second], file);
      tensor.scale = found->second;
      tensors[found->second].is_scale = true;
    } else if (tensor.name.ends_with("weight")) {  // CTranslate2's own rule for what is quantised
      throw invalid(file, "variable {}: is quantised but has no scale", quote(tensor.name));
    }
  }
}

void read_aliases(Cursor& cursor, const ByteSource& file, Contents& contents) {
  const std::uint32_t num_aliases = cursor.count("aliases", kMinAliasBytes);
  for (std::uint32_t i = 0; i < num_aliases; ++i) {
    std::string alias = cursor.string("an alias");
    std::string target = cursor.string("an alias's target");
    if (!contents.aliases.emplace(alias, target).second) {
      throw invalid(file, "the alias {} occurs twice", quote(alias));
    }
  }
}

std::string read_spec(Cursor& cursor, const ByteSource& file) {
  const auto version = cursor.number<std::uint32_t>("the version");
  if (version < kMinVersion || version > kMaxVersion) {
    throw invalid(
        file,
        "starts with {}, not a CTranslate2 binary version from {} to {} (is it a CTranslate2 "
        "model? convert it again with a current version)",
        version, kMinVersion, kMaxVersion);
  }
  std::string spec = cursor.string("the spec's name");
  cursor.skip(sizeof(std::uint32_t), "the spec's revision");
  return spec;
}

}  // namespace

std::unique_ptr<Checkpoint> open_ctranslate2(std::unique_ptr<ByteSource> file) {
  Cursor cursor(*file);
  Contents contents;
  contents.description = fmt::format("{} ({})", file->name(), read_spec(cursor, *file));
  const std::uint32_t num_variables = cursor.count("variables", kMinVariableBytes);
  for (std::uint32_t i = 0; i < num_variables; ++i) {
    contents.tensors.push_back(read_variable(cursor, *file));
  }
  link_scales(contents.tensors, *file);
  read_aliases(cursor, *file, contents);
  if (cursor.remaining() != 0) {
    throw invalid(*file, "{} bytes follow the last alias", cursor.remaining());
  }
  contents.sources.push_back(std::move(file));
  return std::make_unique<Checkpoint>(std::move(contents));
}

}  // namespace steno::weights
