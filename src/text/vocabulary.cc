#include "text/vocabulary.h"

#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"
#include "text/byte_alphabet.h"

namespace steno::text {
namespace {

namespace fs = std::filesystem;

// Seven times the largest vocabulary we know (152 k): a wrong id must not become a huge allocation.
constexpr std::int64_t kMaxTokens = 1 << 20;

// How a source file writes ordinary tokens.
enum class Form { kByteAlphabet, kBytes };

template <typename... Args>
[[noreturn]] void fail(const fs::path& file, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ErrorCode::kInvalidModel, "{}: {}", file.string(),
              fmt::format(format, std::forward<Args>(args)...));
}

// A token for a message: valid UTF-8 and short.
std::string quote(std::string_view token) {
  constexpr std::size_t kMaxBytes = 60;
  return fmt::format("\"{}{}\"", utf8::replace_invalid(token.substr(0, kMaxBytes)),
                     token.size() > kMaxBytes ? "..." : "");
}

bool looks_special(std::string_view token) {
  return token.size() > 4 && token.starts_with("<|") && token.ends_with("|>");
}

// Collects (token, id) pairs in any order and checks that they make a vocabulary.
class Builder {
 public:
  Builder(fs::path file, Form form) : file_(std::move(file)), form_(form) {}

  void add(std::string_view token, std::int64_t id, bool is_added = false) {
    if (id < 0 || id >= kMaxTokens) {
      fail(file_, "token {} has id {}, expected 0 to {}", quote(token), id, kMaxTokens - 1);
    }
    if (std::cmp_greater_equal(id, entries_.size()))
      entries_.resize(static_cast<std::size_t>(id) + 1);
    Entry& entry = entries_[static_cast<std::size_t>(id)];
    if (entry.token && *entry.token != token) {
      fail(file_, "tokens {} and {} have the same id {}", quote(*entry.token), quote(token), id);
    }
    entry.token = token;
    entry.is_added |= is_added;
  }

  Vocabulary finish() {
    check_holes();
    Vocabulary vocabulary;
    vocabulary.first_special = static_cast<int>(find_first_special());
    for (std::size_t id = 0; id < entries_.size(); ++id) {
      const bool special = std::cmp_greater_equal(id, vocabulary.first_special);
      vocabulary.tokens.push_back(special ? *entries_[id].token : bytes_of(id));
    }
    check_unique(vocabulary);
    return vocabulary;
  }

 private:
  struct Entry {
    std::optional<std::string> token;
    bool is_added = false;
  };

  void check_holes() const {
    for (std::size_t id = 0; id < entries_.size(); ++id) {
      if (!entries_[id].token) {
        fail(file_, "no token has id {}, though ids go up to {}", id, entries_.size() - 1);
      }
    }
  }

  std::size_t find_first_special() const {
    for (std::size_t id = 0; id < entries_.size(); ++id) {
      if (entries_[id].is_added || looks_special(*entries_[id].token)) return id;
    }
    return entries_.size();
  }

  std::string bytes_of(std::size_t id) const {
    const std::string& token = *entries_[id].token;
    if (form_ == Form::kBytes) return token;
    if (const auto bytes = try_bytes_from_alphabet(token)) return *bytes;
    fail(file_, "token {} (id {}) is not in GPT-2's byte alphabet: is this a byte-level BPE model?",
         quote(token), id);
  }

  // Encoding needs one id for a byte string and a token for every byte to fall back on.
  void check_unique(const Vocabulary& vocabulary) const {
    std::unordered_map<std::string_view, std::size_t> ids;
    for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
      const auto [other, is_new] = ids.emplace(vocabulary.tokens[id], id);
      if (!is_new) {
        fail(file_, "token {} is there twice, with ids {} and {}", quote(vocabulary.tokens[id]),
             other->second, id);
      }
    }
    for (int byte = 0; byte < 256; ++byte) {
      const auto found = ids.find(std::string(1, static_cast<char>(byte)));
      if (found == ids.end() || std::cmp_greater_equal(found->second, vocabulary.first_special)) {
        fail(file_,
             "no ordinary token for the single byte 0x{:02x} among the {} before the specials",
             byte, vocabulary.first_special);
      }
    }
  }

  fs::path file_;
  Form form_;
  std::vector<Entry> entries_;
};

std::int64_t id_of(const nlohmann::json& value, std::string_view token, const fs::path& file) {
  // TRAP: an unsigned value above 2^63 would wrap around in get<int64_t>().
  const bool fits =
      value.is_number_integer() &&
      !(value.is_number_unsigned() && std::cmp_greater(value.get<std::uint64_t>(), kMaxTokens));
  if (!fits)
    fail(file, "token {} has id {}, expected a whole number", quote(token), quote(value.dump()));
  return value.get<std::int64_t>();
}

void add_all(const nlohmann::json& ids_by_token, std::string_view what, bool are_added,
             const fs::path& file, Builder& builder) {
  if (!ids_by_token.is_object()) {
    fail(file, "{} is {}, expected an object of token to id", what, ids_by_token.type_name());
  }
  for (const auto& [token, id] : ids_by_token.items()) {
    builder.add(token, id_of(id, token, file), are_added);
  }
}

nlohmann::json parse_file(const fs::path& file) {
  return json::parse(file::read(file), file.string());
}

// The member `key` of an object, or null.
const nlohmann::json& member(const nlohmann::json& value, const char* key) {
  static const nlohmann::json kNull;
  const auto found = value.find(key);
  return found == value.end() ? kNull : *found;
}

void add_added_tokens(const nlohmann::json& list, const fs::path& file, Builder& builder) {
  if (list.is_null()) return;
  if (!list.is_array()) fail(file, "added_tokens is {}, expected an array", list.type_name());
  for (const nlohmann::json& token : list) {
    const nlohmann::json& content = member(token, "content");
    if (!content.is_string()) fail(file, "an added token has no text in \"content\"");
    const auto& name = content.get_ref<const std::string&>();
    builder.add(name, id_of(member(token, "id"), name, file), true);
  }
}

Vocabulary load_tokenizer_json(const fs::path& file) {
  return parse_tokenizer_json(file::read(file), file);
}

Vocabulary load_vocab_json(const fs::path& file) {
  Builder builder(file, Form::kByteAlphabet);
  add_all(parse_file(file), "the file", false, file, builder);
  const fs::path added = file.parent_path() / "added_tokens.json";
  std::error_code error;
  if (fs::exists(fs::symlink_status(added, error)))
    add_all(parse_file(added), "the file", true, added, builder);
  return builder.finish();
}

Vocabulary load_vocabulary_json(const fs::path& file) {
  const nlohmann::json tokens = parse_file(file);
  if (!tokens.is_array())
    fail(file, "the file is {}, expected an array of strings", tokens.type_name());
  Builder builder(file, Form::kByteAlphabet);
  for (std::int64_t id = 0; std::cmp_less(id, tokens.size()); ++id) {
    const nlohmann::json& token = tokens[static_cast<std::size_t>(id)];
    if (!token.is_string()) fail(file, "token {} is {}, expected a string", id, token.type_name());
    builder.add(token.get_ref<const std::string&>(), id);
  }
  return builder.finish();
}

// Takes the next line off `rest`, without its end ("\n" or "\r\n").
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Vocabulary load_vocabulary_txt(const fs::path& file) {
  return parse_vocabulary_txt(file::read(file), file);
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

std::optional<std::string> try_decode_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  unsigned bits = 0;
  int num_bits = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<unsigned>(digit);
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    bytes += static_cast<char>((bits >> num_bits) & 0xFF);
  }
  if (num_bits == 6) return std::nullopt;  // one digit left over is no byte
  return bytes;
}

std::optional<std::int64_t> try_parse_id(std::string_view digits) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return id;
}

}  // namespace

Vocabulary parse_tokenizer_json(std::string_view content, const fs::path& file) {
  const nlohmann::json root = json::parse(content, file.string());
  const nlohmann::json& model = member(root, "model");
  const nlohmann::json& type = member(model, "type");
  if (type.is_string() && type != "BPE") {
    fail(file, "model.type is {}, expected BPE", quote(type.get_ref<const std::string&>()));
  }
  Builder builder(file, Form::kByteAlphabet);
  add_all(member(model, "vocab"), "model.vocab", false, file, builder);
  add_added_tokens(member(root, "added_tokens"), file, builder);
  return builder.finish();
}

Vocabulary parse_vocabulary_txt(std::string_view content, const fs::path& file) {
  if (!utf8::is_valid(content)) fail(file, "not valid UTF-8");
  Builder builder(file, Form::kByteAlphabet);
  std::string_view rest = content;
  // TRAP: an empty line is a token too, the empty one of Whisper's multilingual vocabulary.
  for (std::int64_t id = 0; !rest.empty(); ++id) builder.add(take_line(rest), id);
  return builder.finish();
}

Vocabulary load_vocabulary(const fs::path& model_folder) {
  static constexpr std::pair<const char*, Vocabulary (*)(const fs::path&)> kSources[] = {
      {"tokenizer.json", load_tokenizer_json},
      {"vocab.json", load_vocab_json},
      {"vocabulary.json", load_vocabulary_json},
      {"vocabulary.txt", load_vocabulary_txt},
  };
  for (const auto& [name, load] : kSources) {
    // A link that leads nowhere is not absent: reading it says what is wrong.
    std::error_code error;
    if (fs::exists(fs::symlink_status(model_folder / name, error)))
      return load(model_folder / name);
  }
  throw Error(ErrorCode::kNotFound,
              "{}: no tokenizer there: expected tokenizer.json, vocab.json, vocabulary.json or "
              "vocabulary.txt",
              model_folder.string());
}

Vocabulary load_tiktoken_vocabulary(const fs::path& file, std::span<const std::string> specials) {
  const std::string content = file::read(file);
  Builder builder(file, Form::kBytes);
  std::string_view rest = content;
  std::int64_t num_tokens = 0;
  for (int line_number = 1; !rest.empty(); ++line_number) {
    const std::string_view line = take_line(rest);
    if (line.empty()) continue;
    // TRAP: "= 50256" is the empty token of the multilingual vocabulary. Skipping it would shift
    // every special.
    const std::size_t space = line.find(' ');
    const auto bytes = try_decode_base64(line.substr(0, space));
    const auto id =
        space == std::string_view::npos ? std::nullopt : try_parse_id(line.substr(space + 1));
    if (!bytes || !id) {
      fail(file, "line {} is {}, expected base64, a space and a rank", line_number, quote(line));
    }
    builder.add(*bytes, *id);
    ++num_tokens;
  }
  for (const std::string& special : specials) builder.add(special, num_tokens++, true);
  return builder.finish();
}

}  // namespace steno::text
