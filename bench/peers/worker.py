#!/usr/bin/env python3
"""One process of a peer: loads, says "ready", waits for a line, transcribes under the clock, and leaves a JSON.

    worker.py '{"system": ..., "settings": ..., "model": ..., "cache": ..., "threads": 1, "recordings": ..., "rounds": 1, "out": ...}'

compare.py starts these; several that are to run at once get their line at once. `recordings` is a JSON of [{path, language}],
wave files of 16 kHz, which are read before the clock starts. With several rounds the first is not counted and `seconds` has
one figure a round: how long an answer takes when the model is loaded and warm.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system


def main() -> None:
    job = json.loads(sys.argv[1])
    begin = time.perf_counter()
    import soundfile

    from systems import SYSTEMS

    system = SYSTEMS[job["system"]](Path(job["model"]), Path(job["cache"]), job["threads"], job["settings"])
    load_s = time.perf_counter() - begin
    recordings = json.loads(Path(job["recordings"]).read_text(encoding="utf-8"))
    audio = [(soundfile.read(row["path"], dtype="float32")[0], row["language"]) for row in recordings]
    print("ready", flush=True)
    sys.stdin.readline()

    seconds, texts, cpu_begin_s = [], [], 0.0
    for number in range(job["rounds"] + (job["rounds"] > 1)):
        if number == int(job["rounds"] > 1):
            cpu_begin_s = cpu_seconds()
        begin = time.perf_counter()
        texts = [system.transcribe(samples, language).strip() for samples, language in audio]
        seconds.append(time.perf_counter() - begin)
    result = {"load_s": load_s, "seconds": seconds[-job["rounds"] :], "cpu_s": (cpu_seconds() - cpu_begin_s) / job["rounds"],
              "texts": texts, "version": system.version()}  # fmt: skip
    Path(job["out"]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
