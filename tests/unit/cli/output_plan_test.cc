#include "cli/output_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace steno::cli {
namespace {

using output::Format;
using ::testing::ElementsAre;

// All planned paths, in order.
std::vector<std::string> paths(const std::vector<std::string>& inputs,
                               const std::vector<Format>& formats = {Format::kSrt}) {
  std::vector<std::string> out;
  for (const PlannedInput& planned : plan_outputs(inputs, formats, "out")) {
    for (const PlannedOutput& target : planned.outputs) out.push_back(target.path.string());
  }
  return out;
}

TEST(PlanOutputs, NamesAreTheStemAndTheFormat) {
  EXPECT_THAT(paths({"/data/talk.mp3", "b.tar.gz", "plain"}),
              ElementsAre("out/talk.srt", "out/b.tar.srt", "out/plain.srt"));
}

TEST(PlanOutputs, FormatsOfOneInputDoNotCollide) {
  EXPECT_THAT(paths({"a.wav"}, {Format::kJson, Format::kVerboseJson, Format::kTxt}),
              ElementsAre("out/a.json", "out/a.verbose.json", "out/a.txt"));
}

TEST(PlanOutputs, InputsThatShareAStemKeepTheirExtension) {
  EXPECT_THAT(paths({"a.wav", "a.mp3", "b.wav"}),
              ElementsAre("out/a.wav.srt", "out/a.mp3.srt", "out/b.srt"));
}

TEST(PlanOutputs, InputsThatShareANameAreNumbered) {
  const std::vector<std::string> inputs = {"x/a.wav", "y/a.wav", "z/a.wav"};
  EXPECT_THAT(paths(inputs), ElementsAre("out/a.wav.srt", "out/a.wav-2.srt", "out/a.wav-3.srt"));
  const auto plan = plan_outputs(inputs, {Format::kSrt}, "out");
  EXPECT_FALSE(plan[0].is_numbered);
  EXPECT_TRUE(plan[1].is_numbered);
}

TEST(PlanOutputs, ANumberedNameMayBeTakenToo) {
  EXPECT_THAT(paths({"a.wav-2.flac", "x/a.wav", "y/a.wav"}),
              ElementsAre("out/a.wav-2.srt", "out/a.wav.srt", "out/a.wav-3.srt"));
}

TEST(PlanOutputs, ExtensionsMayCollideAcrossInputs) {
  EXPECT_THAT(paths({"a.verbose.wav", "a.flac"}, {Format::kJson, Format::kVerboseJson}),
              ElementsAre("out/a.verbose.json", "out/a.verbose.verbose.json", "out/a-2.json",
                          "out/a-2.verbose.json"));
}

TEST(PlanOutputs, NamesAreTakenLiterally) {
  EXPECT_THAT(paths({"a\"; touch x; \".mp3", "-x.wav", "new\nline.wav", ".hidden"}),
              ElementsAre("out/a\"; touch x; \".srt", "out/-x.srt", "out/new\nline.srt",
                          "out/.hidden.srt"));
}

TEST(PlanOutputs, StandardInputAndFoldersHaveNamesToo) {
  EXPECT_THAT(paths({"-", "folder/", "./-"}),
              ElementsAre("out/stdin.srt", "out/folder.srt", "out/-.srt"));
}

TEST(PlanOutputs, ATooLongNameIsRefusedBeforeTheWork) {
  EXPECT_NO_THROW(paths({std::string(251, 'n') + ".wav"}));
  EXPECT_THROW(paths({std::string(251, 'n') + ".wav"}, {Format::kVerboseJson}), Error);
}

TEST(CheckStdout, TakesOneFormat) {
  EXPECT_NO_THROW(check_stdout({"a"}, {Format::kSrt}));
  EXPECT_THROW(check_stdout({"a"}, {Format::kSrt, Format::kTxt}), Error);
}

TEST(CheckStdout, OfSeveralFilesOnlyWhatCanFollowEachOther) {
  for (const Format format : {Format::kTxt, Format::kJson}) {
    EXPECT_NO_THROW(check_stdout({"a", "b"}, {format})) << name(format);
  }
  for (const Format format : {Format::kSrt, Format::kVtt, Format::kTsv, Format::kVerboseJson}) {
    EXPECT_THROW(check_stdout({"a", "b"}, {format}), Error) << name(format);
  }
}

}  // namespace
}  // namespace steno::cli
