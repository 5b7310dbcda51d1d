#!/usr/bin/env python3
"""Runs the steno binary over a selection of the development set and writes what it heard, in run_peer.py's form.

    python tools/eval/run_steno.py --steno build/release/steno --dev-set DEV --model whisper-base-ct2 \\
        --compute-type f32 --beam-size 5 --out steno.jsonl

Clips of one language go to one process together; a long file has a process to itself. `seconds` is then the process's wall
time, load included, times the recording's share of its audio: exact for a long file, an average for clips. What the binary
itself says of its time is on its stderr, which is passed on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path

import soundfile

from selection import SAMPLE_RATE_HZ, Recording, add_selection_flags, append_row, load_16k, pending

LADDER = "0,0.2,0.4,0.6,0.8,1"
SEGMENT_FIELDS = ("start", "end", "text", "tokens", "temperature", "avg_logprob", "compression_ratio", "no_speech_prob")
ALONE_S = 180  # a recording this long gets a process of its own, so that its time and memory are its own


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_selection_flags(parser)
    parser.add_argument("--steno", type=Path, required=True, help="the binary")
    parser.add_argument("--model", required=True, help="model folder, or anything steno's -m takes")
    parser.add_argument("--compute-type", default="f32", help="f32 | bf16 | int8 (default f32)")
    parser.add_argument("--mode", default="sequential")
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--temperature", default=LADDER, help=f"one, or a list to fall back along (default {LADDER})")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--flag", action="append", default=[], help="passed to steno as it is (--flag=--no-x); may repeat")
    return parser.parse_args()


def options_of(args: argparse.Namespace) -> dict:
    """The settings that shape the text, as written to each line."""
    return {
        "system": "steno",
        "model": Path(args.model).name,
        "compute_type": args.compute_type,
        "mode": args.mode,
        "beam_size": args.beam_size,
        "temperature": [float(t) for t in args.temperature.split(",")],
        "threads": args.threads,
        "original": args.original,
        "flags": args.flag,
    }


def place_inputs(recordings: list[Recording], folder: Path, original: bool) -> list[Path]:
    """The recordings as ID.wav in a folder of their own, since prompts of different folders share their names."""
    paths = []
    for recording in recordings:
        path = folder / (recording.id + (recording.path.suffix if original else ".wav"))
        if original:
            path.symlink_to(recording.path.resolve())
        else:
            soundfile.write(path, load_16k(recording), SAMPLE_RATE_HZ, subtype="PCM_16")
        paths.append(path)
    return paths


def steno_command(args: argparse.Namespace, language: str, inputs: list[Path], outputs: Path) -> list[str]:
    return [
        *(str(args.steno), "transcribe", *map(str, inputs)),
        *("-m", args.model, "-l", language, "-f", "json", "-o", str(outputs)),
        *("--compute-type", args.compute_type, "--mode", args.mode, "--beam-size", str(args.beam_size)),
        *("--temperature", args.temperature, "--threads", str(args.threads), *args.flag),
    ]


def run_measured(command: list[str]) -> tuple[float, int]:
    """Wall seconds and peak MiB of a process. Its standard output goes to stderr, out of the way."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=sys.stderr.fileno())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if process.returncode != 0:
        sys.exit(f"steno ended with {process.returncode}: {' '.join(command[:3])} ...")
    return seconds, round(usage.ru_maxrss / 1024)


def read_result(path: Path, recording: Recording) -> dict:
    """One recording's line out of steno's JSON, which has openai-whisper's shape."""
    result = json.loads(path.read_text(encoding="utf-8"))
    return {
        "id": recording.id,
        "language": recording.language,
        "reference": recording.reference,
        "text": result["text"].strip(),
        "segments": [{field: segment.get(field) for field in SEGMENT_FIELDS} for segment in result["segments"]],
    }


def run_group(args: argparse.Namespace, recordings: list[Recording]) -> None:
    """One steno process over recordings of one language; their lines are written when it has ended."""
    with tempfile.TemporaryDirectory(prefix="steno-eval-") as scratch:
        inputs, outputs = Path(scratch, "in"), Path(scratch, "out")
        inputs.mkdir()
        outputs.mkdir()
        paths = place_inputs(recordings, inputs, args.original)
        seconds, peak_rss_mb = run_measured(steno_command(args, recordings[0].language, paths, outputs))
        audio_s = sum(recording.duration_s for recording in recordings)
        for recording in recordings:
            row = read_result(outputs / f"{recording.id}.json", recording)
            row["seconds"] = round(seconds * recording.duration_s / audio_s, 4)
            row["duration_s"] = recording.duration_s
            row["process"] = {"seconds": round(seconds, 3), "num_files": len(recordings), "audio_s": round(audio_s, 3)}
            row["peak_rss_mb"] = peak_rss_mb
            row["options"] = options_of(args)
            append_row(args.out, row)
    print(f"{recordings[0].language}: {len(recordings)} files, {audio_s:.0f} s in {seconds:.1f} s", file=sys.stderr)


def main() -> None:
    args = parse_args()
    for (_, alone), group in groupby(pending(args), key=lambda r: (r.language, r.duration_s >= ALONE_S and r.id)):
        run_group(args, list(group))


if __name__ == "__main__":
    main()
