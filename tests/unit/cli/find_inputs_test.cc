#include "cli/find_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "cli/media_names.h"
#include "unit/cli/temp_tree.h"

namespace steno::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> paths(const FoundInputs& found) {
  std::vector<std::string> out;
  for (const Input& input : found.inputs) out.push_back(input.path);
  return out;
}

std::vector<std::string> subfolders(const FoundInputs& found) {
  std::vector<std::string> out;
  for (const Input& input : found.inputs) out.push_back(input.subfolder.string());
  return out;
}

TEST(MediaNames, AreToldByTheirEnding) {
  for (const char* name : {"a.wav", "a.MP3", "a.b.m4a", "a.WebM", "a.3gp", "-.ogg"}) {
    EXPECT_TRUE(is_media_name(name)) << name;
  }
  for (const char* name : {"", "wav", ".wav", "a.", "a.txt", "a.wav.json", "a.wav ", "awav"}) {
    EXPECT_FALSE(is_media_name(name)) << name;
  }
}

TEST(FindInputs, NamesAreTakenAsTheyAreInTheirOrder) {
  const FoundInputs found = find_inputs({"z.wav", "-", "a.txt", "missing"});
  EXPECT_THAT(paths(found), ElementsAre("z.wav", "-", "a.txt", "missing"));
  EXPECT_THAT(subfolders(found), ElementsAre("", "", "", ""));
  EXPECT_THAT(found.failed, IsEmpty());
}

TEST(FindInputs, AFolderIsSearchedAndItsTreeKept) {
  const TempTree tree;
  const std::string b = tree.touch("b.mp3");
  const std::string deep = tree.touch("x/y/deep.WAV");
  const std::string a = tree.touch("x/a.mkv");
  tree.touch("notes.txt");
  tree.touch("x/a.srt");
  tree.touch(".hidden.wav");
  tree.touch("x/._a.mkv");
  tree.touch(".cache/c.wav");
  const FoundInputs found = find_inputs({tree.path().string()});
  EXPECT_THAT(paths(found), ElementsAre(b, a, deep));
  EXPECT_THAT(subfolders(found), ElementsAre("", "x", "x/y"));
  EXPECT_THAT(found.failed, IsEmpty());
}

TEST(FindInputs, SeveralFoldersAreKeptApart) {
  const TempTree tree;
  tree.touch("one/a.wav");
  tree.touch("two/x/a.wav");
  const FoundInputs found = find_inputs({tree / "two/", "talk.wav", tree / "one"});
  EXPECT_THAT(subfolders(found), ElementsAre("two/x", "", "one"));
}

TEST(FindInputs, AFileComesOnce) {
  const TempTree tree;
  const std::string a = tree.touch("in/a.wav");
  const std::string b = tree.touch("in/x/b.wav");
  const std::string other = tree.touch("in/other.dat");
  const std::string in = tree / "in";
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{in, a, tree / "in/x", other, in + "/", tree / "in/x/../a.wav"},
        {tree / "in/x", in, a, other},
        {other, a, in, in}}) {
    const FoundInputs found = find_inputs(arguments);
    std::vector<std::string> sorted = paths(found);
    std::ranges::for_each(
        sorted, [](std::string& path) { path = fs::path(path).lexically_normal().string(); });
    std::ranges::sort(sorted);
    EXPECT_THAT(sorted, ElementsAre(a, other, b));
    EXPECT_THAT(found.failed, IsEmpty());
  }
}

TEST(FindInputs, LinksCannotLeadInCircles) {
  const TempTree tree;
  tree.touch("a.wav");
  tree.touch("x/b.wav");
  fs::create_directory_symlink("..", tree.path() / "x/up");
  fs::create_directory_symlink(".", tree.path() / "self");
  fs::create_symlink("loop.wav", tree.path() / "loop.wav");
  fs::create_symlink("x/b.wav", tree.path() / "link.wav");
  testing::internal::CaptureStderr();
  const FoundInputs found = find_inputs({tree.path().string()});
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_THAT(paths(found),
              ElementsAre(tree / "a.wav", tree / "link.wav", tree / "loop.wav", tree / "x/b.wav"));
  EXPECT_THAT(warnings, HasSubstr("x/up: a link to a folder"));
  EXPECT_THAT(warnings, HasSubstr("self: a link to a folder"));
}

TEST(FindInputs, ALinkThatIsNamedIsSearched) {
  const TempTree tree;
  tree.touch("x/a.wav");
  fs::create_directory_symlink("x", tree.path() / "link");
  EXPECT_THAT(paths(find_inputs({tree / "link"})), ElementsAre(tree / "link/a.wav"));
}

TEST(FindInputs, OnlyFilesAreRecordings) {
  const TempTree tree;
  tree.touch("folder.wav/a.mp3");
  ASSERT_EQ(::mkfifo((tree / "pipe.wav").c_str(), 0600), 0);
  EXPECT_THAT(paths(find_inputs({tree.path().string()})), ElementsAre(tree / "folder.wav/a.mp3"));
}

TEST(FindInputs, SaysWhatIsMissing) {
  const TempTree tree;
  tree.touch("empty/notes.txt");
  tree.touch("full/a.wav");
  const FoundInputs found = find_inputs({"", tree / "empty", tree / "full"});
  EXPECT_THAT(paths(found), ElementsAre(tree / "full/a.wav"));
  ASSERT_EQ(found.failed.size(), 2u);
  EXPECT_EQ(found.failed[0].failure.message, "an empty file name was given");
  EXPECT_EQ(found.failed[0].failure.exit_code, kExitUsage);
  EXPECT_EQ(found.failed[1].input, tree / "empty");
  EXPECT_THAT(found.failed[1].failure.message, HasSubstr("no audio or video file"));
  EXPECT_EQ(found.failed[1].failure.exit_code, kExitFailed);
}

TEST(FindInputs, AFolderThatCannotBeReadHidesNothingElse) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const TempTree tree;
  tree.touch("closed/a.wav");
  tree.touch("open/b.wav");
  fs::permissions(tree.path() / "closed", fs::perms::none);
  const FoundInputs found = find_inputs({tree.path().string()});
  fs::permissions(tree.path() / "closed", fs::perms::owner_all);
  EXPECT_THAT(paths(found), ElementsAre(tree / "open/b.wav"));
  ASSERT_EQ(found.failed.size(), 1u);
  EXPECT_THAT(found.failed[0].failure.message, HasSubstr("cannot be read: Permission denied"));
}

// A tree so deep that its paths are longer than the system takes.
void make_too_deep(const fs::path& folder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  const std::string name(250, 'd');
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(::mkdir(name.c_str(), 0700), 0);
    ASSERT_EQ(::chdir(name.c_str()), 0);
  }
  fs::current_path(before);
}

TEST(FindInputs, ATreeThatIsTooDeepIsTold) {
  const TempTree tree;
  const std::string a = tree.touch("a.wav");
  make_too_deep(tree.path());
  const FoundInputs found = find_inputs({tree.path().string()});
  EXPECT_THAT(paths(found), ElementsAre(a));
  ASSERT_EQ(found.failed.size(), 1u);
  EXPECT_THAT(found.failed[0].failure.message, HasSubstr("cannot be read: File name too long"));
}

}  // namespace
}  // namespace steno::cli
