#include "weights/model_names.h"

#include <gtest/gtest.h>

#include <set>

namespace steno::weights {
namespace {

TEST(ModelNames, ShortNamesMeanRepositories) {
  EXPECT_EQ(repository_of("tiny.en"), "openai/whisper-tiny.en");
  EXPECT_EQ(repository_of("whisper-base"), "openai/whisper-base");
  EXPECT_EQ(repository_of("large"), "openai/whisper-large-v3");
  EXPECT_EQ(repository_of("large-v1"), "openai/whisper-large");
  EXPECT_EQ(repository_of("turbo"), "openai/whisper-large-v3-turbo");
  EXPECT_EQ(repository_of("whisper-large-v3-turbo"), "openai/whisper-large-v3-turbo");
  EXPECT_EQ(repository_of("distil-large-v3.5"), "distil-whisper/distil-large-v3.5");
  EXPECT_EQ(repository_of("openai/whisper-large"), "openai/whisper-large");
  EXPECT_EQ(repository_of("huge"), "huge");
  EXPECT_EQ(repository_of(""), "");
}

TEST(ModelNames, EachIsThereOnce) {
  std::set<std::string_view> names;
  std::set<std::string_view> repositories;
  for (const ShortName& known : short_names()) {
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
    EXPECT_TRUE(repositories.insert(known.repository).second) << known.repository;
    EXPECT_EQ(repository_of(known.name), known.repository);
  }
  EXPECT_EQ(names.size(), 17U);
}

}  // namespace
}  // namespace steno::weights
