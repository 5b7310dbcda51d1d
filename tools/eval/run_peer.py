#!/usr/bin/env python3
"""Runs faster-whisper, one file after another, over a selection of the development set and writes what it heard.

    python tools/eval/run_peer.py --dev-set DEV --model whisper-base-ct2 --compute-type float32 --beam-size 5 --out peer.jsonl

A line each: {id, language, reference, text, segments: [{start, end, text, tokens, temperature, avg_logprob, no_speech_prob}],
seconds, duration_s, load_seconds, peak_rss_mb, options}. `seconds` is transcription alone; decoding the file is in it only
with --original. The language is given, voice activity detection and word times are off, all else is the peer's default.

With one temperature, --reuse LADDER.jsonl copies the recordings that the same settings with a ladder decoded at that
temperature anyway, which is most, and runs only the others.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

import ctranslate2
import numpy as np
from faster_whisper import WhisperModel

from selection import Recording, add_selection_flags, append_row, load_16k, pending, read_rows

LADDER = "0,0.2,0.4,0.6,0.8,1"
SEGMENT_FIELDS = ("start", "end", "text", "tokens", "temperature", "avg_logprob", "compression_ratio", "no_speech_prob")
SEED = 0  # sampling at a temperature above 0 then repeats, per file


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_selection_flags(parser)
    parser.add_argument("--model", required=True, help="CTranslate2 model folder")
    parser.add_argument("--compute-type", default="float32", help="float32 | int8 (default float32)")
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--temperature", default=LADDER, help=f"one, or a list to fall back along (default {LADDER})")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reuse", type=Path, help="JSONL of the same settings with a ladder")
    return parser.parse_args()


def options_of(args: argparse.Namespace) -> dict:
    """The settings that shape the text, as written to each line."""
    return {
        "system": "faster-whisper 1.2.1",
        "model": Path(args.model).name,
        "compute_type": args.compute_type,
        "beam_size": args.beam_size,
        "temperature": [float(t) for t in args.temperature.split(",")],
        "threads": args.threads,
        "original": args.original,
    }


def transcribe(model: WhisperModel, recording: Recording, options: dict) -> dict:
    """One recording's line. Segments are computed as they are drawn, so drawing them all is within the time."""
    ctranslate2.set_random_seed(SEED)
    audio = str(recording.path) if options["original"] else load_16k(recording).astype(np.float32) / 32768.0
    begin = time.perf_counter()
    segments, _ = model.transcribe(
        audio,
        language=recording.language,
        beam_size=options["beam_size"],
        temperature=options["temperature"],
        vad_filter=False,
        word_timestamps=False,
    )
    rows = [{field: getattr(segment, field) for field in SEGMENT_FIELDS} for segment in segments]
    seconds = time.perf_counter() - begin
    return {
        "id": recording.id,
        "language": recording.language,
        "reference": recording.reference,
        "text": "".join(row["text"] for row in rows).strip(),
        "segments": rows,
        "seconds": round(seconds, 4),
        "duration_s": recording.duration_s,
    }


def fell_back(row: dict, temperature: float) -> bool:
    """Whether a ladder's line may differ from one decoded at `temperature` alone. A line without segments doesn't tell."""
    return not row["segments"] or any(segment["temperature"] != temperature for segment in row["segments"])


def reusable_rows(path: Path, options: dict) -> dict[str, dict]:
    """A ladder run's lines, by id, that hold for the single temperature of `options`."""
    (temperature,) = options["temperature"]
    rows = {row["id"]: row for row in read_rows(path) if not fell_back(row, temperature)}
    for row in rows.values():
        theirs = {**row["options"], "temperature": options["temperature"]}
        if theirs != options:
            sys.exit(f"--reuse {path}: made with {row['options']}, this run has {options}")
        row["options"] = {**options, "reused": True}
    return rows


def main() -> None:
    args = parse_args()
    options = options_of(args)
    reusable = reusable_rows(args.reuse, options) if args.reuse else {}
    recordings = pending(args)

    begin = time.perf_counter()
    model = WhisperModel(args.model, device="cpu", compute_type=args.compute_type, cpu_threads=args.threads)
    load_seconds = round(time.perf_counter() - begin, 3)
    for number, recording in enumerate(recordings, start=1):
        row = reusable.get(recording.id)
        if row is None:
            row = transcribe(model, recording, options)
            row["load_seconds"] = load_seconds
            row["peak_rss_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
            row["options"] = options
        append_row(args.out, row)
        print(f"{number}/{len(recordings)} {recording.id} {row['seconds']:.2f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
