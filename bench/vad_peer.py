#!/usr/bin/env python3
"""The speech detector against faster-whisper's, which runs the same layers in onnxruntime, one thread each.

    pip install -r tools/eval/requirements.txt
    cmake --build build/release --target vad_bench
    python bench/vad_peer.py --bench build/release/bench/vad_bench --file DEV/long/en_5min.wav [--pairs 5]

The two run in turns, in pairs whose order alternates; a ratio is taken within each pair. Both clocks start when the model
is loaded and the samples are in memory. What they hear is not compared: faster-whisper 1.2.1 has the same layers with
other weights than silero-vad 6.2.3.
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from faster_whisper.audio import decode_audio
from faster_whisper.vad import get_vad_model


def run_steno(bench, pcm, scratch):
    source, result = scratch / "pcm.f32", scratch / "probabilities.f32"
    pcm.tofile(source)
    wall_s, cpu_s = map(float, subprocess.check_output([bench, source, result], text=True).split())
    return wall_s, cpu_s


def run_peer(model, pcm):
    wall, cpu = time.perf_counter(), time.process_time()
    padded = np.pad(pcm, (0, -len(pcm) % 512))  # as get_speech_timestamps does
    model(padded)
    return time.perf_counter() - wall, time.process_time() - cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--file", required=True)
    parser.add_argument("--pairs", type=int, default=5)
    args = parser.parse_args()
    pcm = decode_audio(args.file, sampling_rate=16000)
    audio_s = len(pcm) / 16000
    model = get_vad_model()
    run_peer(model, pcm[:16000])
    ratios, cpu_ratios = [], []
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(args.pairs):
            runs = {}
            for system in ("steno", "peer") if pair % 2 == 0 else ("peer", "steno"):
                runs[system] = (run_steno(args.bench.resolve(), pcm, Path(folder)) if system == "steno"
                                else run_peer(model, pcm))
            steno, peer = runs["steno"], runs["peer"]
            ratios.append(peer[0] / steno[0])
            cpu_ratios.append(peer[1] / steno[1])
            print(f"pair {pair + 1}: steno {audio_s / steno[0]:.0f} x real time (by CPU time {audio_s / steno[1]:.0f}), "
                  f"peer {audio_s / peer[0]:.0f} ({audio_s / peer[1]:.0f})")
    for name, values in (("wall", ratios), ("CPU", cpu_ratios)):
        print(f"steno is {statistics.median(values):.1f} times as fast by {name} time "
              f"({min(values):.1f} to {max(values):.1f})")


if __name__ == "__main__":
    main()
