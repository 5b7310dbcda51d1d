// A file name is bytes for open(2): nothing in it is a command, an option, a URL or a pattern.
#include <gtest/gtest.h>

#include "audio/decoder.h"
#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

TEST(HostileNames, AreTakenLiterally) {
  const test::TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::string bytes = test::wav({}, test::raw<std::int16_t>({16384, -16384}));
  std::filesystem::create_directories("http:/127.0.0.1:1");
  for (const std::string name :
       {"a\"; touch x; \".mp3", "-", "-i", "--help", "%03d.wav", "a\nb.wav", "concat:a|b",
        "$(touch x)", "pipe:0", "data:,x", "http://127.0.0.1:1/a.wav", "subfile,,start,0,end,9,,:a",
        "*", "会議 😀.mp3"}) {
    SCOPED_TRACE(name);
    test::write_bytes(name, bytes);
    EXPECT_EQ(decode_all(Source::file(name)), (std::vector<float>{0.5F, -0.5F}));
  }
  EXPECT_FALSE(std::filesystem::exists("x"));
  std::filesystem::current_path(before);
}

// None of these is a file here, so none of them may become anything else.
TEST(HostileNames, ProtocolsAreNotFiles) {
  for (const char* name : {"http://127.0.0.1:1/a.wav", "file:/dev/null", "pipe:0",
                           "concat:/dev/null", "data:audio/wav;base64,UklGRg=="}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(test::failure_of([&] { Source::file(name).open(); }).code, ErrorCode::kNotFound);
  }
}

}  // namespace
}  // namespace steno::audio
