#!/usr/bin/env python3
"""Compares steno's word times with openai-whisper's on the same weights and samples.

    python tools/eval/word_times.py --steno build/release/steno --dev-set DEV --model whisper-base-ct2 --num-clips 20 \\
        --out words.jsonl

Both decode greedily at temperature 0 in f32, the language given. Where the texts agree the words can be compared one by one:
the differences of their begins, ends and probabilities are summed up, and every word that differs is listed. A line of --out
for each recording has both systems' words. Needs torch and openai-whisper (tools/reference/requirements.txt) beside
tools/eval/requirements.txt.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from itertools import groupby
from pathlib import Path

import numpy as np
import soundfile
import torch
import whisper

import openai_model
from selection import SAMPLE_RATE_HZ, Recording, load_16k, select

TIME_TOLERANCE_S = 0.005  # both are told in hundredths


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steno", type=Path, required=True, help="the binary")
    parser.add_argument("--dev-set", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="CTranslate2 folder, in a float type")
    parser.add_argument("--select", default="clips50", help="as in run_steno.py (default clips50)")
    parser.add_argument("--num-clips", type=int, default=20, help="spread over the selection (default 20)")
    parser.add_argument("--compute-type", default="f32", help="steno's")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def words_of(segments: list[dict]) -> list[dict]:
    return [word for segment in segments for word in segment.get("words", [])]


def steno_words(args: argparse.Namespace, recordings: list[Recording], folder: Path) -> list[list[dict]]:
    """Recordings of one language, by one process."""
    paths = []
    for recording in recordings:
        paths.append(folder / f"{recording.id}.wav")
        soundfile.write(paths[-1], load_16k(recording), SAMPLE_RATE_HZ, subtype="PCM_16")
    subprocess.run(
        [*(str(args.steno), "transcribe", *map(str, paths), "-m", str(args.model), "-l", recordings[0].language),
         *("-f", "json", "-o", str(folder), "--compute-type", args.compute_type, "--mode", "sequential"),
         *("--beam-size", "1", "--temperature", "0", "--threads", str(args.threads), "--word-timestamps", "-q")],
        check=True,
    )
    return [words_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["segments"]) for path in paths]


def reference_words(model: whisper.model.Whisper, recording: Recording) -> list[dict]:
    audio = load_16k(recording).astype(np.float32) / 32768.0
    result = whisper.transcribe(model, audio, language=recording.language, temperature=0.0, fp16=False, word_timestamps=True)
    end = len(audio) / SAMPLE_RATE_HZ  # steno's times stay inside the audio
    return [{**word, "start": min(word["start"], end), "end": min(word["end"], end)} for word in words_of(result["segments"])]


def differences(ours: list[dict], theirs: list[dict]) -> dict[str, list[float]]:
    pairs = list(zip(ours, theirs))
    return {key: [abs(a[key] - b[key]) for a, b in pairs] for key in ("start", "end", "probability")}


def compare(row: dict, totals: dict[str, list[float]]) -> None:
    ours, theirs = row["steno"], row["openai-whisper"]
    if [w["word"] for w in ours] != [w["word"] for w in theirs]:
        print(f"{row['id']}: other words\n  steno  {''.join(w['word'] for w in ours)}\n  openai {''.join(w['word'] for w in theirs)}")
        return
    for key, values in differences(ours, theirs).items():
        totals[key].extend(values)
    for a, b in zip(ours, theirs):
        if max(abs(a["start"] - b["start"]), abs(a["end"] - b["end"])) > TIME_TOLERANCE_S:
            print(f"{row['id']}: {a['word']!r} {a['start']:.2f}-{a['end']:.2f}, openai-whisper {b['start']:.2f}-{b['end']:.2f}")


def main() -> None:
    args = parse_args()
    torch.set_num_threads(args.threads)
    recordings = select(args.dev_set, args.select, args.num_clips)
    step = max(1, len(recordings) // args.num_clips)
    recordings = sorted(recordings[::step][: args.num_clips], key=lambda r: r.language)
    model = openai_model.load(args.model)
    totals: dict[str, list[float]] = {"start": [], "end": [], "probability": []}
    with tempfile.TemporaryDirectory(prefix="steno-words-") as scratch, args.out.open("w", encoding="utf-8") as out:
        for _, group in groupby(recordings, key=lambda r: r.language):
            same_language = list(group)
            for recording, ours in zip(same_language, steno_words(args, same_language, Path(scratch))):
                row = {"id": recording.id, "steno": ours, "openai-whisper": reference_words(model, recording)}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                compare(row, totals)
    for key, values in totals.items():
        print(f"{key}: {len(values)} words, median {np.median(values):.4f}, 95 % {np.percentile(values, 95):.4f}, "
              f"most {np.max(values):.4f}")


if __name__ == "__main__":
    main()
