"""Makes the goldens of word times: what openai-whisper makes of fabricated alignments, silences and matrices, and word
times of whole recordings on the tiny models.

  python word_vectors.py [--out ../../tests/golden/whisper] [--models tiny-80 tiny-128 tiny-en]

Path: whisper/timing.py, whisper/transcribe.py v20250625; the models of whisper_goldens.py
      -> here -> tests/golden/whisper/{word_times.json, <model>/words.json}
"""
import argparse
import contextlib
import os
import sys
import types

import numpy as np
import torch
import whisper
import whisper.timing as timing
import whisper.tokenizer as oai

from golden_io import write_json
from reduced_vocabulary import ReducedVocabulary

transcribe_module = sys.modules['whisper.transcribe']


def median_cases():
    rng = np.random.default_rng(1)
    rows = [np.round(rng.standard_normal(n), 2) for n in (1, 2, 3, 4, 5, 6, 7, 8, 20)] + [np.array([1.0] * 9 + [5.0])]
    return [dict(row=row.tolist(), median=[round(float(v), 2) for v in timing.median_filter(
        torch.tensor(row, dtype=torch.float32), 7)]) for row in rows]


def warp_cases():
    """Ties too: small whole numbers, where the order of the comparisons decides."""
    rng, cases = np.random.default_rng(2), []
    for i, (rows, columns) in enumerate(((1, 1), (1, 6), (6, 1), (2, 2), (3, 3), (5, 12), (12, 5), (8, 40), (20, 20))):
        for whole in (False, True):
            cost = rng.integers(-2, 3, (rows, columns)) if whole else np.round(rng.standard_normal((rows, columns)), 2)
            text, time = timing.dtw_cpu(cost.astype(np.float32).astype(np.float64))
            starts = [int(time[text == row][0]) for row in range(rows)]
            cases.append(dict(cost=cost.astype(np.float32).astype(float).round(2).tolist(), starts=starts))
    return cases


# ---- words of fabricated alignments

TEXTS = {
    'en': [[' In 2024 we paid $3.50 to "them".'], [' Hello, world!', ' (And then?) He said: "No."', ' It\'s 5 o\'clock...'],
           [' Yes.'], ['', ' so'], [' a - b -- c', ' - d'], [' well'], [' one', ' two', ' three'], [' \u266a\u266a'],
           [' The quick brown fox jumps over the lazy dog. It was not amused! Was it? No.']],
    'de': [[' \u00bbGr\u00fc\u00df Gott\u00ab, sagte er \u2013 und ging.', ' Stra\u00dfe \u00d6l.']],
    'fr': [[" L'\u00e9t\u00e9 n'est pas fini : il fait 25 \u00b0C !"]],
    'zh': [['\u4f60\u597d\uff0c\u4e16\u754c\u3002', '\u4eca\u5929\u662f2024\u5e74\uff01'], ['\u6211']],
    'ja': [['\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3001\u3067\u3059\u3002']],
    'th': [['\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e04\u0e23\u0e31\u0e1a']],
    'ko': [[' \uc548\ub155\ud558\uc138\uc694 \uc138\uacc4.']],
}


def fabricated_alignment(tokenizer, text_tokens, positions, probabilities):
    """The end of find_alignment, from `jump_times` on."""
    words, word_tokens = tokenizer.split_to_word_tokens(text_tokens + [tokenizer.eot])
    if len(word_tokens) <= 1:
        return []
    boundaries = np.pad(np.cumsum([len(t) for t in word_tokens[:-1]]), (1, 0))
    times = np.array(positions) / 50
    return [timing.WordTiming(word, tokens, times[i], times[j], np.mean(probabilities[i:j]))
            for word, tokens, i, j in zip(words, word_tokens, boundaries[:-1], boundaries[1:])]


def word_case(vocabulary, language, texts, rng):
    tokenizer = vocabulary.tokenizer(language)
    begin, seek = tokenizer.timestamp_begin, int(rng.integers(0, 3)) * 1234
    per_segment = [tokenizer.encode(text) for text in texts]
    num_tokens = sum(map(len, per_segment))
    steps = rng.integers(0, 25, num_tokens + 1) * (rng.random(num_tokens + 1) < 0.7)
    steps = steps + 120 * (rng.random(num_tokens + 1) < 0.08)
    positions = np.minimum(np.cumsum(steps), 1499)
    probabilities = np.round(rng.random(num_tokens), 3).tolist()
    segments, at = [], 0
    for text, tokens in zip(texts, per_segment):
        spread = rng.integers(-45, 46, 2) * (rng.random() < 0.6)
        start = int(np.clip(positions[at] + spread[0], 0, 1499))
        end = int(np.clip(positions[at + len(tokens)] + spread[1], start, 1500))
        at += len(tokens)
        segments.append(dict(seek=seek, start=seek / 100 + start * 0.02, end=seek / 100 + end * 0.02, text=text,
                             tokens=[begin + start, *tokens, begin + end]))
    last_speech = seek / 100 - float(rng.choice([0, 0.5, 4]))
    case = dict(language=language, last_speech=last_speech, segments=[dict(s) for s in segments],
                positions=positions.tolist(), probabilities=probabilities)
    saved = timing.find_alignment
    timing.find_alignment = lambda model, tok, tokens, mel, frames: fabricated_alignment(
        tok, tokens, positions, probabilities)
    try:
        timing.add_word_timestamps(segments=segments, model=None, tokenizer=tokenizer, mel=None, num_frames=3000,
                                   last_speech_timestamp=last_speech)
    finally:
        timing.find_alignment = saved
    case['expected'] = [dict(start=s['start'], end=s['end'], words=s['words']) for s in segments]
    # Words of the neighbouring segment are the reference's slip, which we do not follow.
    whole = all(''.join(w['word'] for w in s['words']) == s['text'] for s in segments)
    return plain(case) if whole else None


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return round(value, 6) if isinstance(value, float) else value


def word_cases():
    vocabulary, rng, cases = ReducedVocabulary(True, 560, 99), np.random.default_rng(3), []
    for language, windows in TEXTS.items():
        for texts in windows:
            for _ in range(3):
                case = word_case(vocabulary, language, texts, rng)
                if case:
                    cases.append(case)
    return cases


# ---- the seek by words, on a model that says anything

class AnyModel:
    """Says random segments; add_words gives them random words. Both are seeded."""
    device, is_multilingual, num_languages = torch.device('cpu'), True, 99
    dims = types.SimpleNamespace(n_mels=80, n_audio_ctx=1500, n_text_ctx=448)

    def __init__(self, seed, threshold, content_frames):
        self.rng, self.threshold, self.content_frames = np.random.default_rng(seed), threshold, content_frames
        self.windows = []

    def decode(self, segment, options):
        begin = oai.get_tokenizer(True).timestamp_begin
        times = np.sort(self.rng.integers(0, 1500, 2 * int(self.rng.integers(1, 5))))
        tokens = []
        for start, end in zip(times[::2], times[1::2]):
            tokens += [begin + int(start), 300, begin + int(end)]
        if self.rng.random() < 0.5:                      # cut off
            tokens += [begin + int(times[-1]), 300]
        self.ends_in_single_timestamp = tokens[-1] >= begin and tokens[-2] < begin
        return whisper.DecodingResult(audio_features=None, language='en', tokens=tokens, text='', avg_logprob=-0.1,
                                      no_speech_prob=0.0, temperature=0.0, compression_ratio=1.0)

    def add_words(self, *, segments, num_frames, last_speech_timestamp, **_):
        offset, at = segments[0]['seek'] / 100, segments[0]['start']
        lively = self.rng.random() < 0.5
        for segment in segments:
            at = max(at, segment['start'])
            words = []
            for _ in range(int(self.rng.integers(0, 6))):
                start = round(at + float(self.rng.choice([0, 0, 0, 0.5, 3])), 2)
                end = round(start + float(self.rng.choice([0.02, 0.1, 0.3, 0.3, 0.4, 2.5])), 2)
                if end > offset + num_frames / 100:
                    break
                words.append(dict(word=str(self.rng.choice([' a', ' b', '.', ' "', '?'])), start=start, end=end,
                                  probability=float(self.rng.choice([0.05, 0.9] if lively else [0.05, 0.05, 0.9]))))
                at = end
            if words:
                segment['start'], segment['end'] = words[0]['start'], words[-1]['end']
            segment['words'] = words
        self.windows.append(plain(dict(
            first_frame=segments[0]['seek'], num_frames=num_frames, last_speech=last_speech_timestamp,
            ends_in_single_timestamp=self.ends_in_single_timestamp,
            segments=[{k: s[k] for k in ('start', 'end', 'words')} for s in segments])))


def seek_case(seed, threshold):
    """The windows of one recording: what was known of each, and what whisper.transcribe did."""
    content_frames = 9000 + 517 * (seed % 3)
    model = AnyModel(seed, threshold, content_frames)
    saved = transcribe_module.add_word_timestamps
    transcribe_module.add_word_timestamps = model.add_words
    try:
        result = whisper.transcribe(model, np.zeros(content_frames * 160, np.float32), language='en', temperature=0.0,
                                    fp16=False, word_timestamps=True, hallucination_silence_threshold=threshold)
    finally:
        transcribe_module.add_word_timestamps = saved
    for window, following in zip(model.windows, model.windows[1:] + [None]):
        window['num_kept'] = sum(s['seek'] == window['first_frame'] for s in result['segments'])
        window['next_frame'] = following['first_frame'] if following else None       # null: at or past the end
    return dict(threshold=threshold, content_frames=content_frames, windows=model.windows)


def seek_cases():
    return [seek_case(seed, threshold) for seed, threshold in enumerate([None, 0.5, 2.0, 1.0, 2.0, 0.3, 4.0, 2.0, 1.0])]


# ---- recordings on the tiny models

@contextlib.contextmanager
def words_of_one_segment():
    """openai-whisper without its slip: it splits and merges words across the segments of a window, and then counts
    tokens to share them out, so that a segment may get words of its neighbour. Random models do that all the time."""
    saved = timing.add_word_timestamps, timing.merge_punctuations, oai.Tokenizer.split_to_word_tokens
    add, merge, split = saved
    num_tokens, num_words = [], []

    def add_words(*, segments, tokenizer, **more):
        num_tokens[:] = [sum(t < tokenizer.eot for t in s['tokens']) for s in segments]
        add(segments=segments, tokenizer=tokenizer, **more)

    def split_each(self, tokens):
        words, word_tokens, at = [], [], 0
        num_words.clear()
        for count in num_tokens + [1]:                   # the last one is <|endoftext|>
            own, own_tokens = split(self, tokens[at:at + count])
            words, word_tokens, at = words + own, word_tokens + own_tokens, at + count
            num_words.append(len(own))
        return words, word_tokens

    def merge_each(alignment, prepended, appended):
        at = 0
        for count in num_words[:-1] if alignment else []:
            merge(alignment[at:at + count], prepended, appended)
            at += count

    transcribe_module.add_word_timestamps, timing.merge_punctuations = add_words, merge_each
    oai.Tokenizer.split_to_word_tokens = split_each
    try:
        yield
    finally:
        transcribe_module.add_word_timestamps, timing.merge_punctuations, oai.Tokenizer.split_to_word_tokens = saved


def transcripts(case):
    arguments = {
        'greedy': {},
        'beam5': dict(beam_size=5),
        'no_condition': dict(condition_on_previous_text=False),
        'clips': dict(clip_timestamps=[2.0, 9.5, 20.0, 33.0]),
        'skip_silence': dict(hallucination_silence_threshold=1.0),
    }
    rows = {}
    for name, more in arguments.items():
        more = {'language': 'en', 'temperature': 0.0, 'sample_len': 24, 'compression_ratio_threshold': None,
                'logprob_threshold': None, 'no_speech_threshold': None, 'word_timestamps': True, **more}
        with words_of_one_segment():
            r = case.watched('words/' + name,
                             lambda: whisper.transcribe(case.openai, case.signals['d'], fp16=False, **more))
        segments = [plain({k: s[k] for k in ('seek', 'start', 'end', 'text', 'tokens', 'words')}) for s in r['segments']]
        broken = [s['text'] for s in segments if ''.join(w['word'] for w in s['words']) != s['text']]
        print(name, len(segments), 'segments', len({s['seek'] for s in segments}), 'windows', 'broken', broken)
        rows[name] = dict(arguments=more, segments=segments)
    return rows


def main():
    from whisper_goldens import SPECS, Case
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument('--out', default=os.path.join(here, '..', '..', 'tests', 'golden', 'whisper'))
    parser.add_argument('--models', nargs='*', default=list(SPECS), choices=list(SPECS))
    args = parser.parse_args()
    torch.set_grad_enabled(False)
    torch.set_num_threads(1)
    write_json(os.path.join(args.out, 'word_times.json'), dict(
        made_by='tools/reference/word_vectors.py', median_filter=median_cases(), warp=warp_cases(), words=word_cases(),
        seek=seek_cases()))
    for name in args.models:
        case = Case(SPECS[name])
        rows = transcripts(case)
        write_json(os.path.join(args.out, name, 'words.json'),
                   dict(made_by='tools/reference/word_vectors.py', transcribe=rows))
        print(name, 'margins', case.margins)


if __name__ == '__main__':
    main()
