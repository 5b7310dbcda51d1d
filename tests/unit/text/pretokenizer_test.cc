#include "text/pretokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace steno::text {
namespace {

using Pieces = std::vector<std::string_view>;

struct Case {
  std::string_view text;
  Pieces pieces;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << '"' << c.text << '"';
}

class Pretokenizer : public testing::TestWithParam<Case> {};

TEST_P(Pretokenizer, Splits) {
  EXPECT_EQ(split_into_pieces(GetParam().text), GetParam().pieces);
}

INSTANTIATE_TEST_SUITE_P(
    Words, Pretokenizer,
    testing::Values(Case{"", {}}, Case{"a", {"a"}}, Case{"Hello world", {"Hello", " world"}},
                    Case{"abc123def", {"abc", "123", "def"}},
                    Case{"a, b!?", {"a", ",", " b", "!?"}}, Case{"x_y", {"x", "_", "y"}},
                    Case{"<|endoftext|>", {"<|", "endoftext", "|>"}}, Case{"½²Ⅷ٣", {"½²Ⅷ٣"}}));

INSTANTIATE_TEST_SUITE_P(
    Contractions, Pretokenizer,
    testing::Values(Case{"it's", {"it", "'s"}},
                    Case{"we're've'll'd'm't", {"we", "'re", "'ve", "'ll", "'d", "'m", "'t"}},
                    Case{"'sound", {"'s", "ound"}}, Case{"IT'S", {"IT", "'", "S"}},
                    Case{" 's", {" '", "s"}}, Case{"''s", {"''", "s"}}, Case{"'", {"'"}},
                    Case{"'r", {"'", "r"}}, Case{"it’s", {"it", "’", "s"}}));

INSTANTIATE_TEST_SUITE_P(
    Spaces, Pretokenizer,
    testing::Values(
        Case{" ", {" "}}, Case{"   ", {"   "}}, Case{"  a", {" ", " a"}}, Case{"a  ", {"a", "  "}},
        Case{"a   b", {"a", "  ", " b"}}, Case{"a\nb", {"a", "\n", "b"}},
        Case{"a\n\nb", {"a", "\n", "\n", "b"}}, Case{"a \n b", {"a", " \n", " b"}},
        Case{"a \tb", {"a", " ", "\t", "b"}}, Case{" \t1", {" ", "\t", "1"}},
        Case{"a\u00A0b", {"a", "\u00A0", "b"}},  // NBSP is white space that never joins a word
        Case{"a \u00A0b", {"a", " ", "\u00A0", "b"}}, Case{"a\u00A0 b", {"a", "\u00A0", " b"}},
        Case{"\u3000\u2003x", {"\u3000", "\u2003", "x"}}, Case{"\u0085\u2028", {"\u0085\u2028"}},
        Case{"a\x1C\x1D"
             "b",
             {"a", "\x1C\x1D", "b"}},  // spaces for Python, not for this pattern
        Case{"a \x1F", {"a", " \x1F"}}, Case{"a\u200Bb", {"a", "\u200B", "b"}},
        Case{"\uFEFF a", {"\uFEFF", " a"}}));

INSTANTIATE_TEST_SUITE_P(
    Scripts, Pretokenizer,
    testing::Values(
        Case{"日本語。テスト", {"日本語", "。", "テスト"}},
        Case{"हिन्दी", {"ह", "ि", "न", "्", "द", "ी"}},  // vowel signs are marks, not letters
        Case{"e\u0301a", {"e", "\u0301", "a"}}, Case{"Straße ǅ ª", {"Straße", " ǅ", " ª"}},
        Case{"👩‍👩‍👧 ok", {"👩‍👩‍👧", " ok"}}, Case{"\uFFFD", {"\uFFFD"}},
        Case{"\U0010FFFF\U000E0001", {"\U0010FFFF\U000E0001"}},
        Case{std::string_view("a\0b", 3), {"a", std::string_view("\0", 1), "b"}}));

}  // namespace
}  // namespace steno::text
