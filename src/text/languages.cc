#include "text/languages.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/utf8.h"

namespace steno::text {
namespace {

constexpr Language kLanguages[] = {
    {"en", "english"},        {"zh", "chinese"},     {"de", "german"},        {"es", "spanish"},
    {"ru", "russian"},        {"ko", "korean"},      {"fr", "french"},        {"ja", "japanese"},
    {"pt", "portuguese"},     {"tr", "turkish"},     {"pl", "polish"},        {"ca", "catalan"},
    {"nl", "dutch"},          {"ar", "arabic"},      {"sv", "swedish"},       {"it", "italian"},
    {"id", "indonesian"},     {"hi", "hindi"},       {"fi", "finnish"},       {"vi", "vietnamese"},
    {"he", "hebrew"},         {"uk", "ukrainian"},   {"el", "greek"},         {"ms", "malay"},
    {"cs", "czech"},          {"ro", "romanian"},    {"da", "danish"},        {"hu", "hungarian"},
    {"ta", "tamil"},          {"no", "norwegian"},   {"th", "thai"},          {"ur", "urdu"},
    {"hr", "croatian"},       {"bg", "bulgarian"},   {"lt", "lithuanian"},    {"la", "latin"},
    {"mi", "maori"},          {"ml", "malayalam"},   {"cy", "welsh"},         {"sk", "slovak"},
    {"te", "telugu"},         {"fa", "persian"},     {"lv", "latvian"},       {"bn", "bengali"},
    {"sr", "serbian"},        {"az", "azerbaijani"}, {"sl", "slovenian"},     {"kn", "kannada"},
    {"et", "estonian"},       {"mk", "macedonian"},  {"br", "breton"},        {"eu", "basque"},
    {"is", "icelandic"},      {"hy", "armenian"},    {"ne", "nepali"},        {"mn", "mongolian"},
    {"bs", "bosnian"},        {"kk", "kazakh"},      {"sq", "albanian"},      {"sw", "swahili"},
    {"gl", "galician"},       {"mr", "marathi"},     {"pa", "punjabi"},       {"si", "sinhala"},
    {"km", "khmer"},          {"sn", "shona"},       {"yo", "yoruba"},        {"so", "somali"},
    {"af", "afrikaans"},      {"oc", "occitan"},     {"ka", "georgian"},      {"be", "belarusian"},
    {"tg", "tajik"},          {"sd", "sindhi"},      {"gu", "gujarati"},      {"am", "amharic"},
    {"yi", "yiddish"},        {"lo", "lao"},         {"uz", "uzbek"},         {"fo", "faroese"},
    {"ht", "haitian creole"}, {"ps", "pashto"},      {"tk", "turkmen"},       {"nn", "nynorsk"},
    {"mt", "maltese"},        {"sa", "sanskrit"},    {"lb", "luxembourgish"}, {"my", "myanmar"},
    {"bo", "tibetan"},        {"tl", "tagalog"},     {"mg", "malagasy"},      {"as", "assamese"},
    {"tt", "tatar"},          {"haw", "hawaiian"},   {"ln", "lingala"},       {"ha", "hausa"},
    {"ba", "bashkir"},        {"jw", "javanese"},    {"su", "sundanese"},     {"yue", "cantonese"},
};

// Codes that mean one of the above: ISO 639-2/T in the order of kLanguages, then 639-2/B, then
// older or narrower ones. The second column is what people write, the first what Whisper calls it.
constexpr Language kOtherCodes[] = {
    {"en", "eng"}, {"zh", "zho"}, {"de", "deu"}, {"es", "spa"}, {"ru", "rus"}, {"ko", "kor"},
    {"fr", "fra"}, {"ja", "jpn"}, {"pt", "por"}, {"tr", "tur"}, {"pl", "pol"}, {"ca", "cat"},
    {"nl", "nld"}, {"ar", "ara"}, {"sv", "swe"}, {"it", "ita"}, {"id", "ind"}, {"hi", "hin"},
    {"fi", "fin"}, {"vi", "vie"}, {"he", "heb"}, {"uk", "ukr"}, {"el", "ell"}, {"ms", "msa"},
    {"cs", "ces"}, {"ro", "ron"}, {"da", "dan"}, {"hu", "hun"}, {"ta", "tam"}, {"no", "nor"},
    {"th", "tha"}, {"ur", "urd"}, {"hr", "hrv"}, {"bg", "bul"}, {"lt", "lit"}, {"la", "lat"},
    {"mi", "mri"}, {"ml", "mal"}, {"cy", "cym"}, {"sk", "slk"}, {"te", "tel"}, {"fa", "fas"},
    {"lv", "lav"}, {"bn", "ben"}, {"sr", "srp"}, {"az", "aze"}, {"sl", "slv"}, {"kn", "kan"},
    {"et", "est"}, {"mk", "mkd"}, {"br", "bre"}, {"eu", "eus"}, {"is", "isl"}, {"hy", "hye"},
    {"ne", "nep"}, {"mn", "mon"}, {"bs", "bos"}, {"kk", "kaz"}, {"sq", "sqi"}, {"sw", "swa"},
    {"gl", "glg"}, {"mr", "mar"}, {"pa", "pan"}, {"si", "sin"}, {"km", "khm"}, {"sn", "sna"},
    {"yo", "yor"}, {"so", "som"}, {"af", "afr"}, {"oc", "oci"}, {"ka", "kat"}, {"be", "bel"},
    {"tg", "tgk"}, {"sd", "snd"}, {"gu", "guj"}, {"am", "amh"}, {"yi", "yid"}, {"lo", "lao"},
    {"uz", "uzb"}, {"fo", "fao"}, {"ht", "hat"}, {"ps", "pus"}, {"tk", "tuk"}, {"nn", "nno"},
    {"mt", "mlt"}, {"sa", "san"}, {"lb", "ltz"}, {"my", "mya"}, {"bo", "bod"}, {"tl", "tgl"},
    {"mg", "mlg"}, {"as", "asm"}, {"tt", "tat"}, {"ln", "lin"}, {"ha", "hau"}, {"ba", "bak"},
    {"jw", "jav"}, {"su", "sun"}, {"sq", "alb"}, {"hy", "arm"}, {"eu", "baq"}, {"my", "bur"},
    {"zh", "chi"}, {"cs", "cze"}, {"nl", "dut"}, {"fr", "fre"}, {"ka", "geo"}, {"de", "ger"},
    {"el", "gre"}, {"is", "ice"}, {"mk", "mac"}, {"mi", "mao"}, {"ms", "may"}, {"fa", "per"},
    {"ro", "rum"}, {"sk", "slo"}, {"bo", "tib"}, {"cy", "wel"}, {"zh", "cmn"}, {"no", "nb"},
    {"no", "nob"}, {"jw", "jv"},  {"tl", "fil"}, {"he", "iw"},  {"id", "in"},  {"yi", "ji"},
    {"ro", "mo"},
};

constexpr Language kOtherNames[] = {
    {"my", "burmese"},       {"ca", "valencian"}, {"nl", "flemish"},   {"ht", "haitian"},
    {"lb", "letzeburgesch"}, {"ps", "pushto"},    {"pa", "panjabi"},   {"ro", "moldavian"},
    {"ro", "moldovan"},      {"si", "sinhalese"}, {"es", "castilian"}, {"zh", "mandarin"},
    {"tl", "filipino"},
};

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<std::string_view> find_code_by_name(std::string_view name,
                                                  std::span<const Language> table) {
  const auto found = std::ranges::find(table, name, &Language::name);
  return found == table.end() ? std::nullopt : std::optional(found->code);
}

std::optional<std::string_view> find_code(std::string_view code) {
  const auto found = std::ranges::find(kLanguages, code, &Language::code);
  if (found != std::end(kLanguages)) return found->code;
  return find_code_by_name(code, kOtherCodes);
}

// What may follow the language in a tag: "-us", "_jp", "-hans-cn"; each part has one to eight
// letters or digits.
bool are_subtags(std::string_view text) {
  constexpr std::size_t kMaxSubtag = 8;
  while (!text.empty()) {
    if (text[0] != '-' && text[0] != '_') return false;
    text.remove_prefix(1);
    const std::size_t size = std::min(text.find_first_of("-_"), text.size());
    const bool is_plain = std::ranges::all_of(text.substr(0, size), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    });
    if (size == 0 || size > kMaxSubtag || !is_plain) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace

std::span<const Language> languages() {
  return kLanguages;
}

std::optional<std::string_view> find_language_code(std::string_view text) {
  const std::string wanted = lower_ascii(utf8::strip(text));
  if (const auto code = find_code_by_name(wanted, kLanguages)) return code;
  if (const auto code = find_code_by_name(wanted, kOtherNames)) return code;
  const std::size_t end = std::min(wanted.find_first_of("-_"), wanted.size());
  if (!are_subtags(std::string_view(wanted).substr(end))) return std::nullopt;
  return find_code(std::string_view(wanted).substr(0, end));
}

std::optional<std::string_view> find_language_name(std::string_view code) {
  const auto found = std::ranges::find(kLanguages, code, &Language::code);
  return found == std::end(kLanguages) ? std::nullopt : std::optional(found->name);
}

}  // namespace steno::text
