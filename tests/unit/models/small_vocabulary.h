// A vocabulary small enough to write logits by hand: tokens 0 to 4 are text, 5 is eot, 14 to 23 are
// timestamps.
#pragma once

#include "models/whisper/vocabulary.h"

namespace steno::models::whisper {

inline Vocabulary small_vocabulary() {
  Vocabulary v;
  v.size = 24;
  v.eot = 5;
  v.sot = 6;
  v.languages = {"en", "zh"};  // 7, 8
  v.translate = 9;
  v.transcribe = 10;
  v.startoflm = 11;
  v.startofprev = 11;  // the two control tokens share an id: no rule tells them apart
  v.nospeech = 12;
  v.notimestamps = 13;
  v.timestamp_begin = 14;
  v.is_multilingual = true;
  return v;
}

}  // namespace steno::models::whisper
