#!/usr/bin/env python3
"""compare.py's runs.json as a page of tables and a plot:  report.py runs.json docs/benchmarks.md docs/benchmarks.svg

A figure is the median of its pairs with the least and the most in brackets. Word error rates are jiwer's after Whisper's
normalisers, of the last pair's texts.
"""

from __future__ import annotations

import json
import statistics
import sys
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 480, 60, 24, 24, 48
LEGEND_ROW = 18  # a line for each point, below the picture: names beside the points would overlap
STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #222; } line { stroke: #0003; }
.peer { fill: #7a8699; } .steno { fill: #2a6fdb; }
@media (prefers-color-scheme: dark) { text { fill: #ddd; } line { stroke: #fff3; } .peer { fill: #98a2b3; } .steno { fill: #6ea0ff; } }
</style>
"""
LAYOUTS = {"one": "a process, all cores", "each": "a process for each core"}


def spread(values: list[float], digits: int, unit: str = "") -> str:
    """Median (least-most)."""
    if len(values) == 1:
        return f"{values[0]:.{digits}f}{unit}"
    return f"{statistics.median(values):.{digits}f}{unit} ({min(values):.{digits}f}-{max(values):.{digits}f})"


@cache
def normaliser(language: str):
    from whisper_normalizer.basic import BasicTextNormalizer
    from whisper_normalizer.english import EnglishTextNormalizer

    return EnglishTextNormalizer() if language == "en" else BasicTextNormalizer(remove_diacritics=language == "es")


def word_error_rate(texts: list[str], references: list[str], languages: list[str]) -> float:
    """In percent, pooled."""
    import jiwer

    def normalised(rows: list[str]) -> list[str]:
        return [" ".join(normaliser(language)(row).split()) for row, language in zip(rows, languages)]

    return 100 * jiwer.wer(normalised(references), normalised(texts))


def rate_of(run: dict, of_set: dict) -> float:
    return word_error_rate(run["texts"], of_set["references"], of_set["languages"])


def cells(runs: list[dict], of_set: dict) -> list[str]:
    """What a row tells of runs of one system with one setting."""
    return [
        spread([run["speed"] for run in runs], 1, "x"),
        spread([statistics.median(run["seconds"]) for run in runs], 2),
        f"{statistics.median(60 * run['cpu_s'] / of_set['audio_s'] for run in runs):.2f}",
        f"{rate_of(runs[-1], of_set):.2f}",
        f"{statistics.median(run['peak_rss_mb'] for run in runs):.0f}",
        f"{statistics.median(run['load_s'] for run in runs):.2f}",
    ]


def steno_runs(matches: list[dict]) -> dict[str, list[dict]]:
    """steno's runs of a set by their options, of all peers they were paired with."""
    runs: dict[str, list[dict]] = {}
    for match in matches:
        runs.setdefault(match["steno"], []).extend(pair["steno"] for pair in match["pairs"])
    return runs


def table(name: str, of_set: dict, matches: list[dict]) -> list[str]:
    num_files = len(of_set["references"])
    lines = [
        f"## {name}: {of_set['audio_s']:.0f} s of audio in {num_files} file{'s' * (num_files > 1)}", "",
        "| | layout | speed | seconds | CPU-s a minute of audio | WER % | peak MiB | load s | steno is faster by |",
        "|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for options, runs in steno_runs(matches).items():
        lines.append(f"| **steno** `{options}` | {LAYOUTS['one']} | {' | '.join(cells(runs, of_set))} | |")
    for match in matches:
        runs = [pair["peer"] for pair in match["pairs"]]
        ratios = [pair["steno"]["speed"] / pair["peer"]["speed"] for pair in match["pairs"]]
        row = [match["name"], LAYOUTS[match["layout"]], *cells(runs, of_set), f"**{spread(ratios, 2, 'x')}**"]
        lines.append(f"| {' | '.join(row)} |")
    return [*lines, ""]


def versions(matches: list[dict]) -> str:
    found = {run["version"] for match in matches for pair in match["pairs"] for run in pair.values()}
    return ", ".join(sorted(found))


def page(document: dict, plot_name: str) -> str:
    matches = document["matches"]
    lines = [
        "# steno and its peers",
        "",
        f"Made by `make bench-peers` on {document['date']}; not written by hand. {document['machine']}. The same weights ({document['model']}) and the same 16 kHz samples for all, temperature 0.",
        f"{document['num_pairs']} interleaved pairs: a ratio is taken within a pair of runs that follow each other in alternating order. Median (least-most).",
        "Speed is seconds of audio a second, the model loaded; of a process for each core, the sum of all. steno's time has the decoding of the audio in it, the peers' has not.",
        "[How it is measured](benchmarking.md).",
        "",
        versions(matches) + ".",
        "",
        f"![speed against word error rate]({plot_name})",
        "",
    ]
    for name, of_set in document["sets"].items():
        of_it = [match for match in matches if match["set"] == name]
        if of_it:
            lines += table(name, of_set, of_it)
    if document["skipped"]:
        lines += ["## Left out", "", *(f"- {name}: {reason}" for name, reason in document["skipped"].items()), ""]
    return "\n".join(lines)


def points(document: dict, name: str) -> list[tuple[str, str, float, float]]:
    """(class, label, speed, WER) of the fastest layout of each setting on a set."""
    of_set = document["sets"][name]
    matches = [match for match in document["matches"] if match["set"] == name]
    found = [
        ("steno", f"steno {options}", statistics.median(run["speed"] for run in runs), rate_of(runs[-1], of_set))
        for options, runs in steno_runs(matches).items()
    ]
    peers: dict[str, tuple[float, float]] = {}
    for match in matches:
        runs = [pair["peer"] for pair in match["pairs"]]
        point = (statistics.median(run["speed"] for run in runs), rate_of(runs[-1], of_set))
        peers[match["name"]] = max(peers.get(match["name"], point), point)
    return found + [("peer", label, *point) for label, point in peers.items()]


def ticks(most: float) -> list[float]:
    """From 0 to at least `most` in steps people can read."""
    power = 10.0
    while power * 5 > most and power > 1e-6:
        power /= 10
    step = next(factor * power for factor in (1, 2, 5, 10, 20, 50, 1e9) if factor * power * 6 >= most)
    return [step * i for i in range(int(-(-most // step)) + 1)]


def plot(document: dict, name: str) -> str:
    shown = points(document, name)
    speeds, rates = ticks(max(p[2] for p in shown) * 1.02), ticks(max(p[3] for p in shown) * 1.1 or 1)

    def x(speed: float) -> float:
        return LEFT + speed / speeds[-1] * (WIDTH - LEFT - RIGHT)

    def y(rate: float) -> float:
        return HEIGHT - BOTTOM - rate / rates[-1] * (HEIGHT - TOP - BOTTOM)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + LEGEND_ROW * len(shown) + 8}" role="img" aria-label="speed against word error rate">\n', STYLE]
    for speed in speeds:
        parts.append(f'<line x1="{x(speed):.1f}" x2="{x(speed):.1f}" y1="{y(0):.1f}" y2="{TOP}"/><text x="{x(speed):.1f}" y="{y(0) + 18:.1f}" text-anchor="middle">{speed:g}</text>\n')
    for rate in rates:
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(rate):.1f}" y2="{y(rate):.1f}"/><text x="{LEFT - 8}" y="{y(rate) + 4:.1f}" text-anchor="end">{rate:g}</text>\n')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 8}">speed on {escape(name)}, seconds of audio a second, the machine busy</text><text x="6" y="14">WER %</text>\n')
    for number, (kind, label, speed, rate) in enumerate(shown, start=1):
        row = HEIGHT + LEGEND_ROW * (number - 1)
        parts.append(
            f'<circle class="{kind}" cx="{x(speed):.1f}" cy="{y(rate):.1f}" r="5"/>'
            f'<text x="{x(speed):.1f}" y="{y(rate) - 8:.1f}" text-anchor="middle">{number}</text>'
            f'<text x="{LEFT}" y="{row + 12}">{number}  {escape(label)}: {speed:.1f}x, WER {rate:.2f} %</text>\n'
        )
    return "".join(parts) + "</svg>\n"


def plotted_set(document: dict) -> str:
    """That with the most systems, so that the picture shows all."""
    counts = {name: sum(match["set"] == name for match in document["matches"]) for name in document["sets"]}
    return max(counts, key=lambda name: counts[name])


def main() -> None:
    runs, page_path, plot_path = map(Path, sys.argv[1:])
    document = json.loads(runs.read_text(encoding="utf-8"))
    if not document["matches"]:
        sys.exit(f"{runs}: no pairs in it")
    page_path.write_text(page(document, plot_path.name), encoding="utf-8")
    plot_path.write_text(plot(document, plotted_set(document)), encoding="utf-8")


if __name__ == "__main__":
    main()
