#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"

namespace steno {
namespace {

class ThreadPoolTest : public testing::TestWithParam<int> {
 protected:
  ThreadPool pool_{GetParam()};
};

TEST_P(ThreadPoolTest, EveryIndexIsVisitedOnce) {
  for (const std::size_t size : {0U, 1U, 2U, 7U, 1000U, 100000U}) {
    for (const std::size_t grain : {1U, 3U, 1000U}) {
      std::vector<int> visits(size, 0);
      pool_.parallel_for(size, grain, [&](std::size_t begin, std::size_t end, int worker) {
        EXPECT_LE(end - begin, grain);
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, pool_.num_threads());
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), std::ssize(visits));
    }
  }
}

TEST_P(ThreadPoolTest, AWorkersMemoryIsItsOwn) {
  std::vector<long> sums(pool_.num_threads());
  pool_.parallel_for(10000, 1, [&](std::size_t begin, std::size_t, int worker) {
    sums[worker] += static_cast<long>(begin);
  });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0L), 10000L * 9999 / 2);
}

TEST_P(ThreadPoolTest, WhatAPieceWroteIsSeenAfterwards) {
  std::vector<int> values(64, 0);
  for (int round = 1; round <= 10000; ++round) {
    pool_.parallel_for(64, 8, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) values[i] += 1;
    });
    ASSERT_EQ(std::count(values.begin(), values.end(), round), 64) << round;
  }
}

TEST_P(ThreadPoolTest, TheFirstExceptionComesOutAfterAllPieces) {
  std::atomic<int> num_pieces{0};
  const auto work = [&](std::size_t begin, std::size_t, int) {
    ++num_pieces;
    if (begin == 5) throw std::runtime_error("piece 5");
  };
  EXPECT_THROW(pool_.parallel_for(20, 1, work), std::runtime_error);
  if (GetParam() > 1) {
    EXPECT_EQ(num_pieces, 20);
  }
  // The pool is as good as before.
  num_pieces = 0;
  pool_.parallel_for(5, 1, work);
  EXPECT_EQ(num_pieces, 5);
}

TEST_P(ThreadPoolTest, AllPiecesMayFail) {
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(pool_.parallel_for(16, 1,
                                    [](std::size_t, std::size_t, int) {
                                      throw Error(ErrorCode::kUnavailable, "out of memory");
                                    }),
                 Error);
  }
}

TEST_P(ThreadPoolTest, WakesAfterASleep) {
  std::atomic<int> visits{0};
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool_.parallel_for(100, 1, [&](std::size_t, std::size_t, int) { ++visits; });
  }
  EXPECT_EQ(visits, 300);
}

TEST_P(ThreadPoolTest, IsMadeAndEndedAtOnce) {
  for (int i = 0; i < 100; ++i) {
    ThreadPool pool(GetParam());
    if (i % 2 == 0) pool.parallel_for(10, 1, [](std::size_t, std::size_t, int) {});
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, testing::Values(1, 2, 4, 9));

TEST(ThreadPoolTest, ZeroThreadsAndZeroGrainAreRefused) {
  EXPECT_THROW(ThreadPool(0), Error);
  ThreadPool pool(2);
  EXPECT_THROW(pool.parallel_for(1, 0, [](std::size_t, std::size_t, int) {}), Error);
}

// A stack of this size fits into the address space a few times at most.
TEST(ThreadPoolTest, ThreadsThatCannotBeStartedAreAnError) {
  pthread_attr_t before;
  pthread_attr_t huge;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_getattr_default_np(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 44), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  EXPECT_THROW(ThreadPool(16), Error);
  ASSERT_EQ(pthread_setattr_default_np(&before), 0);
  pthread_attr_destroy(&huge);
  pthread_attr_destroy(&before);
}

TEST(NumUsableCoresTest, IsAtLeastOne) {
  EXPECT_GE(num_usable_cores(), 1);
}

}  // namespace
}  // namespace steno
