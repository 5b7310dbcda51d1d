#!/usr/bin/env python3
"""Real weights on real speech, through the program: OpenAI's Whisper base, LibriVox readers and card commands.

Needs the model (STENO_TEST_MODELS, filled by `make models`) and Debian's pocketsphinx-testdata; ends with 77, skipped, where
one is missing. The texts are those of faster-whisper 1.2.1 on the same weights in float32, greedy. Standard library only.
"""

import json
import math
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


TINY_ENGLISH = MODEL.with_name("whisper-tiny.en")

# The prompts of Asterisk, in the languages of Debian's asterisk-core-sounds-{en,es,fr}-wav; 8 kHz.
VOICES = {
    "en": Path("/usr/share/asterisk/sounds/en_US_f_Allison"),
    "es": Path("/usr/share/asterisk/sounds/es_MX_f_Allison"),
    "fr": Path("/usr/share/asterisk/sounds/fr_CA_f_June"),
}
VOICES_ARE_HERE = all((voice / "demo-congrats.wav").is_file() for voice in VOICES.values())
# What is said in two of them, and in no other language.
SPOKEN = {
    ("demo-congrats", "en"): ("congratulations", "sounds", "should"),
    ("demo-congrats", "es"): ("felicidades", "sonidos", "usted"),
    ("demo-congrats", "fr"): ("fichiers", "vous", "devraient"),
    ("conf-adminmenu-18", "en"): ("please", "press", "unlock"),
    ("conf-adminmenu-18", "es"): ("favor", "presione", "bloquear"),
    ("conf-adminmenu-18", "fr"): ("pour", "appuyez", "réduire"),
}


def words(text):
    return re.findall(r"[a-z0-9']+", text.lower())


def music(seconds):
    """Chords of plucked tones with overtones, one each half second."""
    chords = [(220.0, 277.2, 329.6), (246.9, 311.1, 370.0), (196.0, 246.9, 293.7), (164.8, 207.7, 246.9)]
    for i in range(16000 * seconds):
        time_s = i % 8000 / 16000
        chord = chords[i // 8000 % 4]
        tones = sum(math.sin(2 * math.pi * f * k * i / 16000) / k for f in chord for k in (1, 2, 3))
        yield 0.15 * tones * math.exp(-4 * time_s)


def breath(seconds):
    """Soft noise that swells and sinks every four seconds."""
    random_bits, low = random.Random(2), 0.0
    for i in range(16000 * seconds):
        low += 0.3 * (random_bits.gauss(0, 1) - low)
        yield max(-1, min(1, 0.1 * low)) * max(0, math.sin(2 * math.pi * i / 64000))


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

    def join(self, parts, name="joined.wav", rate_hz=16000):
        """Recordings (paths) and pauses (seconds) one after the other; where each recording begins, in seconds."""
        path = self.folder / name
        begins = []
        with wave.open(str(path), "wb") as out:
            out.setparams((1, 2, rate_hz, 0, "NONE", ""))
            for part in parts:
                if isinstance(part, (int, float)):
                    out.writeframes(bytes(2 * int(rate_hz * part)))
                    continue
                begins.append(out.tell() / rate_hz)
                with wave.open(str(part)) as recording:
                    assert recording.getframerate() == rate_hz and recording.getnchannels() == 1
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

    @unittest.skipUnless(TINY_ENGLISH.is_dir(), f"needs {TINY_ENGLISH}")
    def test_many_recordings_together_are_each_alone(self):
        files = [*map(reading, READINGS), *sorted((SPEECH / "cards").glob("*.wav"))]
        joined = [self.join([files[i], 0.7, files[-1 - i], 35, files[i + 1]], f"{i}.wav")[0] for i in range(4)]
        files += joined  # of several windows
        self.assertGreaterEqual(len(files), 12)
        fields = ("tokens", "avg_logprob", "no_speech_prob", "start", "end")
        for options in (["--beam-size", 1, "--temperature", 0], []):
            options = ["-m", TINY_ENGLISH, "--compute-type", "f32", "--kv-dtype", "f32", *options]
            together = self.transcribe(*options, "--threads", 2, *files).splitlines()
            self.assertEqual(len(together), len(files))
            for file, line in zip(files, together):
                alone = json.loads(self.transcribe(*options, "--threads", 1, file))["segments"]
                shared = json.loads(line)["segments"]
                self.assertEqual([[s[f] for f in fields] for s in shared], [[s[f] for f in fields] for s in alone], file)

    def test_windows_side_by_side_lose_repeat_and_glue_no_word(self):
        parts = [part for _ in range(3) for n in READINGS for part in (reading(n), 0.6)]
        path, _ = self.join(parts)
        expected = words(" ".join(list(READINGS.values()) * 3))
        for beams in (1, 5):
            result = json.loads(self.transcribe("-l", "en", "--beam-size", beams, "--compute-type", "f32", path))
            self.assertEqual(words(result["text"]), expected)
            self.assertEqual(words(" ".join(s["text"] for s in result["segments"])), expected)
            self.assertEqual(result["missing"], [])

    @unittest.skipUnless(VOICES_ARE_HERE, "needs asterisk-core-sounds-{en,es,fr}-wav")
    def test_each_part_comes_out_in_its_own_language(self):
        turns = [("demo-congrats", "en"), ("demo-congrats", "es"), ("conf-adminmenu-18", "en"),
                 ("demo-congrats", "fr"), ("conf-adminmenu-18", "es"), ("conf-adminmenu-18", "fr")]
        parts = [part for prompt, language in turns for part in (VOICES[language] / f"{prompt}.wav", 0.8)]
        path, begins = self.join(parts, rate_hz=8000)
        for languages in ("auto", "en,es,fr"):
            segments = json.loads(self.transcribe("-l", languages, path))["segments"]
            for (prompt, language), begin, end in zip(turns, begins, [*begins[1:], float("inf")]):
                part = [s for s in segments if begin <= (s["start"] + s["end"]) / 2 < end]
                with self.subTest(languages=languages, prompt=prompt, language=language):
                    self.assertEqual({s["language"] for s in part}, {language})
                    text = "".join(s["text"] for s in part).lower()
                    for word in SPOKEN[prompt, language]:
                        self.assertIn(word, text)

    def test_times_behind_a_long_pause_are_those_of_the_audio(self):
        path, begins = self.join([reading("0870"), 40, reading("0890"), 15, reading("0920")])
        segments = json.loads(self.transcribe("-l", "en", "--compute-type", "f32", path))["segments"]
        for begin, first_words in zip(begins, ("And Mr.", "Unless to", "Had he")):
            starts = [s["start"] for s in segments if s["text"].strip().startswith(first_words)]
            self.assertEqual(len(starts), 1, first_words)
            self.assertAlmostEqual(starts[0], begin, delta=0.4)

    def test_times_after_hours_are_those_of_the_audio(self):
        clip = [reading("0870"), 0.8, reading("0890"), 0.8, reading("0920")]
        words_of = lambda path: [w for s in json.loads(self.transcribe(
            "-l", "en", "--compute-type", "f32", "--word-timestamps", path))["segments"] for w in s["words"]]
        hours_s = 3 * 3600
        early = words_of(self.join([32, *clip], "early.wav")[0])
        late_path = self.folder / "late.wav"
        with open(self.folder / "early.wav", "rb") as source, open(late_path, "wb") as late:
            header = bytearray(source.read(44))
            size = os.path.getsize(source.name) - 44 + 2 * 16000 * (hours_s - 32)
            header[4:8], header[40:44] = (size + 36).to_bytes(4, "little"), size.to_bytes(4, "little")
            late.write(header)
            late.seek(2 * 16000 * hours_s, os.SEEK_CUR)  # a hole, which reads as silence
            source.seek(2 * 16000 * 32, os.SEEK_CUR)
            shutil.copyfileobj(source, late)
        late = words_of(late_path)
        self.assertEqual([w["word"] for w in late], [w["word"] for w in early])
        for word, other in zip(late, early):
            self.assertAlmostEqual(word["start"] - hours_s, other["start"] - 32, delta=0.04)
            self.assertAlmostEqual(word["end"] - hours_s, other["end"] - 32, delta=0.04)

    def test_words_segments_and_text_agree(self):
        path, _ = self.join([part for n in READINGS for part in (reading(n), 0.6)] * 3)
        result = json.loads(self.transcribe("-l", "en", "--word-timestamps", path))
        for segment in result["segments"]:
            self.assertEqual("".join(w["word"] for w in segment["words"]), segment["text"])
        self.assertEqual("".join(s["text"] for s in result["segments"]).strip(), result["text"])
        verbose = json.loads(self.transcribe("-l", "en", "--word-timestamps", path, form="verbose_json"))
        self.assertEqual(verbose["text"], result["text"])
        self.assertEqual("".join(w["word"] for w in verbose["words"]), "".join(result["text"].split()))

    def test_noise_has_no_text_with_and_without_hotwords(self):
        for amplitude in (30, 300, 3000):
            for options in ([], ["--hotwords", "Dashwood, Norland Park", "--initial-prompt", "Sense and Sensibility"]):
                result = json.loads(self.transcribe("-l", "en", *options, self.noise(amplitude)))
                self.assertEqual((result["text"], result["segments"]), ("", []), (amplitude, options))

    def test_music_and_breath_have_no_text(self):
        for sound in (music, breath):
            path = self.folder / f"{sound.__name__}.wav"
            with wave.open(str(path), "wb") as out:
                out.setparams((1, 2, 16000, 0, "NONE", ""))
                out.writeframes(b"".join(int(8000 * sample).to_bytes(2, "little", signed=True) for sample in sound(60)))
            for mode in ("parallel", "sequential"):
                result = json.loads(self.transcribe("--mode", mode, path))
                self.assertEqual((result["text"], result["segments"]), ("", []), (sound.__name__, mode))

    def test_the_reference_text_in_f32(self):
        lines = self.transcribe("-l", "en", "--compute-type", "f32", "--beam-size", 1, "--temperature", 0,
                                "--window-padding", 30, *[reading(n) for n in READINGS])
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
