#include "models/whisper/decoding/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steno::models::whisper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Draft, OffersWhatComesNext) {
  Draft draft({1, 2, 3, 4});
  EXPECT_THAT(draft.next(2), ElementsAre(1, 2));
  draft.follow(1);
  draft.follow(2);
  EXPECT_THAT(draft.next(9), ElementsAre(3, 4));
  draft.follow(3);
  draft.follow(4);
  EXPECT_THAT(draft.next(9), IsEmpty());
  draft.follow(5);
  EXPECT_THAT(draft.next(9), IsEmpty());
}

TEST(Draft, AnotherTokenTakesThePlaceOfTheNext) {
  Draft draft({1, 2, 3, 4});
  draft.follow(9);
  EXPECT_THAT(draft.next(9), ElementsAre(2, 3, 4));
}

TEST(Draft, ATokenThatComesSoonSkipsWhatIsBeforeIt) {
  Draft draft({1, 2, 3, 4, 5});
  draft.follow(3);
  EXPECT_THAT(draft.next(9), ElementsAre(4, 5));
}

TEST(Draft, ATokenThatComesMuchLaterDoesNot) {
  Draft draft({1, 2, 3, 4, 5, 6, 7, 8});
  draft.follow(8);
  EXPECT_THAT(draft.next(2), ElementsAre(2, 3));
}

TEST(Draft, NothingIsExpectedWithoutOne) {
  Draft draft({});
  draft.follow(1);
  EXPECT_THAT(draft.next(3), IsEmpty());
}

}  // namespace
}  // namespace steno::models::whisper
