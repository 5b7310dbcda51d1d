#!/usr/bin/env python3
"""Encoder and decode steps of the big models' shapes, steno against CTranslate2 (faster-whisper's engine), on random weights.

    cmake --build build/release --target shapes_bench
    python bench/shapes.py --bench build/release/bench/shapes_bench --tokenizer whisper-base-ct2 --out build/shapes

Weights come from tools/random_whisper.py, audio is noise, int8 on both sides. Each system is a process that stays loaded; they
run in turns, in pairs whose order alternates, and a ratio is taken within each pair, so that a neighbour's load weighs on both.
  encode    one window of 30 s. Ours also makes the decoder's keys and values of it; the peer does that in generate().
  decode    a token for each of --batch windows, greedily, the end of the text suppressed. The peer's step is the difference of
            two lengths of generate(), so that neither the prompt nor the keys of the windows count; ours is timed alone.
The floor of encode is its operations over what our int8 linear layer does at the encoder's largest product, that of decode its
bytes read once a step over the bandwidth; both are measured by our process between the pairs, by CPU time, for each thread.
"% of peak" has the operations over a loop of multiply-adds that never leaves the registers. OUT gets shapes.json, shapes.md.
Needs tools/eval/requirements.txt.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import random_whisper  # noqa: E402
from random_whisper import NUM_POSITIONS, SIZES, Size  # noqa: E402

PEER = "faster-whisper"
SHORT_TOKENS = 4  # of the peer's shorter generate(), as many as the prompt, which it counts against max_length
IDLE_S = 0.3  # OpenMP's threads spin for a while after their work


class Worker:
    """A process that answers a line of command with a line of JSON."""

    def __init__(self, command: list[str], environment: dict[str, str] | None = None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | (environment or {})
        )
        self.answer()

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"shapes: {self.process.args[0]} ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, *words: object) -> dict:
        time.sleep(IDLE_S)
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


# ---- the peer, in a process of its own


def serve_peer(folder: str, num_threads: int, batch: int) -> None:
    import ctranslate2
    import numpy as np

    model = ctranslate2.models.Whisper(folder, device="cpu", compute_type="int8", intra_threads=num_threads)
    noise = np.random.default_rng(1).uniform(-1, 1, (1, model.n_mels, 3000)).astype(np.float32)
    mel = ctranslate2.StorageView.from_array(noise)
    states = np.repeat(np.array(model.encode(mel, to_cpu=True)), batch, axis=0)  # as if each were another window
    windows = ctranslate2.StorageView.from_array(np.ascontiguousarray(states))
    tokens = json.loads((Path(folder) / "vocabulary.json").read_text(encoding="utf-8"))
    prompt = [tokens.index(f"<|{name}|>") for name in ("startoftranscript", "en", "transcribe", "notimestamps")]
    end = tokens.index("<|endoftext|>")

    def encode() -> None:
        model.encode(mel, to_cpu=True)

    def generate(num_tokens: int) -> None:
        results = model.generate(  # it halves max_length
            windows, [prompt] * batch, beam_size=1, max_length=2 * num_tokens, suppress_tokens=[-1, end]
        )
        assert all(len(result.sequences_ids[0]) == num_tokens for result in results)

    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        verb, *numbers = line.split()
        wall_s, cpu_s = time.monotonic(), time.process_time()
        {"encode": encode, "generate": generate}[verb](*map(int, numbers))
        print(json.dumps({"wall_s": time.monotonic() - wall_s, "cpu_s": time.process_time() - cpu_s}), flush=True)


# ---- what must be computed and read at least


def encoder_giga_ops(size: Size) -> float:
    """Two for each multiply-add of a window: convolutions, layers, and the decoder's keys and values, as ours are timed."""
    d, t = size.d_model, NUM_POSITIONS["encoder"]
    convolutions = 2 * t * 3 * size.num_mels * d + t * 3 * d * d
    layer = 4 * t * d * d + 2 * t * d * size.ffn + 2 * t * t * d
    keys_and_values = 2 * t * d * d
    return 2e-9 * (convolutions + size.encoder_layers * layer + size.decoder_layers * keys_and_values)


def step_giga_bytes(size: Size, vocab_size: int, batch: int) -> float:
    """A byte for each weight of the decoder, and for each key and value of the windows."""
    d = size.d_model
    layer = 4 * d * d + 2 * d * d + 2 * d * size.ffn + batch * 2 * NUM_POSITIONS["encoder"] * d
    return 1e-9 * (size.decoder_layers * layer + vocab_size * d)


# ---- pairs


def ours_encode(worker: Worker, threads: int) -> dict:
    return worker.ask("encode", threads)


def ours_step(worker: Worker, threads: int, num_steps: int) -> dict:
    run = worker.ask("decode", threads, num_steps)
    return {key: value / num_steps for key, value in run.items()}


def peer_step(worker: Worker, num_steps: int) -> dict:
    short = worker.ask("generate", SHORT_TOKENS)
    long = worker.ask("generate", SHORT_TOKENS + num_steps)
    return {key: (long[key] - short[key]) / num_steps for key in long}


def take_turns(ours, theirs, num_pairs: int) -> list[dict]:
    """Pairs of runs in alternating order, after one that is not counted."""
    pairs = []
    for i in range(num_pairs + 1):
        runs = {"steno": ours, PEER: theirs}
        order = list(runs) if i % 2 == 0 else list(reversed(runs))
        pairs.append({name: runs[name]() for name in order})
    return pairs[1:]


def compare(name: str, args: argparse.Namespace) -> list[dict]:
    """Rows of a size: work, threads, pairs, floor."""
    size = SIZES[name]
    folder = random_whisper.make(name, "ct2", args.tokenizer, args.out)
    vocab_size = len(json.loads((folder / "vocabulary.json").read_text(encoding="utf-8")))
    steno = Worker([str(args.bench.resolve()), str(folder), "int8", str(args.batch)])
    rows = []
    for threads in args.threads:
        peer = Worker([sys.executable, __file__, "--peer", str(folder), str(threads), str(args.batch)],
                      {"OMP_NUM_THREADS": str(threads)})  # fmt: skip
        peaks = [steno.ask("peaks", threads, size.d_model)]
        encode = take_turns(lambda: ours_encode(steno, threads), lambda: peer.ask("encode"), args.pairs)
        peaks.append(steno.ask("peaks", threads, size.d_model))
        decode = take_turns(lambda: ours_step(steno, threads, args.steps), lambda: peer_step(peer, args.steps), args.pairs)
        peaks.append(steno.ask("peaks", threads, size.d_model))
        peer.close()
        peak = {key: threads * max(p[key] for p in peaks) for key in peaks[0]}
        giga_ops, giga_bytes = encoder_giga_ops(size), step_giga_bytes(size, vocab_size, args.batch)
        common = {"model": name, "threads": threads, "peaks": peak}
        rows.append({**common, "work": "encode", "pairs": encode, "floor_s": giga_ops / peak["linear_gops"],
                     "at_peak_s": giga_ops / peak["int8_gops"]})  # fmt: skip
        rows.append({**common, "work": "decode", "pairs": decode, "floor_s": giga_bytes / peak["read_gbytes"]})
        print_rows(rows[-2:])
    steno.close()
    return rows


# ---- the table

HEADING = """| model | work | threads | steno, ms | faster-whisper, ms | times as fast | by CPU time | floor, ms | times the floor | by CPU time | % of peak, by CPU time |
|---|---|---|---|---|---|---|---|---|---|---|"""


def spread(values: list[float], digits: int) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def table_row(row: dict) -> str:
    def all_of(name: str, key: str) -> list[float]:
        return [pair[name][key] for pair in row["pairs"]]

    def ratios(key: str) -> list[float]:
        return [theirs / ours for ours, theirs in zip(all_of("steno", key), all_of(PEER, key))]

    floor_s = row["floor_s"]
    wall_s, cpu_s = (statistics.median(all_of("steno", key)) for key in ("wall_s", "cpu_s"))
    cells = [
        row["model"], row["work"], row["threads"],
        *(spread([1000 * s for s in all_of(name, "wall_s")], 1) for name in ("steno", PEER)),
        f"**{spread(ratios('wall_s'), 2)}**", spread(ratios("cpu_s"), 2), f"{1000 * floor_s:.1f}",
        f"{wall_s / floor_s:.2f}", f"{cpu_s / row['threads'] / floor_s:.2f}",
        f"{100 * row['at_peak_s'] * row['threads'] / cpu_s:.0f}" if "at_peak_s" in row else "",
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def print_rows(rows: list[dict]) -> None:
    print("\n".join(map(table_row, rows)), file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, required=True, help="the binary shapes_bench")
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of a multilingual Whisper, for its vocabulary")
    parser.add_argument("--out", type=Path, required=True, help="models and results")
    parser.add_argument("--sizes", default="small,large-v3-turbo", help=f"of {', '.join(SIZES)} (default small,large-v3-turbo)")
    parser.add_argument("--threads", default="1,2", help="default 1,2")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=16, help="windows decoded at a time (default 16)")
    parser.add_argument("--steps", type=int, default=16, help="tokens timed (default 16)")
    args = parser.parse_args()
    args.threads = [int(n) for n in args.threads.split(",")]
    args.out.mkdir(parents=True, exist_ok=True)
    rows = [row for name in args.sizes.split(",") for row in compare(name, args)]
    (args.out / "shapes.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    table = "\n".join([HEADING, *map(table_row, rows)]) + "\n"
    (args.out / "shapes.md").write_text(table, encoding="utf-8")
    print(table, end="")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        serve_peer(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
