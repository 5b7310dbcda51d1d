#include "cli/plan_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "unit/cli/temp_tree.h"

namespace steno::cli {
namespace {

using output::Format;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TranscribeArguments arguments_for(const TempTree& tree, std::vector<std::string> inputs) {
  TranscribeArguments arguments;
  arguments.inputs = std::move(inputs);
  arguments.formats = {Format::kTxt, Format::kJson};
  arguments.output_folder = tree.path() / "out";
  return arguments;
}

std::vector<std::string> inputs_of(const JobPlan& plan) {
  std::vector<std::string> out;
  for (const PlannedInput& planned : plan.inputs) out.push_back(planned.input);
  return out;
}

TEST(PlanJob, OnlyWhatHasEveryResultIsSkipped) {
  const TempTree tree;
  const std::string all = tree.touch("all.wav"), some = tree.touch("some.wav"),
                    none = tree.touch("none.wav");
  for (const char* name : {"out/all.txt", "out/all.json", "out/some.json"}) tree.touch(name);
  std::filesystem::create_directories(tree.path() / "out/none.txt");  // not a result
  tree.touch("out/none.json");
  TranscribeArguments arguments = arguments_for(tree, {all, some, none});
  EXPECT_EQ(plan_job(arguments).num_skipped, 0);
  arguments.skip_existing = true;
  const JobPlan plan = plan_job(arguments);
  EXPECT_EQ(plan.num_skipped, 1);
  EXPECT_THAT(inputs_of(plan), ElementsAre(some, none));
}

TEST(PlanJob, ATreeIsPlannedBelowTheOutputFolder) {
  const TempTree tree;
  tree.touch("in/x/a.wav");
  tree.touch("in/x/a.mp3");
  const JobPlan plan = plan_job(arguments_for(tree, {tree / "in"}));
  ASSERT_EQ(plan.inputs.size(), 2u);
  EXPECT_EQ(plan.inputs[0].outputs[0].path, tree / "out/x/a.mp3.txt");
  EXPECT_EQ(plan.inputs[1].outputs[1].path, tree / "out/x/a.wav.json");
}

TEST(PlanJob, ARecordingIsNeverReplaced) {
  const TempTree tree;
  const std::string recording = tree.touch("out/a.txt");
  tree.touch("in/b.wav");
  std::filesystem::create_symlink("../out/a.txt", tree.path() / "in/a.wav");
  EXPECT_THROW(plan_job(arguments_for(tree, {recording})), Error);
  EXPECT_THROW(plan_job(arguments_for(tree, {tree / "in"})), Error);
}

TEST(PlanJob, WhatCannotBeDoneIsKnownBeforeTheWork) {
  const TempTree tree;
  const std::string longest = tree.touch(std::string(251, 'n') + ".wav");
  const std::string a = tree.touch("a.wav");
  TranscribeArguments arguments = arguments_for(tree, {"", longest, a});
  arguments.formats = {Format::kVerboseJson};
  const JobPlan plan = plan_job(arguments);
  EXPECT_THAT(inputs_of(plan), ElementsAre(a));
  ASSERT_EQ(plan.failed.size(), 2u);
  EXPECT_THAT(plan.failed[1].failure.message, HasSubstr("longer than 255 bytes"));
}

TEST(PlanJob, WhatCannotBeOpenedIsKnownBeforeTheWork) {
  const TempTree tree;
  const std::string a = tree.touch("a.wav");
  std::filesystem::create_symlink("loop.wav", tree.path() / "loop.wav");
  std::filesystem::create_symlink("nowhere.wav", tree.path() / "gone.wav");
  const std::string pipe = tree / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const bool to_stdout : {false, true}) {
    TranscribeArguments arguments =
        arguments_for(tree, {tree / "missing.wav", a, tree / "loop.wav", tree / "gone.wav", pipe});
    if (to_stdout) {
      arguments.output_folder.reset();
      arguments.formats = {Format::kTxt};
    }
    const JobPlan plan = plan_job(arguments);
    EXPECT_THAT(inputs_of(plan), ElementsAre(a, pipe));  // a pipe is not opened: that may block
    ASSERT_EQ(plan.failed.size(), 3u);
    EXPECT_THAT(plan.failed[0].failure.message, HasSubstr("missing.wav: there is no such file"));
    EXPECT_THAT(plan.failed[1].failure.message, HasSubstr("loop.wav"));
    EXPECT_EQ(plan.failed[2].failure.exit_code, kExitFailed);
  }
}

TEST(PlanJob, AMissingInputStillNeedsItsPlaceOnStandardOutput) {
  const TempTree tree;
  TranscribeArguments arguments;
  arguments.inputs = {tree.touch("a.wav"), tree / "missing.wav"};
  arguments.formats = {Format::kSrt};
  EXPECT_THROW(plan_job(arguments), Error);
}

TEST(PlanJob, WithoutAnOutputFolderResultsShareStandardOutput) {
  const TempTree tree;
  tree.touch("in/a.wav");
  TranscribeArguments arguments;
  arguments.inputs = {tree / "in"};
  arguments.formats = {Format::kSrt};
  EXPECT_THAT(inputs_of(plan_job(arguments)), ElementsAre(tree / "in/a.wav"));
  tree.touch("in/b.wav");
  EXPECT_THROW(plan_job(arguments), Error);
  arguments.formats = {Format::kTxt};
  EXPECT_EQ(plan_job(arguments).inputs.size(), 2u);
}

}  // namespace
}  // namespace steno::cli
