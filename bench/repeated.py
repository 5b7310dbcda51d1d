#!/usr/bin/env python3
"""A manifest for `steno bench asr`: a recording of tools/speech/dev_set.py, and a file that is the same several times over.

    python3 bench/repeated.py DEV/long/en_30min.json ten_hours.wav 20 > lengths.jsonl

Each is a set of its own, so that each has its own speed. Standard library only.
"""

import argparse
import json
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("once", type=Path, help="the recording's json; its wav lies beside it")
    parser.add_argument("repeated", type=Path, help="the longer file")
    parser.add_argument("times", type=int, help="how often it holds the recording")
    args = parser.parse_args()
    row = json.loads(args.once.read_text(encoding="utf-8"))
    for path, times in ((args.once.with_suffix(".wav"), 1), (args.repeated, args.times)):
        text = " ".join([row["text"]] * times)
        print(json.dumps({"path": str(path.resolve()), "language": row["language"], "text": text, "set": f"{times} x {args.once.stem}"}))


if __name__ == "__main__":
    main()
