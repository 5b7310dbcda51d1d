#include "cli/output_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"

namespace steno::cli {
namespace {

using output::Format;
using ::testing::ElementsAre;

std::vector<Input> named(const std::vector<std::string>& paths) {
  std::vector<Input> inputs;
  for (const std::string& path : paths) inputs.push_back({path, {}});
  return inputs;
}

// All planned paths, in order.
std::vector<std::string> paths(const std::vector<std::string>& inputs,
                               const std::vector<Format>& formats = {Format::kSrt}) {
  std::vector<std::string> out;
  for (const PlannedInput& planned : plan_outputs(named(inputs), formats, "out")) {
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
  const auto plan = plan_outputs(named(inputs), {Format::kSrt}, "out");
  EXPECT_FALSE(plan[0].is_numbered);
  EXPECT_TRUE(plan[1].is_numbered);
}

TEST(PlanOutputs, ANumberedNameMayBeTakenToo) {
  EXPECT_THAT(paths({"z/a.wav-2.flac", "x/a.wav", "y/a.wav"}),
              ElementsAre("out/a.wav-2.srt", "out/a.wav.srt", "out/a.wav-3.srt"));
}

TEST(PlanOutputs, ExtensionsMayCollideAcrossInputs) {
  EXPECT_THAT(paths({"a.verbose.wav", "a.flac"}, {Format::kJson, Format::kVerboseJson}),
              ElementsAre("out/a.verbose.wav.json", "out/a.verbose.wav.verbose.json", "out/a.json",
                          "out/a.verbose.json"));
}

TEST(PlanOutputs, NamesDoNotDependOnTheOrder) {
  std::vector<std::string> inputs = {"a.mp3",   "a.wav",         "a.wav-2.flac",
                                     "x/a.wav", "a.verbose.wav", "y/b.wav"};
  const std::vector<Format> formats = {Format::kJson, Format::kVerboseJson};
  std::map<std::string, std::string> expected;
  for (const PlannedInput& planned : plan_outputs(named(inputs), formats, "out")) {
    expected[planned.input] = planned.outputs.front().path.string();
  }
  std::ranges::sort(inputs);
  while (std::ranges::next_permutation(inputs).found) {
    const auto plan = plan_outputs(named(inputs), formats, "out");
    ASSERT_EQ(plan.size(), inputs.size());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      EXPECT_EQ(plan[i].input, inputs[i]);
      EXPECT_EQ(plan[i].outputs.front().path.string(), expected[inputs[i]]);
    }
  }
}

TEST(PlanOutputs, SubfoldersKeepNamesApart) {
  const auto plan = plan_outputs({{"in/a.wav", ""}, {"in/x/a.wav", "x"}, {"in/x/a.mp3", "x"}},
                                 {Format::kTxt}, "out");
  EXPECT_EQ(plan[0].outputs[0].path, "out/a.txt");
  EXPECT_EQ(plan[1].outputs[0].path, "out/x/a.wav.txt");
  EXPECT_EQ(plan[2].outputs[0].path, "out/x/a.mp3.txt");
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
  const std::vector<Input> inputs = named({std::string(251, 'n') + ".wav", "a.wav"});
  EXPECT_EQ(plan_outputs(inputs, {Format::kTxt}, "out")[0].refusal, "");
  const auto plan = plan_outputs(inputs, {Format::kVerboseJson}, "out");
  EXPECT_THAT(plan[0].refusal, ::testing::HasSubstr("longer than 255 bytes"));
  EXPECT_EQ(plan[1].refusal, "");
}

TEST(CheckStdout, TakesOneFormat) {
  EXPECT_NO_THROW(check_stdout(1, {Format::kSrt}));
  EXPECT_THROW(check_stdout(1, {Format::kSrt, Format::kTxt}), Error);
}

TEST(CheckStdout, OfSeveralFilesOnlyWhatCanFollowEachOther) {
  for (const Format format : {Format::kTxt, Format::kJson}) {
    EXPECT_NO_THROW(check_stdout(2, {format})) << name(format);
  }
  for (const Format format : {Format::kSrt, Format::kVtt, Format::kTsv, Format::kVerboseJson}) {
    EXPECT_THROW(check_stdout(2, {format}), Error) << name(format);
  }
}

}  // namespace
}  // namespace steno::cli
