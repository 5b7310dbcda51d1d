#!/usr/bin/env python3
"""steno against its peers on the same recordings and weights, in interleaved pairs.   `make bench-peers` runs it.

    python bench/peers/compare.py --steno build/release/steno --model ~/.cache/steno/models/whisper-base --dev-set DEV --out OUT

A pair is a run of steno and a run of a peer, one after the other, in alternating order; a ratio is taken within each pair, so
that a neighbour's load or a drifting clock weighs on both. A round goes through all pairs, and the rounds follow each other.
Times are of transcription: model loaded, and for the peers the audio decoded too, before the clock starts; steno's has its
decoding in it. Peak memory is that of the whole process; of several at once, the sum. A first round of all is not counted.

OUT/runs.json has every run, and after each round what was measured so far; report.py makes the tables and the plot of it.
Peers that cannot run here are skipped, and the reason is told. contenders.py says who they are.

Sets: en_1min, en_5min, en_30min, en_60min (of the development set), clips (200 short English ones), answer (one clip of about
10 s, model loaded and warm, five times). A child's peak memory is never below its parent's size when it was started, so this
program keeps no audio.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import soundfile

from contenders import Match, matches
from systems import SYSTEMS

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "eval"))
from selection import SAMPLE_RATE_HZ, Recording, load_16k, sample_clips, select  # noqa: E402

HERE = Path(__file__).resolve().parent
ANSWER_ROUNDS = 5
NUM_CLIPS = 200
CORES = len(os.sched_getaffinity(0))


def recordings_of(dev_set: Path, name: str) -> list[Recording]:
    if name == "clips":
        return sample_clips(dev_set, NUM_CLIPS)["en"]
    if name == "answer":
        return [min(sample_clips(dev_set, 10_000)["en"], key=lambda clip: abs(clip.duration_s - 10))]
    return select(dev_set, name, 0)


class Materials:
    """The sets as wave files of 16 kHz that every system is given, and their list in the peers' form and in steno's."""

    def __init__(self, folder: Path, dev_set: Path, name: str):
        self.recordings = recordings_of(dev_set, name)
        self.audio_s = sum(recording.duration_s for recording in self.recordings)
        self.rounds = ANSWER_ROUNDS if name == "answer" else 1
        self.for_peers, self.for_steno = folder / f"{name}.json", folder / f"{name}.jsonl"
        rows = []
        for recording in self.recordings:
            path = folder / f"{recording.id}.wav"
            soundfile.write(path, load_16k(recording), SAMPLE_RATE_HZ, subtype="PCM_16")
            rows.append({"path": str(path), "language": recording.language, "text": recording.reference})
        self.for_peers.write_text(json.dumps(rows), encoding="utf-8")
        sets = [f"round {number}" for number in range(self.rounds + (self.rounds > 1))]
        self.for_steno.write_text("".join(json.dumps({**row, "set": s}) + "\n" for s in sets for row in rows), encoding="utf-8")


def run_steno(args: argparse.Namespace, match: Match, materials: Materials, scratch: Path) -> dict:
    out = scratch / "steno.json"
    command = [str(args.steno), "bench", "asr", str(materials.for_steno), "-m", str(args.model), "--temperature", "0"]
    command += ["--threads", str(CORES), *match.contender.steno, "--json", str(out), "-q"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    report = json.loads(out.read_text(encoding="utf-8"))
    counted = report["sets"][-materials.rounds :]
    return {
        "seconds": [row["wall_s"] for row in counted],
        "speed": sum(materials.audio_s / row["wall_s"] for row in counted) / len(counted),
        "cpu_s": sum(row["cpu_s"] for row in counted) / len(counted),
        "load_s": report["load_s"],
        "peak_rss_mb": report["peak_memory_bytes"] / 2**20,
        "texts": [row["text"].strip() for row in report["files"][-len(materials.recordings) :]],
        "version": f"steno {report['version']}",
    }


def start_worker(args: argparse.Namespace, match: Match, materials: Materials, threads: int, out: Path) -> subprocess.Popen:
    contender = match.contender
    job = {"system": contender.system, "settings": contender.settings, "model": str(args.model), "cache": str(args.cache),
           "threads": threads, "recordings": str(materials.for_peers), "rounds": materials.rounds, "out": str(out)}  # fmt: skip
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, str(HERE / "worker.py"), json.dumps(job)]
    with out.with_suffix(".log").open("w", encoding="utf-8") as log:  # some tell much of what they do
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)


def wait_ready(process: subprocess.Popen) -> None:
    """Until it says so, or ends. Peers write to standard output too."""
    for line in process.stdout:
        if line == "ready\n":
            return


def say_go(process: subprocess.Popen) -> None:
    try:
        process.stdin.write("go\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it has ended: finish() tells why


def finish(process: subprocess.Popen, out: Path) -> float:
    """Waits for the end; the peak memory in MiB."""
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        said = out.with_suffix(".log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise RuntimeError(f"ended with {process.returncode}: {said[-1] if said else 'without a word'}")
    return usage.ru_maxrss / 1024


def run_peer(args: argparse.Namespace, match: Match, materials: Materials, scratch: Path) -> dict:
    num_processes, threads = (CORES, 1) if match.layout == "each" else (1, CORES)
    outs = [scratch / f"peer{i}.json" for i in range(num_processes)]
    processes = [start_worker(args, match, materials, threads, out) for out in outs]
    try:
        for process in processes:
            wait_ready(process)
        for process in processes:
            say_go(process)
        peaks = [finish(process, out) for process, out in zip(processes, outs)]
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
                process.wait()
    results = [json.loads(out.read_text(encoding="utf-8")) for out in outs]
    seconds = [second for result in results for second in result["seconds"]]
    return {
        "seconds": seconds,
        "speed": sum(materials.audio_s / second for second in seconds) / materials.rounds,
        "cpu_s": sum(result["cpu_s"] for result in results) / num_processes,
        "load_s": max(result["load_s"] for result in results),
        "peak_rss_mb": sum(peaks),
        "texts": results[0]["texts"],
        "version": results[0]["version"],
    }


def run_pair(args: argparse.Namespace, match: Match, materials: Materials, scratch: Path, number: int) -> dict:
    turns = [("steno", run_steno), ("peer", run_peer)]
    pair = {}
    for name, run in turns[:: -1 if number % 2 else 1]:
        pair[name] = run(args, match, materials, scratch)
    ratio = pair["steno"]["speed"] / pair["peer"]["speed"]
    print(f"{match.set}, {match.name}: steno {pair['steno']['speed']:.1f}x, peer {pair['peer']['speed']:.1f}x, ratio {ratio:.2f}",
          file=sys.stderr, flush=True)  # fmt: skip
    return pair


def machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown processor")
    memory_gib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return f"{CORES} cores of {name}, {memory_gib:.0f} GiB, {os.uname().sysname} {os.uname().release}"


def write_runs(args: argparse.Namespace, pending: list[Match], materials: dict, skipped: dict[str, str], num_pairs: int) -> None:
    document = {
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "model": args.model.name,
        "num_pairs": num_pairs,
        "skipped": skipped,
        "sets": {
            name: {"audio_s": m.audio_s, "languages": [r.language for r in m.recordings], "references": [r.reference for r in m.recordings]}
            for name, m in materials.items()
        },
        "matches": [
            {"set": m.set, "name": m.contender.name, "layout": m.layout, "steno": " ".join(m.contender.steno), "pairs": m.pairs}
            for m in pending if m.pairs
        ],
    }  # fmt: skip
    partial = args.out / "runs.json.part"
    partial.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    os.replace(partial, args.out / "runs.json")


def run_round(args: argparse.Namespace, pending: list[Match], materials: dict, skipped: dict[str, str], number: int) -> None:
    """All pairs once. Round 0 is not counted; whoever fails there is left out from then on."""
    with tempfile.TemporaryDirectory(prefix="steno-peers-") as scratch:
        for match in list(pending):
            try:
                pair = run_pair(args, match, materials[match.set], Path(scratch), number)
            except RuntimeError as error:
                skipped[f"{match.name} on {match.set}"] = str(error)
                print(f"{match.set}, {match.name}: skipped: {error}", file=sys.stderr, flush=True)
                pending.remove(match)
                continue
            if number > 0:
                match.pairs.append(pair)


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steno", type=Path, required=True, help="the binary")
    parser.add_argument("--model", type=Path, required=True, help="CTranslate2 folder of a Whisper in a float type, for all")
    parser.add_argument("--dev-set", type=Path, required=True, help="folder made by tools/speech/dev_set.py")
    parser.add_argument("--out", type=Path, required=True, help="folder for runs.json")
    parser.add_argument("--cache", type=Path, help="folder for the weights in the peers' formats (default OUT/weights)")
    parser.add_argument("--sets", default="en_5min,en_30min,clips,answer", help="default: %(default)s")
    parser.add_argument("--only", default="*", help="patterns of contenders and layouts, parted by ';': 'faster-whisper*;*q8_0*, each'")
    parser.add_argument("--pairs", type=int, default=5)
    args = parser.parse_args()
    args.cache = args.cache or args.out / "weights"
    return args


def main() -> None:
    args = parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    skipped = {name: reason for name, system in SYSTEMS.items() if (reason := system.missing())}
    for name, reason in skipped.items():
        print(f"{name}: skipped: {reason}", file=sys.stderr)
    wanted = matches(args.sets.split(","), [pattern.strip() for pattern in args.only.split(";")])
    pending = [match for match in wanted if match.contender.system not in skipped]
    with tempfile.TemporaryDirectory(prefix="steno-peers-") as folder:
        materials = {name: Materials(Path(folder), args.dev_set, name) for name in dict.fromkeys(match.set for match in pending)}
        for number in range(args.pairs + 1):
            run_round(args, pending, materials, skipped, number)
            write_runs(args, pending, materials, skipped, number)
    print(f"{args.out / 'runs.json'}: this program's own peak was {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB", file=sys.stderr)


if __name__ == "__main__":
    main()
