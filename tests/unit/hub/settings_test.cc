#include "hub/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/file.h"

namespace steno::hub {
namespace {

// Nothing is set but HOME, an empty folder.
class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    for (const char* name : {"HF_ENDPOINT", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH",
                             "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME",
                             "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DOWNLOAD_TIMEOUT",
                             "CURL_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}) {
      ::unsetenv(name);
    }
    std::string folder = testing::TempDir() + "hub_settings_XXXXXX";
    home_ = ::mkdtemp(folder.data());
    set("HOME", home_.string());
  }
  ~SettingsTest() override { std::filesystem::remove_all(home_); }

  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

  std::filesystem::path home_;
};

TEST_F(SettingsTest, DefaultsAreThoseOfTheHub) {
  const Settings settings = settings_from_environment();
  EXPECT_EQ(settings.endpoint, "https://huggingface.co");
  EXPECT_EQ(settings.token, "");
  EXPECT_EQ(settings.cache, home_ / ".cache/huggingface/hub");
  EXPECT_FALSE(settings.is_offline);
}

TEST_F(SettingsTest, Endpoints) {
  set("HF_ENDPOINT", " http://mirror:8080/hf// ");
  EXPECT_EQ(settings_from_environment().endpoint, "http://mirror:8080/hf");
  for (const char* wrong : {"mirror", "ftp://mirror", "https://user:password@mirror",
                            "https://mirror/?x=", "https://mir ror"}) {
    set("HF_ENDPOINT", wrong);
    EXPECT_THROW(settings_from_environment(), Error) << wrong;
  }
}

TEST_F(SettingsTest, TokensByVariableThenByFile) {
  std::filesystem::create_directories(home_ / ".cache/huggingface");
  file::write_atomically(home_ / ".cache/huggingface/token", "hf_default\n");
  EXPECT_EQ(settings_from_environment().token, "hf_default");
  file::write_atomically(home_ / "elsewhere", "hf_elsewhere");
  set("HF_TOKEN_PATH", home_ / "elsewhere");
  EXPECT_EQ(settings_from_environment().token, "hf_elsewhere");
  set("HF_TOKEN", " hf_variable\n");
  EXPECT_EQ(settings_from_environment().token, "hf_variable");
  set("HF_TOKEN", "hf_a\nX-Evil: 1");
  EXPECT_THROW(settings_from_environment(), Error);
}

TEST_F(SettingsTest, OfflineAndTimeouts) {
  for (const char* yes : {"1", "on", "Yes", "TRUE"}) {
    set("HF_HUB_OFFLINE", yes);
    EXPECT_TRUE(settings_from_environment().is_offline) << yes;
  }
  for (const char* no : {"0", "off", "false", ""}) {
    set("HF_HUB_OFFLINE", no);
    EXPECT_FALSE(settings_from_environment().is_offline) << no;
  }
  set("HF_HUB_DOWNLOAD_TIMEOUT", "5");
  EXPECT_EQ(settings_from_environment().stall_timeout_s, 5);
  for (const char* wrong : {"0", "-1", "5s", "1e3", "99999999999"}) {
    set("HF_HUB_DOWNLOAD_TIMEOUT", wrong);
    EXPECT_THROW(settings_from_environment(), Error) << wrong;
  }
}

}  // namespace
}  // namespace steno::hub
