#!/usr/bin/env python3
"""One file, steno against faster-whisper: same weights, same threads, int8, greedy; window by window or in batches.

    pip install -r tools/eval/requirements.txt
    python bench/one_file.py --mode parallel --steno build/release/steno --model whisper-base-ct2 \
        --file DEV/long/en_5min.wav --out OUT

Each run is a process of its own. The two systems run in turns, in pairs whose order alternates, and a ratio is taken within
each pair, so that a neighbour's load or a drifting clock weighs on both. Two ratios are given:
  whole process   start to exit of either, Python's imports and the peer's model load included;
  transcription   the peer's transcription alone, audio decoded and model loaded before the clock starts, over steno's WHOLE
                  process: steno's load and decoding count against it.
Mode sequential is both systems' seek loop; parallel is steno's default against faster-whisper's BatchedInferencePipeline with
its own speech detector and batches of 16. Both at temperature 0, so that sampling does not change the work. OUT gets MODE.md,
MODE.json with every run, and the texts as steno.jsonl and faster-whisper.jsonl, for tools/eval/score.py.

This program imports nothing big: a child's peak memory is never below its parent's size when it was started.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Run:
    """One process: what it took and what it heard."""

    system: str
    process_s: float
    transcription_s: float
    cpu_s: float
    peak_rss_mb: int
    result: dict  # {text, segments}


def measure(system: str, command: list[str], result_path: Path) -> Run:
    """Runs a process that leaves its result, and maybe `transcription_s` within it, at `result_path`."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process_s = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{system} ended with {process.returncode}: {' '.join(command)}")
    result = json.loads(result_path.read_text(encoding="utf-8"))
    transcription_s = result.pop("transcription_s", process_s)
    cpu_s = usage.ru_utime + usage.ru_stime
    return Run(system, process_s, transcription_s, cpu_s, round(usage.ru_maxrss / 1024), result)


def run_steno(args: argparse.Namespace, scratch: Path) -> Run:
    command = [
        *(str(args.steno), "transcribe", str(args.file), "-m", str(args.model), "-l", args.language),
        *("-f", "json", "-o", str(scratch), "--compute-type", args.compute_type, "--mode", args.mode),
        *("--beam-size", "1", "--temperature", "0", "--threads", str(args.threads)),
    ]
    return measure("steno", command, scratch / f"{args.file.stem}.json")


def run_peer(args: argparse.Namespace, scratch: Path) -> Run:
    result_path = scratch / "peer.json"
    child = [str(args.model), str(args.file), args.language, args.compute_type, str(args.threads), args.mode, str(result_path)]
    return measure("faster-whisper", [sys.executable, __file__, "--as-peer", *child], result_path)


def be_the_peer(
    model_dir: str, file: str, language: str, compute_type: str, threads: str, mode: str, result_path: str
) -> None:
    """The peer's own process: load, decode, then transcribe under the clock."""
    from faster_whisper import BatchedInferencePipeline, WhisperModel, decode_audio

    model = WhisperModel(model_dir, device="cpu", compute_type=compute_type, cpu_threads=int(threads))
    audio = decode_audio(file)
    begin = time.perf_counter()
    options = {"language": language, "beam_size": 1, "temperature": 0}
    if mode == "parallel":
        segments, _ = BatchedInferencePipeline(model).transcribe(audio, batch_size=16, **options)
    else:
        segments, _ = model.transcribe(audio, **options)
    rows = [{"start": s.start, "end": s.end, "text": s.text, "tokens": s.tokens} for s in segments]
    result = {"text": "".join(row["text"] for row in rows), "segments": rows, "transcription_s": time.perf_counter() - begin}
    Path(result_path).write_text(json.dumps(result), encoding="utf-8")


def run_pairs(args: argparse.Namespace) -> list[tuple[Run, Run]]:
    """`args.pairs` pairs of (steno, peer), run in alternating order, after a warm-up of each that is not counted."""
    turns: list[Callable[[argparse.Namespace, Path], Run]] = [run_steno, run_peer]
    pairs = []
    with tempfile.TemporaryDirectory(prefix="steno-bench-") as scratch:
        for number in range(args.pairs + 1):
            runs = {run.system: run for run in (turn(args, Path(scratch)) for turn in turns)}
            steno, peer = runs["steno"], runs["faster-whisper"]
            label = f"pair {number}" if number else "warm-up"
            print(f"{label}: steno {steno.process_s:.2f} s, peer {peer.process_s:.2f} s", file=sys.stderr, flush=True)
            if number:
                pairs.append((steno, peer))
            turns.reverse()
    return pairs


def spread(values: list[float], digits: int = 2, unit: str = "") -> str:
    """Median (min-max)."""
    low, middle, high = (f"{v:.{digits}f}" for v in (min(values), statistics.median(values), max(values)))
    return f"{middle}{unit} ({low}-{high})"


def machine() -> str:
    """The processor's name and how many of it this process may use."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown processor")
    return f"{len(os.sched_getaffinity(0))} x {name}"


def table(args: argparse.Namespace, pairs: list[tuple[Run, Run]], audio_s: float) -> str:
    """The result as markdown."""
    lines = [
        f"{args.file.name} ({audio_s:.1f} s), {args.model.name}, {args.compute_type}, greedy, temperature 0, {args.mode}, "
        f"{args.threads} threads, {len(pairs)} pairs; {machine()}. Median (min-max).",
        "",
        "| system | whole process, s | transcription, s | audio s per s | CPU-s per audio-min | peak RSS, MiB |",
        "|---|---|---|---|---|---|",
    ]
    for runs in zip(*pairs):
        columns = [
            spread([run.process_s for run in runs]),
            spread([run.transcription_s for run in runs]) + (", load included" if runs[0].system == "steno" else ""),
            spread([audio_s / run.transcription_s for run in runs], 1),
            spread([run.cpu_s / audio_s * 60 for run in runs]),
            spread([run.peak_rss_mb for run in runs], 0),
        ]
        lines.append(f"| {runs[0].system} | {' | '.join(columns)} |")
    whole = [peer.process_s / steno.process_s for steno, peer in pairs]
    alone = [peer.transcription_s / steno.process_s for steno, peer in pairs]
    memory = [peer.peak_rss_mb / steno.peak_rss_mb for steno, peer in pairs]
    lines += [
        "",
        f"steno is faster by, whole process: **{spread(whole, 2, 'x')}**; its whole process against the peer's transcription "
        f"alone: **{spread(alone, 2, 'x')}**. The peer's memory is {spread(memory, 2, 'x')} steno's.",
    ]
    return "\n".join(lines) + "\n"


def write_texts(args: argparse.Namespace, pairs: list[tuple[Run, Run]], reference: dict) -> None:
    """The last pair's texts in the form tools/eval/score.py reads."""
    for run in pairs[-1]:
        row = {"id": reference["id"], "language": args.language, "reference": reference["text"], **run.result}
        row |= {"text": row["text"].strip(), "seconds": run.transcription_s, "duration_s": reference["duration_s"]}
        (args.out / f"{run.system}.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steno", type=Path, required=True, help="the binary")
    parser.add_argument("--model", type=Path, required=True, help="CTranslate2 model folder, for both")
    parser.add_argument("--file", type=Path, required=True, help="a long file of the development set, its .json beside it")
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--mode", choices=["parallel", "sequential"], default="parallel")
    parser.add_argument("--language", default="en")
    parser.add_argument("--compute-type", default="int8", help="what both are asked for (default int8)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=5)
    args = parser.parse_args()

    reference = json.loads(args.file.with_suffix(".json").read_text(encoding="utf-8"))
    pairs = run_pairs(args)
    args.out.mkdir(parents=True, exist_ok=True)
    runs = [[{k: v for k, v in asdict(run).items() if k != "result"} for run in pair] for pair in pairs]
    (args.out / f"{args.mode}.json").write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    (args.out / f"{args.mode}.md").write_text(table(args, pairs, reference["duration_s"]), encoding="utf-8")
    write_texts(args, pairs, reference)
    print((args.out / f"{args.mode}.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-peer"]:
        be_the_peer(*sys.argv[2:])
    else:
        main()
