#!/usr/bin/env python3
"""One binary on many CPUs: narrower instruction sets by STENO_ISA, and other CPUs under qemu-user (Debian's qemu-user).

Ends with 77, skipped, where nothing of a class can run here. Standard library only. By hand:
STENO=build/release/steno STENO_GOLDEN=tests/golden tests/e2e/cpu_test.py -v
"""

import json
import os
import platform
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import wave
from pathlib import Path

STENO = os.path.abspath(os.environ["STENO"])
MODEL = Path(os.environ["STENO_GOLDEN"]).absolute() / "whisper" / "tiny-en" / "hf"
QEMU = shutil.which("qemu-x86_64")
IS_X86_64 = platform.machine() in ("x86_64", "AMD64")
COMPUTE_TYPES = ("f32", "bf16", "int8")


class CpuTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder.name, "STENO_MODELS": str(self.folder / "models")}

    def run_program(self, *arguments, cpu=None, isa=None):
        emulator = [QEMU, "-cpu", cpu] if cpu else []
        return subprocess.run(
            [*emulator, STENO, *map(str, arguments)], capture_output=True, text=True, timeout=250, cwd=self.folder,
            env=self.environment | ({"STENO_ISA": isa} if isa else {}),
        )  # fmt: skip

    def doctor(self, **machine):
        """What `steno doctor` says, by the first word of the line."""
        result = self.run_program("doctor", **machine)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {line.split()[0]: line.split(maxsplit=1)[1] for line in result.stdout.splitlines()}

    def noise(self):
        path = self.folder / "noise.wav"
        source = random.Random(1)
        with wave.open(str(path), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(16000)
            out.writeframes(struct.pack("<16000h", *(source.randrange(-3000, 3000) for _ in range(16000))))
        return path

    def transcribe(self, compute_type, **machine):
        result = self.run_program(
            "transcribe", self.noise(), "-m", MODEL, "--temperature", "0", "--beam-size", "1", "--compute-type", compute_type,
            "--no-speech-threshold", "none", "--mode", "sequential", "-f", "json", "-q", **machine,
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        text = json.loads(result.stdout)["text"]
        self.assertGreater(len(text), 10)  # the model has run, and says something
        return text


@unittest.skipUnless(IS_X86_64, "STENO_ISA names instruction sets of x86-64")
class InstructionSets(CpuTest):
    """In f32 the sums' order alone differs, which these weights' texts do not notice."""

    def test_each_that_this_cpu_has_runs_every_compute_type(self):
        has_avx2 = "avx2" in self.doctor()["instructions"]
        has_avx512 = "avx512bw" in self.doctor()["instructions"]
        text = self.transcribe("f32")
        for isa, is_here in (("v2", True), ("avx2", has_avx2), ("avx512", has_avx512)):
            if not is_here:
                continue
            with self.subTest(isa):
                self.assertTrue(self.doctor(isa=isa)["kernels"].startswith(isa))
                self.assertEqual(self.transcribe("f32", isa=isa), text)
                self.transcribe("bf16", isa=isa)
                self.transcribe("int8", isa=isa)

    def test_a_name_that_is_none_is_refused(self):
        result = self.run_program("doctor", isa="avx1024")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "steno: error: STENO_ISA=avx1024: expected generic, v2, avx2 or avx512\n")


@unittest.skipUnless(IS_X86_64 and QEMU, "needs x86-64 and qemu-x86_64 (Debian's qemu-user)")
class Emulated(CpuTest):
    def assert_runs(self, cpu, isa):
        report = self.doctor(cpu=cpu)
        self.assertEqual(report["kernels"], f"{isa}, compute type f32")
        for compute_type in COMPUTE_TYPES:
            with self.subTest(compute_type):
                emulated = self.transcribe(compute_type, cpu=cpu)
                if compute_type == "f32":
                    self.assertEqual(emulated, self.transcribe(compute_type))

    def test_a_cpu_without_avx_runs(self):
        self.assertNotIn("avx", self.doctor(cpu="Nehalem")["instructions"])
        self.assert_runs("Nehalem", "v2")

    def test_a_cpu_with_avx_but_without_avx2_runs(self):
        self.assert_runs("IvyBridge", "v2")

    def test_a_cpu_with_avx2_runs(self):
        self.assert_runs("Haswell", "avx2")

    def test_a_wider_set_than_the_cpu_has_is_refused(self):
        result = self.run_program("doctor", cpu="Nehalem", isa="avx2")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "steno: error: STENO_ISA=avx2: this CPU does not have it; the widest it has is v2\n")

    def test_an_older_cpu_is_refused_in_a_sentence(self):
        for cpu in ("Conroe", "qemu64"):
            result = self.run_program("--version", cpu=cpu)
            self.assertEqual((result.returncode, result.stdout), (1, ""), cpu)
            message = [line for line in result.stderr.splitlines() if not line.startswith("qemu-x86_64: warning")]
            self.assertEqual(len(message), 1, message)
            self.assertTrue(message[0].startswith("steno: error: this CPU lacks SSE4.2 or POPCNT: steno needs x86-64-v2"))


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    everything_was_skipped = result.wasSuccessful() and result.skipped and len(result.skipped) == result.testsRun
    sys.exit(77 if everything_was_skipped else not result.wasSuccessful())
