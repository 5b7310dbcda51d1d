#include "nn/page_table.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/error.h"

namespace steno::nn {
namespace {

TEST(PagePool, HandsOutEachPageOnceAndTakesThemBack) {
  PagePool pool(2, 4);
  const std::int32_t a = pool.take();
  const std::int32_t b = pool.take();
  EXPECT_NE(a, b);
  EXPECT_EQ(pool.num_free(), 0);
  EXPECT_THROW(pool.take(), Error);
  pool.release(a);
  EXPECT_EQ(pool.take(), a);
  EXPECT_TRUE(pool.is_consistent());
}

TEST(PagePool, ReleasingAFreePageIsABug) {
  PagePool pool(1, 4);
  EXPECT_THROW(pool.release(0), Error);
}

TEST(PageList, GrowsPageByPage) {
  PagePool pool(3, 4);
  PageList list(pool);
  for (int i = 0; i < 9; ++i) {
    const PageList::Appended appended = list.append();
    EXPECT_EQ(appended.slot.offset, i % 4);
    EXPECT_EQ(appended.slot.page, list.pages().back());
    EXPECT_FALSE(appended.copy.has_value());
  }
  EXPECT_EQ(list.num_tokens(), 9);
  EXPECT_EQ(list.pages().size(), 3U);
}

TEST(PageList, AForkSharesFullPagesAndCopiesThePartlyFilledOne) {
  PagePool pool(4, 4);
  PageList first(pool);
  for (int i = 0; i < 6; ++i) first.append();
  PageList second = first.fork();
  EXPECT_EQ(pool.num_free(), 2);

  const PageList::Appended appended = second.append();
  ASSERT_TRUE(appended.copy.has_value());
  EXPECT_EQ(appended.copy->from, first.pages()[1]);
  EXPECT_EQ(appended.copy->to, second.pages()[1]);
  EXPECT_EQ(second.pages()[0], first.pages()[0]);
  EXPECT_EQ(appended.slot.offset, 2);
  EXPECT_FALSE(first.append().copy.has_value()) << "now it is the only owner";
}

TEST(PageList, AForkAtAPageBoundaryCopiesNothing) {
  PagePool pool(4, 4);
  PageList first(pool);
  for (int i = 0; i < 4; ++i) first.append();
  PageList second = first.fork();
  EXPECT_FALSE(second.append().copy.has_value());
  EXPECT_FALSE(first.append().copy.has_value());
  EXPECT_NE(first.pages()[1], second.pages()[1]);
}

TEST(PageList, ForgetsItsLastTokens) {
  PagePool pool(4, 4);
  PageList list(pool);
  for (int i = 0; i < 9; ++i) list.append();
  list.truncate(5);
  EXPECT_EQ(list.num_tokens(), 5);
  EXPECT_EQ(list.pages().size(), 2U);
  EXPECT_EQ(list.append().slot.offset, 1);
  list.truncate(4);
  EXPECT_EQ(pool.num_free(), 3);
  EXPECT_EQ(list.append().slot.offset, 0);
  list.truncate(0);
  EXPECT_EQ(pool.num_free(), 4);
  EXPECT_THROW(list.truncate(1), Error);
  EXPECT_TRUE(pool.is_consistent());
}

TEST(PageList, GivesItsPagesBack) {
  PagePool pool(4, 2);
  {
    PageList first(pool);
    for (int i = 0; i < 4; ++i) first.append();
    PageList second = first.fork();
    second.append();
    PageList moved = std::move(second);
    EXPECT_EQ(moved.num_tokens(), 5);
  }
  EXPECT_EQ(pool.num_free(), 4);
  EXPECT_TRUE(pool.is_consistent());
}

// A beam search's life at random: every list must always hold the tokens it was given, as followed
// through slots and copies in a model of the memory.
TEST(PageList, RandomForksKeepEveryHistory) {
  constexpr int kPages = 200;
  constexpr int kPageTokens = 4;
  PagePool pool(kPages, kPageTokens);
  std::vector<int> memory(kPages * kPageTokens, -1);
  std::mt19937 random(3);
  std::vector<PageList> lists;
  std::vector<std::vector<int>> histories(5);
  for (int i = 0; i < 5; ++i) lists.emplace_back(pool);
  int next_token = 0;
  for (int step = 0; step < 60; ++step) {
    std::vector<PageList> forks;
    std::vector<std::vector<int>> fork_histories;
    for (int i = 0; i < 5; ++i) {
      const std::size_t source = random() % 5;
      forks.push_back(lists[source].fork());
      fork_histories.push_back(histories[source]);
    }
    lists = std::move(forks);
    histories = std::move(fork_histories);
    for (std::size_t i = 0; i < 5; ++i) {
      const PageList::Appended appended = lists[i].append();
      if (appended.copy) {
        for (int t = 0; t < kPageTokens; ++t) {
          memory[static_cast<std::size_t>(appended.copy->to * kPageTokens + t)] =
              memory[static_cast<std::size_t>(appended.copy->from * kPageTokens + t)];
        }
      }
      memory[static_cast<std::size_t>(appended.slot.page * kPageTokens + appended.slot.offset)] =
          next_token;
      histories[i].push_back(next_token++);
    }
    ASSERT_TRUE(pool.is_consistent());
    for (std::size_t i = 0; i < 5; ++i) {
      for (int t = 0; t < lists[i].num_tokens(); ++t) {
        const std::int32_t page = lists[i].pages()[static_cast<std::size_t>(t / kPageTokens)];
        ASSERT_EQ(memory[static_cast<std::size_t>(page * kPageTokens + t % kPageTokens)],
                  histories[i][static_cast<std::size_t>(t)]);
      }
    }
  }
}

}  // namespace
}  // namespace steno::nn
