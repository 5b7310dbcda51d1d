#!/usr/bin/env python3
"""tools/random_whisper.py: both layouts hold one model that steno reads, for both vocabularies.

Ends with 77, skipped, without numpy. By hand:
STENO=build/release/steno STENO_GOLDEN=tests/golden tests/e2e/random_model_test.py -v
"""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import wave
from pathlib import Path

STENO = os.path.abspath(os.environ["STENO"])
TOKENIZER = Path(os.environ["STENO_GOLDEN"]).absolute() / "whisper" / "tiny-80" / "hf"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
try:
    import random_whisper
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


class RandomModel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, num_mels, num_languages in (("old", 80, 99), ("new", 128, 100)):
            random_whisper.SIZES[name] = random_whisper.Size(64, 2, 3, 2, num_mels, num_languages)
            self.addCleanup(random_whisper.SIZES.pop, name)

    def make(self, size, layout, out="models", seed=1):
        return random_whisper.make(size, layout, TOKENIZER, self.folder / out, seed)

    def transcribe(self, model, *options):
        path = self.folder / "noise.wav"
        source = random.Random(1)
        with wave.open(str(path), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(16000)
            out.writeframes(struct.pack("<16000h", *(source.randrange(-3000, 3000) for _ in range(16000))))
        result = subprocess.run(
            [STENO, "transcribe", path, "-m", model, "--mode", "sequential", "--temperature", "0", "--beam-size", "1", "-q",
             "--no-speech-threshold", "none", "--compute-type", "f32", "-f", "json", *options],
            capture_output=True, timeout=120, env={"HOME": str(self.folder), "PATH": os.environ["PATH"]},
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return [segment["tokens"] for segment in json.loads(result.stdout)["segments"]]

    def test_layouts_are_one_model(self):
        for size in ("old", "new"):
            texts = [self.transcribe(self.make(size, layout), "-l", "en") for layout in ("ct2", "hf")]
            self.assertEqual(*texts, size)
            self.assertGreater(len(texts[0]), 0)

    def test_the_newer_vocabulary_has_cantonese(self):
        self.transcribe(self.make("new", "hf"), "-l", "yue")
        with self.assertRaisesRegex(AssertionError, "does not know the language 'yue'"):
            self.transcribe(self.make("old", "hf"), "-l", "yue")
        tokens = {name: random_whisper.vocabulary_for(random_whisper.SIZES[name], TOKENIZER).tokens for name in ("old", "new")}
        without = [token for token in tokens["new"] if token != "<|yue|>"]
        self.assertEqual(without, tokens["old"])
        self.assertEqual(tokens["new"].index("<|yue|>") + 1, tokens["new"].index("<|translate|>"))

    def test_a_seed_gives_the_same_file_again(self):
        files = [self.make("old", "ct2", out, seed) / "model.bin" for out, seed in (("a", 1), ("b", 1), ("c", 2))]
        first, again, other = (path.read_bytes() for path in files)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


if __name__ == "__main__":
    unittest.main()
