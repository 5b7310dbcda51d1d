#include "transcribe/degradation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace steno::transcribe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Transcript good() {
  Transcript transcript;
  transcript.source = "talk.mp3";
  transcript.segments.resize(3);
  transcript.segments[1].start_s = 12.5;
  transcript.segments[2].start_s = 20;
  transcript.warnings = {"a clip begins past the end"};
  return transcript;
}

TEST(Degradations, AGoodTranscriptHasNone) {
  EXPECT_THAT(degradations(good()), IsEmpty());
  EXPECT_THAT(degradations(Transcript{}), IsEmpty());
  EXPECT_NO_THROW(refuse_degraded(good()));
}

TEST(Degradations, SayWhatAndWhere) {
  Transcript transcript = good();
  transcript.decode_errors = 1;
  transcript.missing = {{3, 4.5, "decode_error"}, {10, 11, "no_text"}};
  transcript.segments[1].flags = {"repetition"};
  transcript.segments[2].flags = {"repetition", "early_end"};
  EXPECT_THAT(degradations(transcript),
              ElementsAre("1 decode error",
                          "2.5 s without text, the first from 3.00 s to 4.50 s (decode_error)",
                          "early_end in 1 segment, the first at 20.00 s",
                          "repetition in 2 segments, the first at 12.50 s"));
}

TEST(RefuseDegraded, NamesTheSourceAndTheWayOut) {
  Transcript transcript = good();
  transcript.decode_errors = 3;
  try {
    refuse_degraded(transcript);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(info(error.code()).exit_code, 1);
    EXPECT_THAT(error.what(), HasSubstr("talk.mp3: "));
    EXPECT_THAT(error.what(), HasSubstr("3 decode errors; without --strict"));
  }
}

}  // namespace
}  // namespace steno::transcribe
