#!/usr/bin/env python3
"""Word error rates of one or more runs, and how far their texts agree.

    python tools/eval/score.py peer.jsonl steno.jsonl [--differences 20] [--json scores.json]

Errors are pooled: all errors of a set over all its words, so that a short clip weighs little. Text is normalised first, by
Whisper's English normaliser for English and its basic one for the rest; Spanish loses its accents on both sides, since the
prompts' script has none. Long files are sets of their own. Only recordings that every run has are scored, and how many
were left out is said. Agreement is with the first run: the raw texts equal to the letter, equal after normalising, and
equal with every segment's times equal too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import jiwer
from whisper_normalizer.basic import BasicTextNormalizer
from whisper_normalizer.english import EnglishTextNormalizer

from selection import read_rows

Run = dict[str, dict]  # id -> line
TIME_TOLERANCE_S = 0.011  # half of Whisper's 20 ms grid, and a rounding: equal means the same timestamp token
POOLED = "clips, all"


@cache
def normaliser(language: str) -> Callable[[str], str]:
    return EnglishTextNormalizer() if language == "en" else BasicTextNormalizer(remove_diacritics=language == "es")


def normalise(language: str, text: str) -> str:
    return " ".join(normaliser(language)(text).split())


def set_of(row: dict) -> str:
    """The set a line counts in: its language's clips, or for a long file (en_5min, en_5min_white0) that file."""
    return row["id"] if row["id"].startswith(f"{row['language']}_") else f"clips, {row['language']}"


def word_errors(rows: list[dict]) -> dict:
    """Pooled counts over some lines."""
    references = [normalise(row["language"], row["reference"]) for row in rows]
    texts = [normalise(row["language"], row["text"]) for row in rows]
    counts = jiwer.process_words(references, texts)
    words = counts.hits + counts.substitutions + counts.deletions
    return {
        "num_files": len(rows),
        "num_words": words,
        "substitutions": counts.substitutions,
        "deletions": counts.deletions,
        "insertions": counts.insertions,
        "wer": counts.wer,
        "seconds": sum(row["seconds"] for row in rows),
        "audio_s": sum(row["duration_s"] for row in rows),
    }


def same_times(a: dict, b: dict) -> bool:
    pairs = list(zip(a["segments"], b["segments"]))
    return len(a["segments"]) == len(b["segments"]) and all(
        abs(x[edge] - y[edge]) < TIME_TOLERANCE_S for x, y in pairs for edge in ("start", "end")
    )


def agreement(run: list[dict], first: list[dict]) -> dict:
    """How many of a run's lines say what the first run's say."""
    pairs = list(zip(run, first))
    equal = [(a, b) for a, b in pairs if a["text"] == b["text"]]
    return {
        "texts": len(equal),
        "texts_normalised": sum(normalise(a["language"], a["text"]) == normalise(b["language"], b["text"]) for a, b in pairs),
        "texts_and_times": sum(same_times(a, b) for a, b in equal),
        "differing": [a["id"] for a, b in pairs if a["text"] != b["text"]],
    }


def ids_by_set(first: Run, ids: list[str]) -> dict[str, list[str]]:
    """The sets' recordings, in the order of the first run, and all clips together where there are several languages."""
    sets: dict[str, list[str]] = {}
    for id in ids:
        sets.setdefault(set_of(first[id]), []).append(id)
    clip_sets = [members for name, members in sets.items() if name.startswith("clips, ")]
    if len(clip_sets) > 1:
        sets[POOLED] = [id for members in clip_sets for id in members]
    return sets


def score(runs: dict[str, Run]) -> list[dict]:
    """A record for each set and run."""
    first = next(iter(runs.values()))
    common = [id for id in first if all(id in run for run in runs.values())]
    if left_out := {name: len(run) - len(common) for name, run in runs.items() if len(run) > len(common)}:
        print(f"not in every run, left out: {left_out}", file=sys.stderr)
    records = []
    for set_name, ids in ids_by_set(first, common).items():
        for name, run in runs.items():
            rows = [run[id] for id in ids]
            records.append({"set": set_name, "run": name, **word_errors(rows), "agrees": agreement(rows, [first[id] for id in ids])})
    return records


def print_table(records: list[dict]) -> None:
    print("| set | run | files | words | WER % | S/D/I | seconds | RTFx | text = first | normalised = | text and times = |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for r in records:
        sdi = f"{r['substitutions']}/{r['deletions']}/{r['insertions']}"
        agrees = " | ".join(str(r["agrees"][key]) for key in ("texts", "texts_normalised", "texts_and_times"))
        speed = f"{r['seconds']:.1f} | {r['audio_s'] / r['seconds']:.1f}" if r["seconds"] else "- | -"
        print(f"| {r['set']} | {r['run']} | {r['num_files']} | {r['num_words']} | {100 * r['wer']:.2f} | {sdi} | {speed} | {agrees} |")


def print_differences(records: list[dict], runs: dict[str, Run], limit: int) -> None:
    """The first `limit` differing clips of each run, with both texts and the script."""
    first_name, first = next(iter(runs.items()))
    for name, run in list(runs.items())[1:]:
        ids = [id for r in records if r["run"] == name and r["set"] != POOLED for id in r["agrees"]["differing"]]
        print(f"\n{name} differs from {first_name} in {len(ids)} files" + (f", the first {limit}:" if len(ids) > limit else ""))
        for id in ids[:limit]:
            print(f"\n{id}\n    script: {first[id]['reference']}\n    {first_name}: {first[id]['text']}\n    {name}: {run[id]['text']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", help="JSONL files; the others are compared with the first")
    parser.add_argument("--differences", type=int, default=0, metavar="N", help="show the first N differing files of each run")
    parser.add_argument("--json", type=Path, help="write the scores here too")
    args = parser.parse_args()

    runs = {path.stem: {row["id"]: row for row in read_rows(path)} for path in args.runs}
    records = score(runs)
    print_table(records)
    if args.differences:
        print_differences(records, runs, args.differences)
    if args.json:
        args.json.write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
