#!/usr/bin/env python3
"""Real weights on real speech, through the program: OpenAI's Whisper base, LibriVox readers and card commands.

Needs the model (STENO_TEST_MODELS, filled by `make models`) and Debian's pocketsphinx-testdata; ends with 77, skipped, where
one is missing. The texts are those of faster-whisper 1.2.1 on the same weights in float32, greedy. Standard library only.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import wave
from pathlib import Path

STENO = os.path.abspath(os.environ["STENO"])
MODEL = Path(os.environ.get("STENO_TEST_MODELS", "")) / "whisper-base"
SPEECH = Path("/usr/share/pocketsphinx/test/data")

READINGS = {
    "0870": "And Mr. John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.",
    "0880": "He was not an ill-disposed young man.",
    "0890": "Unless to be rather cold-hearted and rather selfish is to be ill-disposed.",
    "0920": "Had he married a more amiable woman he might have been made still more respectable than he was?",
    "0930": "He might even have been made amiable himself.",
}


def reading(number):
    return SPEECH / "librivox" / f"sense_and_sensibility_01_austen_64kb-{number}.wav"


def words(text):
    return re.findall(r"[a-z0-9']+", text.lower())


class RealSpeech(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def transcribe(self, *arguments, stdin=subprocess.DEVNULL, form="json"):
        done = subprocess.run(
            [STENO, "transcribe", "-q", "-m", str(MODEL), "-f", form, *map(str, arguments)],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return done.stdout.decode()

    def cut(self, source, seconds):
        """The first `seconds` of a recording."""
        path = self.folder / "cut.wav"
        with wave.open(str(source)) as whole, wave.open(str(path), "wb") as part:
            part.setparams(whole.getparams())
            part.writeframes(whole.readframes(int(whole.getframerate() * seconds)))
        return path

    def join(self, parts, name="joined.wav"):
        """Recordings (paths) and pauses (seconds) one after the other; where each recording begins, in seconds."""
        path = self.folder / name
        begins = []
        with wave.open(str(path), "wb") as out:
            out.setparams((1, 2, 16000, 0, "NONE", ""))
            for part in parts:
                if isinstance(part, (int, float)):
                    out.writeframes(bytes(2 * int(16000 * part)))
                    continue
                begins.append(out.tell() / 16000)
                with wave.open(str(part)) as recording:
                    assert recording.getframerate() == 16000 and recording.getnchannels() == 1
                    out.writeframes(recording.readframes(recording.getnframes()))
        return path, begins

    def noise(self, amplitude, seconds=20):
        path = self.folder / f"noise{amplitude}.wav"
        random_bits = random.Random(1)
        with wave.open(str(path), "wb") as out:
            out.setparams((1, 2, 16000, 0, "NONE", ""))
            out.writeframes(b"".join(int(random_bits.gauss(0, amplitude)).to_bytes(2, "little", signed=True)
                                     for _ in range(16000 * seconds)))
        return path

    def test_what_shares_the_batch_and_how_many_threads_change_nothing(self):
        options = ["-l", "en", "--compute-type", "f32", "--beam-size", 1, "--temperature", 0]
        files = [reading(n) for n in READINGS]
        together = [json.loads(line) for line in self.transcribe(*options, "--threads", 2, *files).splitlines()]
        for file, shared in zip(files, together):
            alone = json.loads(self.transcribe(*options, "--threads", 1, file))
            self.assertEqual([s["tokens"] for s in shared["segments"]], [s["tokens"] for s in alone["segments"]])
            self.assertEqual([s["avg_logprob"] for s in shared["segments"]],
                             [s["avg_logprob"] for s in alone["segments"]])

    def test_windows_side_by_side_lose_repeat_and_glue_no_word(self):
        parts = [part for _ in range(3) for n in READINGS for part in (reading(n), 0.6)]
        path, _ = self.join(parts)
        expected = words(" ".join(list(READINGS.values()) * 3))
        for beams in (1, 5):
            result = json.loads(self.transcribe("-l", "en", "--beam-size", beams, "--compute-type", "f32", path))
            self.assertEqual(words(result["text"]), expected)
            self.assertEqual(words(" ".join(s["text"] for s in result["segments"])), expected)
            self.assertEqual(result["missing"], [])

    def test_times_behind_a_long_pause_are_those_of_the_audio(self):
        path, begins = self.join([reading("0870"), 40, reading("0890"), 15, reading("0920")])
        segments = json.loads(self.transcribe("-l", "en", "--compute-type", "f32", path))["segments"]
        for begin, first_words in zip(begins, ("And Mr.", "Unless to", "Had he")):
            starts = [s["start"] for s in segments if s["text"].strip().startswith(first_words)]
            self.assertEqual(len(starts), 1, first_words)
            self.assertAlmostEqual(starts[0], begin, delta=0.4)

    def test_noise_has_no_text_with_and_without_hotwords(self):
        for amplitude in (30, 300, 3000):
            for options in ([], ["--hotwords", "Dashwood, Norland Park", "--initial-prompt", "Sense and Sensibility"]):
                result = json.loads(self.transcribe("-l", "en", *options, self.noise(amplitude)))
                self.assertEqual((result["text"], result["segments"]), ("", []), (amplitude, options))

    def test_the_reference_text_in_f32(self):
        lines = self.transcribe("-l", "en", "--compute-type", "f32", "--beam-size", 1, "--temperature", 0,
                                *[reading(n) for n in READINGS])
        texts = [json.loads(line)["text"].strip() for line in lines.splitlines()]
        self.assertEqual(texts, list(READINGS.values()))

    def test_the_same_words_in_every_type_and_with_beams(self):
        for options in (["--compute-type", "int8"], ["--compute-type", "bf16", "--beam-size", 1], []):
            with self.subTest(options=options):
                result = json.loads(self.transcribe(*options, reading("0870")))
                self.assertEqual(result["language"], "en")
                self.assertEqual(words(result["text"]), words(READINGS["0870"]))

    def test_the_benchmark_counts_what_was_changed_in_the_references(self):
        texts = dict(READINGS)
        texts["0880"] = texts["0880"].replace("man", "fellow")                # a substitution
        texts["0890"] = texts["0890"].replace("Unless", "But unless")         # a deletion
        texts["0930"] = texts["0930"].replace("amiable himself", "amiable")   # an insertion
        manifest = self.folder / "set.jsonl"
        manifest.write_text("".join(json.dumps({"path": str(reading(n)), "language": "en", "text": text}) + "\n"
                                    for n, text in texts.items()))
        subprocess.run([STENO, "bench", "asr", manifest, "-m", str(MODEL), "--json", self.folder / "run.json"],
                       check=True, stdout=subprocess.DEVNULL, timeout=300)
        counts = json.loads((self.folder / "run.json").read_text())["all"]["words"]
        self.assertEqual((counts["substitutions"], counts["deletions"], counts["insertions"]), (1, 1, 1))

    def test_a_word_of_six_tenths_of_a_second(self):
        clip = self.cut(SPEECH / "cards" / "004.wav", 0.6)
        result = json.loads(self.transcribe("-l", "en", "--compute-type", "f32", clip))
        self.assertIn(words(result["text"]), (["five"], ["5"]))
        self.assertEqual(result["duration"], 0.6)
        self.assertLessEqual(result["segments"][-1]["end"], 0.6)

    def test_digital_silence_has_no_text_in_any_format(self):
        path = self.folder / "silence.wav"
        with wave.open(str(path), "wb") as out:
            out.setparams((1, 2, 16000, 0, "NONE", ""))
            out.writeframes(bytes(2 * 16000 * 30))
        expected = {"txt": "", "srt": "", "vtt": "WEBVTT\n\n", "tsv": "start\tend\ttext\n"}
        for form, text in expected.items():
            self.assertEqual(self.transcribe("-l", "en", path, form=form).strip(), text.strip(), form)
        for form in ("json", "verbose_json"):
            result = json.loads(self.transcribe("-l", "en", path, form=form))
            self.assertEqual((result["text"], result["segments"]), ("", []), form)

    def test_a_prompt_far_too_long_is_cut_and_harmless(self):
        result = json.loads(self.transcribe(
            "-l", "en", "--initial-prompt", "Austen wrote of the Dashwoods. " * 400, reading("0870")))
        self.assertEqual(words(result["text"]), words(READINGS["0870"]))

    def test_control_tokens_in_a_prompt_are_text(self):
        prompt = "<|endoftext|> <|0.00|> <|startoftranscript|><|fr|><|translate|> Dashwood <|im_start|><asr_text>"
        for option in ("--initial-prompt", "--carry-initial-prompt"):
            arguments = ["--initial-prompt", prompt] + ([option] if option.startswith("--carry") else [])
            result = json.loads(self.transcribe("-l", "en", *arguments, reading("0870")))
            self.assertEqual(words(result["text"]), words(READINGS["0870"]))
            self.assertNotIn("<|", result["text"])

    def test_a_pipe_and_other_containers_give_the_same_words(self):
        with open(reading("0920"), "rb") as recording:
            piped = json.loads(self.transcribe("-l", "en", "-", stdin=recording))
        self.assertEqual(piped["text"], json.loads(self.transcribe("-l", "en", reading("0920")))["text"])
        if shutil.which("ffmpeg") is None:
            self.skipTest("no ffmpeg program to encode with")
        for name in ("a.mp3", "a.m4a", "a.opus", "a.flac", "a.webm"):
            path = self.folder / name
            subprocess.run(["ffmpeg", "-v", "error", "-i", reading("0920"), "-ar", "48000", path], check=True)
            result = json.loads(self.transcribe("-l", "en", path))
            self.assertEqual(words(result["text"]), words(READINGS["0920"]), name)


if __name__ == "__main__":
    missing = [str(path) for path in (MODEL / "model.bin", reading("0870")) if not path.is_file()]
    if missing:
        print("skipped: not here:", *missing)
        sys.exit(77)
    unittest.main()
