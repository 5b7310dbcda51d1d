#include "scoring/english_numbers.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "scoring/characters.h"
#include "scoring/decimal.h"
#include "scoring/rewrites.h"

namespace steno::scoring {
namespace {

enum class Kind {
  kZero,
  kOnes,  // one to nineteen
  kOnesSuffixed,
  kTens,
  kTensSuffixed,
  kMultiplier,
  kMultiplierSuffixed,
  kPrefixBefore,  // "minus"
  kPrefixAfter,   // "dollars"
  kPer,
  kPercent,
  kAnd,
  kRepeat,  // "double", "triple"
  kPoint,
};

struct NumberWord {
  Kind kind;
  int value = 0;     // of a multiplier: the power of ten; of kRepeat: how often
  std::string text;  // the suffix or the prefix
};
using NumberWords = std::map<std::string, NumberWord, std::less<>>;

constexpr std::array kOnes = {"one",     "two",       "three",    "four",     "five",
                              "six",     "seven",     "eight",    "nine",     "ten",
                              "eleven",  "twelve",    "thirteen", "fourteen", "fifteen",
                              "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array kTens = {"twenty", "thirty",  "forty",  "fifty",
                              "sixty",  "seventy", "eighty", "ninety"};
constexpr std::pair<const char*, int> kMultipliers[] = {
    {"hundred", 2},     {"thousand", 3},     {"million", 6},      {"billion", 9},
    {"trillion", 12},   {"quadrillion", 15}, {"quintillion", 18}, {"sextillion", 21},
    {"septillion", 24}, {"octillion", 27},   {"nonillion", 30},   {"decillion", 33}};

void add_ones(NumberWords& words) {
  words["zeroth"] = {Kind::kOnesSuffixed, 0, "th"};
  words["first"] = {Kind::kOnesSuffixed, 1, "st"};
  words["second"] = {Kind::kOnesSuffixed, 2, "nd"};
  words["third"] = {Kind::kOnesSuffixed, 3, "rd"};
  words["fifth"] = {Kind::kOnesSuffixed, 5, "th"};
  words["twelfth"] = {Kind::kOnesSuffixed, 12, "th"};
  for (int value = 1; value <= static_cast<int>(kOnes.size()); ++value) {
    const std::string name = kOnes[static_cast<std::size_t>(value - 1)];
    words[name] = {Kind::kOnes, value, ""};
    words[name == "six" ? "sixes" : name + "s"] = {Kind::kOnesSuffixed, value, "s"};
    if (value > 3 && value != 5 && value != 12) {
      // TRAP: "nineth"; the reference does not know "ninth".
      words[name + (name.ends_with('t') ? "h" : "th")] = {Kind::kOnesSuffixed, value, "th"};
    }
  }
}

void add_tens_and_multipliers(NumberWords& words) {
  for (std::size_t i = 0; i < kTens.size(); ++i) {
    const std::string name = kTens[i];
    const std::string stem = name.substr(0, name.size() - 1);
    const int value = 10 * static_cast<int>(i + 2);
    words[name] = {Kind::kTens, value, ""};
    words[stem + "ies"] = {Kind::kTensSuffixed, value, "s"};
    words[stem + "ieth"] = {Kind::kTensSuffixed, value, "th"};
  }
  for (const auto& [name, power] : kMultipliers) {
    words[name] = {Kind::kMultiplier, power, ""};
    words[std::string(name) + "s"] = {Kind::kMultiplierSuffixed, power, "s"};
    words[std::string(name) + "th"] = {Kind::kMultiplierSuffixed, power, "th"};
  }
}

void add_signs_and_joints(NumberWords& words) {
  for (const char* name : {"o", "oh", "zero"}) words[name] = {Kind::kZero, 0, ""};
  for (const char* name : {"minus", "negative"}) words[name] = {Kind::kPrefixBefore, 0, "-"};
  for (const char* name : {"plus", "positive"}) words[name] = {Kind::kPrefixBefore, 0, "+"};
  for (const char* name : {"pound", "pounds"}) words[name] = {Kind::kPrefixAfter, 0, "£"};
  for (const char* name : {"euro", "euros"}) words[name] = {Kind::kPrefixAfter, 0, "€"};
  for (const char* name : {"dollar", "dollars"}) words[name] = {Kind::kPrefixAfter, 0, "$"};
  for (const char* name : {"cent", "cents"}) words[name] = {Kind::kPrefixAfter, 0, "¢"};
  words["per"] = {Kind::kPer, 0, ""};
  words["percent"] = {Kind::kPercent, 0, ""};
  words["and"] = {Kind::kAnd, 0, ""};
  words["double"] = {Kind::kRepeat, 2, ""};
  words["triple"] = {Kind::kRepeat, 3, ""};
  words["point"] = {Kind::kPoint, 0, ""};
}

const NumberWords& number_words() {
  static const NumberWords words = [] {
    NumberWords all;
    add_ones(all);
    add_tens_and_multipliers(all);
    add_signs_and_joints(all);
    return all;
  }();
  return words;
}

const NumberWord* find_number_word(std::string_view word) {
  const auto found = number_words().find(word);
  return found == number_words().end() ? nullptr : &found->second;
}

bool is_kind(const NumberWord* word, Kind kind) {
  return word != nullptr && word->kind == kind;
}

// What may follow "point".
bool is_decimal(const NumberWord* word) {
  return is_kind(word, Kind::kZero) || is_kind(word, Kind::kOnes) || is_kind(word, Kind::kTens);
}

// r"^\d+(\.\d+)?$"
bool is_numeric(std::string_view word) {
  const std::u32string text = decode_utf8(word);
  std::size_t num_points = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside = i > 0 && i + 1 < text.size();
    if (text[i] == U'.' && inside) {
      ++num_points;
    } else if (!is_digit(text[i])) {
      return false;
    }
  }
  return !text.empty() && num_points <= 1;
}

// Digits of any script as those of ASCII.
std::string ascii_digits(std::string_view text) {
  std::u32string result = decode_utf8(text);
  for (char32_t& c : result) {
    if (is_digit(c)) c = U'0' + static_cast<char32_t>(digit_value(c));
  }
  return encode_utf8(result);
}

std::string power_of_ten(int power) {
  return '1' + std::string(static_cast<std::size_t>(power), '0');
}

// A number as far as it has been read: a whole number that the next word may add to, or a text that
// it is written behind.
struct Number {
  std::string text;
  bool is_whole = false;
};

bool ends_in_zeros(const Number& n, std::size_t count) {
  return n.text == "0" || n.text.ends_with(std::string(count, '0'));
}

Number add_or_append(const Number& n, int value, bool adds) {
  if (adds) return {sum(n.text, std::to_string(value)), true};
  return {n.text + std::to_string(value), false};
}

Number with_ones(const Number& n, int ones, const NumberWord* previous) {
  if (!n.is_whole || is_kind(previous, Kind::kOnes)) {
    const bool fills_tens = is_kind(previous, Kind::kTens) && ones < 10;  // "one twenty three"
    const std::string kept = n.text.substr(0, n.text.size() - (fills_tens ? 1 : 0));
    return {kept + std::to_string(ones), false};
  }
  return add_or_append(n, ones, ends_in_zeros(n, ones < 10 ? 1 : 2));
}

Number with_tens(const Number& n, int tens) {
  return add_or_append(n, tens, n.is_whole && ends_in_zeros(n, 2));
}

// Reads words from left to right, each with its neighbours.
class NumberReader {
 public:
  std::vector<std::string> read(const std::vector<std::string>& words);

 private:
  struct Context {
    const std::string& word;
    const NumberWord* previous;
    const NumberWord* next;
    bool next_is_numeric;
    const std::string* next_text;

    bool number_follows() const { return next != nullptr || next_is_numeric; }
  };

  void read_word(const Context& at, const NumberWord& word);
  void read_digits(const std::string& word, const std::string& sign);
  void read_multiplier(int power);
  void read_multiplier_suffixed(const NumberWord& word);
  void read_joint(const Context& at, const NumberWord& word);
  void read_repeat(const Context& at, int times);

  // Begins a result: what was read so far, under its sign.
  void put(const std::string& text) {
    results_.push_back(prefix_ + text);
    prefix_.clear();
    number_.reset();
  }
  void put_number() {
    if (number_) put(std::string(number_->text));
  }
  void put_after_number(const std::string& word) {
    put_number();
    put(word);
  }
  // TRAP: a whole 0 counts as nothing here, as Python's `value or ""`.
  void append(const std::string& text) {
    const bool is_nothing = !number_ || (number_->is_whole && number_->text == "0");
    number_ = Number{(is_nothing ? "" : number_->text) + text, false};
  }

  std::vector<std::string> results_;
  std::string prefix_;
  std::optional<Number> number_;
  bool skips_next_ = false;
};

std::vector<std::string> NumberReader::read(const std::vector<std::string>& words) {
  constexpr std::string_view kSigns[] = {"-", "+", "£", "€", "$", "¢"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::exchange(skips_next_, false)) continue;
    const std::string& word = words[i];
    const std::string* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
    std::string sign;
    for (const std::string_view s : kSigns) {
      if (word.starts_with(s)) sign = s;
    }
    if (is_numeric(word.substr(sign.size()))) {
      read_digits(word, sign);
    } else if (const NumberWord* known = find_number_word(word)) {
      read_word({word, i > 0 ? find_number_word(words[i - 1]) : nullptr,
                 next ? find_number_word(*next) : nullptr, next && is_numeric(*next), next},
                *known);
    } else {
      put_after_number(word);
    }
  }
  put_number();
  return std::move(results_);
}

void NumberReader::read_digits(const std::string& word, const std::string& sign) {
  if (number_ && !number_->is_whole && number_->text.ends_with('.')) {
    number_->text += word;
    return;
  }
  put_number();
  if (!sign.empty()) prefix_ = sign;
  const std::string digits = word.substr(sign.size());
  const auto whole = scale_exactly(ascii_digits(digits), 0);
  number_ = whole ? Number{*whole, true} : Number{digits, false};
}

void NumberReader::read_word(const Context& at, const NumberWord& word) {
  switch (word.kind) {
    case Kind::kZero:
      return append("0");
    case Kind::kOnes:
      number_ = number_ ? with_ones(*number_, word.value, at.previous)
                        : Number{std::to_string(word.value), true};
      return;
    case Kind::kOnesSuffixed:
      return put((number_ ? with_ones(*number_, word.value, at.previous).text
                          : std::to_string(word.value)) +
                 word.text);
    case Kind::kTens:
      number_ =
          number_ ? with_tens(*number_, word.value) : Number{std::to_string(word.value), true};
      return;
    case Kind::kTensSuffixed:
      return put((number_ ? with_tens(*number_, word.value).text : std::to_string(word.value)) +
                 word.text);
    case Kind::kMultiplier:
      return read_multiplier(word.value);
    case Kind::kMultiplierSuffixed:
      return read_multiplier_suffixed(word);
    case Kind::kPrefixBefore:
      put_number();
      if (!at.number_follows()) return put(at.word);
      prefix_ = word.text;
      return;
    case Kind::kPrefixAfter:
      if (!number_) return put(at.word);
      prefix_ = word.text;
      return put_number();
    case Kind::kPer:
      if (!number_ || !at.next_text || *at.next_text != "cent") return put_after_number(at.word);
      skips_next_ = true;
      return put(number_->text + '%');
    case Kind::kPercent:
      return put(number_ ? number_->text + '%' : at.word);
    case Kind::kAnd:
    case Kind::kRepeat:
    case Kind::kPoint:
      return read_joint(at, word);
  }
}

void NumberReader::read_multiplier(int power) {
  if (!number_) {
    number_ = Number{power_of_ten(power), true};
  } else if (number_->is_whole && number_->text != "0") {
    number_->text = scale_last_three(number_->text, power);
  } else if (const auto scaled = scale_exactly(ascii_digits(number_->text), power)) {
    number_ = Number{*scaled, true};
  } else {
    put_number();
    number_ = Number{power_of_ten(power), true};
  }
}

void NumberReader::read_multiplier_suffixed(const NumberWord& word) {
  if (number_ && number_->is_whole) {
    put(scale_last_three(number_->text, word.value) + word.text);
    return;
  }
  if (number_) {
    if (const auto scaled = scale_exactly(ascii_digits(number_->text), word.value)) {
      put(*scaled + word.text);
      return;
    }
  }
  put_after_number(power_of_ten(word.value) + word.text);
}

// Words that join numbers, and are words like others where no number follows.
void NumberReader::read_joint(const Context& at, const NumberWord& word) {
  if (!at.number_follows()) return put_after_number(at.word);
  if (word.kind == Kind::kAnd) {
    // "a hundred and one": it says nothing.
    if (!is_kind(at.previous, Kind::kMultiplier)) put_after_number(at.word);
  } else if (word.kind == Kind::kRepeat) {
    read_repeat(at, word.value);
  } else if (is_decimal(at.next) || at.next_is_numeric) {
    append(".");
  }  // TRAP: before another number word "point" vanishes
}

void NumberReader::read_repeat(const Context& at, int times) {
  if (!is_kind(at.next, Kind::kOnes) && !is_kind(at.next, Kind::kZero)) {
    return put_after_number(at.word);
  }
  std::string digits;
  for (int i = 0; i < times; ++i) digits += std::to_string(at.next->value);
  append(digits);
  skips_next_ = true;
}

// The end of r"and\s+a\s+half" at `at`, or nothing.
std::optional<std::size_t> match_and_a_half(std::u32string_view text, std::size_t at) {
  constexpr std::u32string_view kWords[] = {U"and", U"a", U"half"};
  for (const std::u32string_view word : kWords) {
    const std::size_t begin = at;
    while (at < text.size() && is_space(text[at])) ++at;
    if ((word == kWords[0]) != (at == begin)) return std::nullopt;
    if (!text.substr(at).starts_with(word)) return std::nullopt;
    at += word.size();
  }
  return at;
}

// re.split(r"\band\s+a\s+half\b", text)
std::vector<std::u32string> split_at_and_a_half(std::u32string_view text) {
  std::vector<std::u32string> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto end = is_word_boundary(text, i) ? match_and_a_half(text, i) : std::nullopt;
    if (end && is_word_boundary(text, *end)) {
      parts.emplace_back(text.substr(begin, i - begin));
      begin = i = *end;
    } else {
      ++i;
    }
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

// "two and a half" -> "two point five"
std::u32string read_halves(std::u32string_view text) {
  const std::vector<std::u32string> parts = split_at_and_a_half(text);
  std::vector<std::u32string> results;
  for (const std::u32string& part : parts) {
    const std::vector<std::u32string> words = split(part);
    if (words.empty()) continue;  // TRAP: its "and a half" is lost
    results.push_back(part);
    if (&part == &parts.back()) break;
    const NumberWord* last = find_number_word(encode_utf8(words.back()));
    const bool is_number = is_decimal(last) || is_kind(last, Kind::kMultiplier);
    results.emplace_back(is_number ? U"point five" : U"and a half");
  }
  return join(results);
}

// A space between a letter and a digit.
std::u32string part_letters_and_digits(std::u32string_view text) {
  const auto is_letter = [](char32_t c) { return c >= U'a' && c <= U'z'; };
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && ((is_letter(text[i - 1]) && is_ascii_digit(text[i])) ||
                  (is_ascii_digit(text[i - 1]) && is_letter(text[i])))) {
      result += U' ';
    }
    result += text[i];
  }
  return result;
}

// Whether st, nd, rd, th or s stands at `at` and ends there.
bool is_suffix(std::u32string_view text, std::size_t at) {
  for (const std::u32string_view suffix : {U"st", U"nd", U"rd", U"th", U"s"}) {
    if (text.substr(at).starts_with(suffix) && is_word_boundary(text, at + suffix.size())) {
      return true;
    }
  }
  return false;
}

// r"([0-9])\s+(st|nd|rd|th|s)\b" -> r"\1\2"
std::u32string attach_suffixes(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (!is_ascii_digit(text[i])) continue;
    std::size_t end = i + 1;
    while (end < text.size() && is_space(text[end])) ++end;
    if (end > i + 1 && end < text.size() && is_suffix(text, end)) i = end - 1;
  }
  return result;
}

// The end of r"[0-9]{1,2}\b" at `at`, or nothing.
std::optional<std::size_t> match_two_digits(std::u32string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && end < at + 2 && is_ascii_digit(text[end])) ++end;
  if (end == at || !is_word_boundary(text, end)) return std::nullopt;
  return end;
}

bool is_currency(char32_t c) {
  return c == U'€' || c == U'£' || c == U'$';
}

// r"([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\b": "$2 and ¢7" -> "$2.07"
std::u32string combine_cents(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && is_ascii_digit(text[end])) ++end;
    std::size_t cents = end;
    for (const std::u32string_view part : {U" and ¢", U" ¢"}) {
      if (text.substr(end).starts_with(part)) cents = end + part.size();
    }
    const bool may_match = is_currency(text[i]) && end > i + 1 && cents > end;
    const auto cents_end = may_match ? match_two_digits(text, cents) : std::nullopt;
    if (cents_end) {
      result.append(text.substr(i, end - i)).append(*cents_end - cents == 1 ? U".0" : U".");
      result.append(text.substr(cents, *cents_end - cents));
    } else {
      result += text[i];
    }
    i = cents_end.value_or(i + 1);
  }
  return result;
}

// r"[€£$]0.([0-9]{1,2})\b": "$0.05" -> "¢5"
std::u32string extract_cents(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool may_match =
        is_currency(text[i]) && i + 3 < text.size() && text[i + 1] == U'0' && text[i + 2] != U'\n';
    const auto end = may_match ? match_two_digits(text, i + 3) : std::nullopt;
    if (end) {
      const bool has_zero = text[i + 3] == U'0' && *end == i + 5;
      result.append(U"¢").append(
          text.substr(i + (has_zero ? 4 : 3), *end - i - (has_zero ? 4 : 3)));
    } else {
      result += text[i];
    }
    i = end.value_or(i + 1);
  }
  return result;
}

// r"\b1(s?)\b" -> r"one\1"
std::u32string spell_one(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = i + (text.substr(i).starts_with(U"1s") ? 2 : 1);
    const bool is_one = text[i] == U'1' && is_word_boundary(text, i) && is_word_boundary(text, end);
    result += is_one ? U"one" : std::u32string(1, text[i]);
  }
  return result;
}

}  // namespace

std::u32string numbers_in_digits(std::u32string_view text) {
  const std::u32string prepared = attach_suffixes(part_letters_and_digits(read_halves(text)));
  std::vector<std::string> words;
  for (const std::u32string& word : split(prepared)) words.push_back(encode_utf8(word));

  std::vector<std::u32string> results;
  for (const std::string& word : NumberReader().read(words)) results.push_back(decode_utf8(word));
  return spell_one(extract_cents(combine_cents(join(results))));
}

}  // namespace steno::scoring
