#include "models/whisper/alignment_heads.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace steno::models::whisper {
namespace {

using nlohmann::json;

constexpr int kEnglish = 51864;
constexpr int k99Languages = 51865;
constexpr int k100Languages = 51866;

struct Released {
  DecoderSize size;
  std::vector<AlignmentHead> heads;
};

// large-v1 has the size of large-v2, and is rare: it gets the heads of large-v2.
const std::vector<Released>& released() {
  static const std::vector<Released> kTable = {
      // tiny.en, tiny
      {{4, 6, kEnglish}, {{1, 0}, {2, 0}, {2, 5}, {3, 0}, {3, 1}, {3, 2}, {3, 3}, {3, 4}}},
      {{4, 6, k99Languages}, {{2, 2}, {3, 0}, {3, 2}, {3, 3}, {3, 4}, {3, 5}}},
      // base.en, base
      {{6, 8, kEnglish}, {{3, 3}, {4, 7}, {5, 1}, {5, 5}, {5, 7}}},
      {{6, 8, k99Languages}, {{3, 1}, {4, 2}, {4, 3}, {4, 7}, {5, 1}, {5, 2}, {5, 4}, {5, 6}}},
      // small.en, small
      {{12, 12, kEnglish},
       {{6, 6},
        {7, 0},
        {7, 3},
        {7, 8},
        {8, 2},
        {8, 5},
        {8, 7},
        {9, 0},
        {9, 4},
        {9, 8},
        {9, 10},
        {10, 0},
        {10, 1},
        {10, 2},
        {10, 3},
        {10, 6},
        {10, 11},
        {11, 2},
        {11, 4}}},
      {{12, 12, k99Languages},
       {{5, 3}, {5, 9}, {8, 0}, {8, 4}, {8, 7}, {8, 8}, {9, 0}, {9, 7}, {9, 9}, {10, 5}}},
      // medium.en, medium
      {{24, 16, kEnglish},
       {{11, 4},
        {14, 1},
        {14, 12},
        {14, 14},
        {15, 4},
        {16, 0},
        {16, 4},
        {16, 9},
        {17, 12},
        {17, 14},
        {18, 7},
        {18, 10},
        {18, 15},
        {20, 0},
        {20, 3},
        {20, 9},
        {20, 14},
        {21, 12}}},
      {{24, 16, k99Languages}, {{13, 15}, {15, 4}, {15, 15}, {16, 1}, {20, 0}, {23, 4}}},
      // large-v2, large-v3, large-v3-turbo
      {{32, 20, k99Languages},
       {{10, 12}, {13, 17}, {16, 11}, {16, 12}, {16, 13}, {17, 15}, {17, 16}, {18, 4},
        {18, 11}, {18, 19}, {19, 11}, {21, 2},  {21, 3},  {22, 3},  {22, 9},  {22, 12},
        {23, 5},  {23, 7},  {23, 13}, {25, 5},  {26, 1},  {26, 12}, {27, 15}}},
      {{32, 20, k100Languages},
       {{7, 0},
        {10, 17},
        {12, 18},
        {13, 12},
        {16, 1},
        {17, 14},
        {19, 11},
        {21, 4},
        {24, 1},
        {25, 6}}},
      {{4, 20, k100Languages}, {{2, 4}, {2, 11}, {3, 3}, {3, 6}, {3, 11}, {3, 14}}},
  };
  return kTable;
}

bool is_index(const json& value, std::int64_t limit) {
  return value.is_number_integer() && value.get<double>() >= 0 &&
         value.get<double>() < static_cast<double>(limit);
}

std::optional<AlignmentHead> find_head(const json& pair, const DecoderSize& size) {
  if (!pair.is_array() || pair.size() != 2) return std::nullopt;
  if (!is_index(pair[0], size.num_layers) || !is_index(pair[1], size.num_heads)) {
    return std::nullopt;
  }
  return AlignmentHead{pair[0].get<int>(), pair[1].get<int>()};
}

}  // namespace

std::vector<AlignmentHead> listed_alignment_heads(const json& config, const DecoderSize& size) {
  const auto list = config.find("alignment_heads");
  if (list == config.end() || !list->is_array()) return {};
  std::vector<AlignmentHead> heads;
  for (const json& pair : *list) {
    const std::optional<AlignmentHead> head = find_head(pair, size);
    if (!head) return {};
    if (std::find(heads.begin(), heads.end(), *head) == heads.end()) heads.push_back(*head);
  }
  return heads;
}

std::vector<AlignmentHead> default_alignment_heads(const DecoderSize& size) {
  for (const Released& known : released()) {
    if (known.size.num_layers == size.num_layers && known.size.num_heads == size.num_heads &&
        known.size.vocab_size == size.vocab_size) {
      return known.heads;
    }
  }
  std::vector<AlignmentHead> heads;
  for (std::int64_t layer = size.num_layers / 2; layer < size.num_layers; ++layer) {
    for (std::int64_t head = 0; head < size.num_heads; ++head) {
      heads.push_back({static_cast<int>(layer), static_cast<int>(head)});
    }
  }
  return heads;
}

}  // namespace steno::models::whisper
