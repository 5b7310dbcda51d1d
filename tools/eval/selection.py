"""Which recordings of the development set an evaluation runs over, and the very samples every system is given.

Path: tools/speech/dev_set.py -> here -> run_peer, run_steno -> score.

Most prompts are at 8 kHz. So that two systems' texts can be compared word by word, both get the same 16 kHz 16 bit samples
made here; how each resamples is another question, asked with --original.
"""

from __future__ import annotations

import json
import random
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

SAMPLE_RATE_HZ = 16000
LANGUAGES = ("en", "es", "fr", "it")
PARITY_SHARES = {"en": 20, "es": 10, "fr": 10, "it": 10}  # clips50: mostly English, a taste of the others
LONG_NAMES = ("en_5min", "en_30min")
SAMPLE_SEED = 20


@dataclass(frozen=True)
class Recording:
    """A file, its language and what is said in it."""

    id: str
    path: Path
    language: str
    reference: str
    duration_s: float


def make_recording(row: dict, base: Path) -> Recording:
    """A recording from a manifest's line or a long file's json, which lies in `base`."""
    return Recording(row["id"], base / row["path"], row["language"], row["text"], row["duration_s"])


def is_scorable(row: dict) -> bool:
    """Sentences only: one word more or less in "two" or "B" says little and weighs much."""
    return row["kind"] in ("prompt", "read") and len(row["text"].split()) >= 5 and row["duration_s"] >= 1.5


def sample_clips(dev_set: Path, per_language: int) -> dict[str, list[Recording]]:
    """`per_language` scorable clips of each language (all, where there are fewer). A bigger sample begins with the smaller."""
    manifest = read_rows(dev_set / "manifest.jsonl")
    chosen = {}
    for language in LANGUAGES:
        rows = [row for row in manifest if row["language"] == language and is_scorable(row)]
        rows.sort(key=lambda row: row["id"])
        random.Random(SAMPLE_SEED).shuffle(rows)
        chosen[language] = [make_recording(row, dev_set) for row in rows[:per_language]]
    return chosen


def select(dev_set: Path, name: str, per_language: int) -> list[Recording]:
    """The recordings of a selection: `clips`, `clips50` (its first few a language), `long`, or the name of one long file."""
    if name == "clips":
        return [clip for clips in sample_clips(dev_set, per_language).values() for clip in clips]
    if name == "clips50":
        clips = sample_clips(dev_set, max(PARITY_SHARES.values()))
        return [clip for language, share in PARITY_SHARES.items() for clip in clips[language][:share]]
    folder = dev_set / "long"
    names = LONG_NAMES if name == "long" else (name,)
    return [make_recording(json.loads((folder / f"{n}.json").read_text(encoding="utf-8")), folder) for n in names]


def load_16k(recording: Recording) -> np.ndarray:
    """The recording's samples as int16 mono at 16 kHz."""
    samples, rate = soundfile.read(recording.path, dtype="float32")
    if rate != SAMPLE_RATE_HZ:
        samples = soxr.resample(samples, rate, SAMPLE_RATE_HZ)
    return np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)


def add_selection_flags(parser: ArgumentParser) -> None:
    parser.add_argument("--dev-set", type=Path, required=True, help="folder made by tools/speech/dev_set.py")
    parser.add_argument("--select", default="clips", help="clips | clips50 | long | the name of a file in long/ (default clips)")
    parser.add_argument("--per-language", type=int, default=100, help="clips of each language (default 100)")
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="only these of the selection (default all)")
    parser.add_argument("--original", action="store_true", help="give the files as they are, not the common 16 kHz samples")
    parser.add_argument("--out", type=Path, required=True, help="JSONL to write; recordings already in it are skipped")


def pending(args: Namespace) -> list[Recording]:
    """The selected recordings that `args.out` does not hold yet, so that a run that was cut off can go on."""
    done = {row["id"] for row in read_rows(args.out)} if args.out.exists() else set()
    languages = args.languages.split(",")
    recordings = select(args.dev_set, args.select, args.per_language)
    return [r for r in recordings if r.language in languages and r.id not in done]


def read_rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def append_row(path: Path, row: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")
