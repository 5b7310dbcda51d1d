#!/usr/bin/env python3
"""The parts of bench/peers that need no package: who is compared on what, and the page that is made of the runs."""

import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench" / "peers"))
import contenders  # noqa: E402
import report  # noqa: E402


def run(speed, text):
    return {"speed": speed, "seconds": [60 / speed], "cpu_s": 120 / speed, "load_s": 0.5, "peak_rss_mb": 100 * speed,
            "texts": [text], "version": "some 1.0"}  # fmt: skip


def document():
    """Three pairs: steno at 20, 30, 40 times real time, the peer at 10 with one word of two wrong."""
    pairs = [{"steno": run(speed, "a b"), "peer": run(10.0, "a c")} for speed in (20.0, 40.0, 30.0)]
    return {
        "machine": "2 cores", "date": "2026-01-02", "model": "tiny", "num_pairs": 3, "skipped": {"other": "no package"},
        "sets": {"set": {"audio_s": 60.0, "languages": ["en"], "references": ["a b"]}},
        "matches": [{"set": "set", "name": "peer <x>", "layout": "one", "steno": "--beam-size 1", "pairs": pairs}],
    }  # fmt: skip


def fraction_wrong(texts, references, languages):
    words = [(a, b) for text, reference in zip(texts, references) for a, b in zip(text.split(), reference.split())]
    return 100 * sum(a != b for a, b in words) / len(words)


class Report(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, report, "word_error_rate", report.word_error_rate)
        report.word_error_rate = fraction_wrong  # jiwer is not here

    def test_spread_is_the_median_with_least_and_most(self):
        self.assertEqual(report.spread([3.0, 1.0, 2.0], 1, "x"), "2.0x (1.0-3.0)")
        self.assertEqual(report.spread([1.25], 2), "1.25")

    def test_ratios_are_taken_within_pairs(self):
        page = report.page(document(), "plot.svg")
        self.assertIn("| **steno** `--beam-size 1` | a process, all cores | 30.0x (20.0-40.0) | 2.00 (1.50-3.00) | 4.00 | 0.00 | 3000 | 0.50 | |", page)
        self.assertIn("| peer <x> | a process, all cores | 10.0x (10.0-10.0) | 6.00 (6.00-6.00) | 12.00 | 50.00 | 1000 | 0.50 | **3.00x (2.00-4.00)** |", page)
        self.assertIn("- other: no package", page)

    def test_rows_have_as_many_cells_as_the_heading(self):
        rows = [line for line in report.page(document(), "plot.svg").splitlines() if line.startswith("|")]
        self.assertEqual(len(rows), 4)
        self.assertEqual({row.count("|") for row in rows}, {10})

    def test_the_plot_has_a_point_for_each_system(self):
        svg = ElementTree.fromstring(report.plot(document(), "set"))
        circles = svg.findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual([circle.get("class") for circle in circles], ["steno", "peer"])
        texts = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("2  peer <x>: 10.0x, WER 50.00 %", texts)
        # The axes end at 40 times real time and at 60 %.
        self.assertAlmostEqual(float(circles[0].get("cx")), 60 + 30 / 40 * 776, delta=0.1)
        self.assertAlmostEqual(float(circles[1].get("cy")), 432 - 50 / 60 * 408, delta=0.1)

    def test_ticks_reach_the_most_in_readable_steps(self):
        self.assertEqual(report.ticks(30.6), [0, 10, 20, 30, 40])
        self.assertEqual(report.ticks(7), [0, 2, 4, 6, 8])
        self.assertEqual(report.ticks(1), [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0])


class Contenders(unittest.TestCase):
    def test_every_set_asked_for_has_faster_whisper_in_it(self):
        for name in ("en_5min", "en_30min", "clips", "answer"):
            with self.subTest(name):
                systems = {match.contender.system for match in contenders.matches([name], ["*"])}
                self.assertIn("faster-whisper", systems)

    def test_all_peers_are_on_the_five_minutes(self):
        systems = {match.contender.system for match in contenders.matches(["en_5min"], ["*"])}
        self.assertEqual(systems, {"faster-whisper", "whisper.cpp", "transcribe.cpp", "crispasr", "openai-whisper", "transformers"})

    def test_patterns_choose_by_name_and_layout(self):
        names = [match.name for match in contenders.matches(["en_5min"], ["whisper.cpp*, each"])]
        self.assertEqual(names, ["whisper.cpp q8_0, greedy, each", "whisper.cpp f16, greedy, each"])

    def test_an_answer_is_waited_for_once(self):
        self.assertEqual([match.layout for match in contenders.matches(["answer"], ["*"])], ["one"])


if __name__ == "__main__":
    unittest.main()
