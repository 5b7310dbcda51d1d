#include "models/whisper/tokenizer_files.h"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "models/whisper/vocabulary.h"
#include "text/languages.h"
#include "weights/model_cache.h"

namespace steno::models::whisper {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNumTimestamps = 1501;
constexpr std::int64_t kNumControls = 8;  // eot, sot and the six after the languages
constexpr std::int64_t kReleasedMultilingualSize = 51865;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file, ignored));
}

std::optional<text::Tokenizer> try_own_files(const fs::path& folder) {
  for (const char* name : {"tokenizer.json", "vocab.json", "vocabulary.json", "vocabulary.txt"}) {
    if (is_there(folder / name)) return text::Tokenizer::load(folder);
  }
  return std::nullopt;
}

// whisper/tokenizer.py get_encoding. The file does not name the specials, so how many languages
// there are follows from the number of ids that are left.
std::vector<std::string> specials_after(std::int64_t num_ranks, std::int64_t vocab_size,
                                        const fs::path& file) {
  const std::int64_t num_languages = vocab_size - num_ranks - kNumControls - kNumTimestamps;
  const auto known = text::languages();
  if (num_languages < 1 || num_languages > static_cast<std::int64_t>(known.size())) {
    throw Error(ErrorCode::kInvalidModel,
                "{}: has {} tokens, which does not fit a model of {}: do they belong together?",
                file.string(), num_ranks, vocab_size);
  }
  std::vector<std::string> names = {"<|endoftext|>", "<|startoftranscript|>"};
  for (std::int64_t i = 0; i < num_languages; ++i) {
    names.push_back(fmt::format("<|{}|>", known[static_cast<std::size_t>(i)].code));
  }
  for (const char* name :
       {"translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"}) {
    names.push_back(fmt::format("<|{}|>", name));
  }
  for (std::int64_t i = 0; i < kNumTimestamps; ++i) {
    names.push_back(fmt::format("<|{:.2f}|>", static_cast<double>(i) * kSecondsPerTimestamp));
  }
  return names;
}

text::Tokenizer load_tiktoken(const fs::path& file, const Config& config) {
  const auto ranks =
      static_cast<std::int64_t>(text::load_tiktoken_vocabulary(file, {}).tokens.size());
  return text::Tokenizer(
      text::load_tiktoken_vocabulary(file, specials_after(ranks, config.vocab_size, file)));
}

const char* tiktoken_name(const Config& config) {
  return config.vocab_size >= kReleasedMultilingualSize ? "multilingual.tiktoken" : "gpt2.tiktoken";
}

// A tokenizer whose specials end where this model's vocabulary does is the same one: the sizes of
// the English-only, 99-language and 100-language vocabularies differ.
std::optional<text::Tokenizer> try_cached_model(const Config& config) {
  for (const weights::ModelEntry& entry : weights::list_models()) {
    try {
      text::Tokenizer tokenizer = text::Tokenizer::load(entry.path);
      load_vocabulary(tokenizer, config);
      log::info("the tokenizer is that of the model {} in {}", entry.name, entry.path.string());
      return tokenizer;
    } catch (const Error&) {
      continue;  // no tokenizer there, or another one
    }
  }
  return std::nullopt;
}

}  // namespace

text::Tokenizer find_tokenizer(const fs::path& model, const Config& config) {
  std::error_code ignored;
  const fs::path folder = fs::is_directory(model, ignored) ? model : model.parent_path();
  if (config.layout != Layout::kOpenAI) return text::Tokenizer::load(folder);
  if (auto own = try_own_files(folder)) return *std::move(own);
  const fs::path tiktoken = folder / tiktoken_name(config);
  if (is_there(tiktoken)) return load_tiktoken(tiktoken, config);
  if (auto cached = try_cached_model(config)) return *std::move(cached);
  throw Error(ErrorCode::kNotFound,
              "{}: a .pt file comes without its tokenizer, and no model in the caches has that of "
              "{} tokens: put {} (of the Python package openai-whisper, folder whisper/assets) or "
              "the model's tokenizer.json beside it",
              model.string(), config.vocab_size, tiktoken_name(config));
}

}  // namespace steno::models::whisper
