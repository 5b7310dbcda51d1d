#include "output/render.h"

#include "base/check.h"
#include "output/json_documents.h"
#include "output/subtitles.h"

namespace steno::output {

std::string render(const transcribe::Transcript& transcript, Format format,
                   const std::optional<CueLimits>& limits) {
  switch (format) {
    case Format::kTxt:
      return render_txt(transcript);
    case Format::kJson:
      return render_json(transcript);
    case Format::kVerboseJson:
      return render_verbose_json(transcript);
    case Format::kSrt:
      return render_srt(transcript, limits);
    case Format::kVtt:
      return render_vtt(transcript, limits);
    case Format::kTsv:
      return render_tsv(transcript, limits);
  }
  STENO_CHECK(false, "format {}", static_cast<int>(format));
  return {};
}

}  // namespace steno::output
