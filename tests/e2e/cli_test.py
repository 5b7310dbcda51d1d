#!/usr/bin/env python3
"""The program from outside: what it prints, writes and returns.

It runs on the tiny seeded models of tests/golden, whose text is noise; what counts here is everything
around the text. Standard library only. By hand:
STENO=build/release/steno STENO_GOLDEN=tests/golden tests/e2e/cli_test.py -v
"""

import json
import os
import pty
import random
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import wave
from pathlib import Path

STENO = os.path.abspath(os.environ["STENO"])
ENGLISH_MODEL = Path(os.environ["STENO_GOLDEN"]).absolute() / "whisper" / "tiny-en" / "hf"

# Greedy, one temperature: quick, and the same text every time.
QUICK = ["-m", str(ENGLISH_MODEL), "--temperature", "0", "--beam-size", "1", "--compute-type", "f32"]
AUDIO_FIXTURES = Path(__file__).absolute().parents[1] / "support" / "audio_fixtures"
# No window counts as silence.
TALKATIVE = ["--no-speech-threshold", "none"]
# Every window counts as silence, whatever the model thinks of it.
SILENT = ["--no-speech-threshold", "0", "--logprob-threshold", "none"]
EMPTY = {"txt": "", "srt": "", "vtt": "WEBVTT\n\n", "tsv": "start\tend\ttext\n"}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder.name,
            "STENO_MODELS": str(self.folder / "models"),
        }

    def wav(self, name="a.wav", seconds=1.0):
        """Noise, 16 kHz mono 16 bit; the same for the same length."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        source = random.Random(1)
        samples = [source.randrange(-3000, 3000) for _ in range(int(16000 * seconds))]
        with wave.open(str(path), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(16000)
            out.writeframes(struct.pack(f"<{len(samples)}h", *samples))
        return path

    def steno(self, *arguments, **options):
        return subprocess.run(
            [STENO, *map(str, arguments)],
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            stdin=options.pop("stdin", subprocess.DEVNULL),
            cwd=self.folder,
            env=self.environment,
            timeout=120,
            **options,
        )

    def transcribe(self, *arguments, **options):
        return self.steno("transcribe", *QUICK, *arguments, **options)

    def assert_exit(self, result, code):
        self.assertEqual(result.returncode, code, result.stderr.decode(errors="replace"))

    def assert_refused(self, result, code, *texts):
        self.assert_exit(result, code)
        self.assertEqual(result.stdout, b"")
        message = result.stderr.decode()
        self.assertTrue(message.startswith("steno: error: "), message)
        for text in texts:
            self.assertIn(text, message)

    def written(self):
        return sorted(path.name for path in self.out.iterdir())

    def written_tree(self):
        paths = (path for path in self.out.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.out)) for path in paths)


class Results(ProgramTest):
    def test_standard_output_is_only_the_result(self):
        result = self.transcribe(self.wav(), "-f", "json", "--progress", "always")
        self.assert_exit(result, 0)
        document = json.loads(result.stdout)
        self.assertEqual(document["duration"], 1.0)
        self.assertEqual(document["language"], "en")
        self.assertIn(b"real time", result.stderr)

    def test_cues_are_numbered_and_in_order(self):
        result = self.transcribe(self.wav(seconds=61), *TALKATIVE, "--mode", "sequential", "-f", "srt")
        self.assert_exit(result, 0)
        cues = result.stdout.decode().split("\n\n")
        self.assertEqual(cues.pop(), "")
        self.assertGreater(len(cues), 1)
        last = "00:00:00,000"
        for number, cue in enumerate(cues, start=1):
            index, times, text = cue.split("\n")
            self.assertEqual(index, str(number))
            self.assertRegex(times, r"^\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}$")
            begin, end = times.split(" --> ")
            self.assertLessEqual(last, begin)
            self.assertLessEqual(begin, end)
            self.assertNotEqual(text.strip(), "")
            last = end
        self.assertLessEqual(last, "00:01:01,000")

    def test_progress_on_a_terminal_is_taken_away_at_the_end(self):
        terminal, stderr = pty.openpty()
        command = [STENO, "transcribe", *QUICK, self.wav(), "-o", "out"]
        code = subprocess.call(command, cwd=self.folder, env=self.environment, stderr=stderr)
        os.close(stderr)
        shown = os.read(terminal, 65536).decode()
        os.close(terminal)
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"^\r\S*a\.wav  0:00  (-|0\.0x)\x1b\[K")
        self.assertRegex(shown, r"\r\x1b\[Ksteno: 1 file, .* real time.*\r\n$")

    def test_quiet_says_nothing(self):
        result = self.transcribe(self.wav(), "-q")
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr, b"")

    def test_no_progress_where_there_is_no_terminal(self):
        result = self.transcribe(self.wav())
        self.assertEqual(result.stderr.count(b"\n"), 1)
        self.assertNotIn(b"\r", result.stderr)

    def test_all_formats_fit_into_one_folder(self):
        self.assert_exit(self.transcribe(self.wav(), "-f", "all", "-o", self.out), 0)
        self.assertEqual(
            self.written(),
            ["a.json", "a.srt", "a.tsv", "a.txt", "a.verbose.json", "a.vtt"],
        )
        document = json.loads((self.out / "a.verbose.json").read_text())
        self.assertEqual(document["task"], "transcribe")
        self.assertEqual(document["language"], "english")
        self.assertEqual(document["usage"], {"type": "duration", "seconds": 1})

    def test_silence_is_empty_but_valid_in_every_format(self):
        result = self.transcribe(self.wav(seconds=31), *SILENT, "-f", "all", "-o", self.out)
        self.assert_exit(result, 0)
        self.assert_empty_results(31.0)

    def test_too_short_audio_is_empty_with_a_warning(self):
        result = self.transcribe(self.wav(seconds=0.05), "-f", "all", "-o", self.out)
        self.assert_exit(result, 0)
        self.assertIn(b"too short", result.stderr)
        self.assert_empty_results(0.05)

    def assert_empty_results(self, duration_s):
        for extension, content in EMPTY.items():
            self.assertEqual((self.out / f"a.{extension}").read_text(), content)
        for name in ("a.json", "a.verbose.json"):
            document = json.loads((self.out / name).read_text())
            self.assertEqual(document["text"], "")
            self.assertEqual(document["segments"], [])
            self.assertEqual(document["duration"], duration_s)

    def test_the_same_twice_is_the_same(self):
        path = self.wav(seconds=3)
        first = self.transcribe(path, "-f", "srt")
        second = self.transcribe(path, "-f", "srt", "--threads", "1")
        self.assert_exit(first, 0)
        self.assertEqual(first.stdout, second.stdout)

    def test_existing_results_are_replaced_whole(self):
        self.out.mkdir()
        (self.out / "a.txt").write_text("old " * 10000)
        self.assert_exit(self.transcribe(self.wav(seconds=0.05), "-o", self.out), 0)
        self.assertEqual((self.out / "a.txt").read_text(), "")
        self.assertEqual(self.written(), ["a.txt"])

    def test_profile_tells_the_operations(self):
        result = self.transcribe(self.wav(), "--profile")
        self.assert_exit(result, 0)
        self.assertIn(b"calls", result.stderr)


class Subtitles(ProgramTest):
    TEXT = [*TALKATIVE, "--mode", "sequential"]  # of noise, which is no speech to the detector

    def test_cues_keep_within_their_limits(self):
        limits = ["--max-line-width", 20, "--max-line-count", 2, "--max-cue-seconds", 2.5]
        result = self.transcribe(self.wav(seconds=40), *self.TEXT, "-f", "srt", *limits)
        self.assert_exit(result, 0)
        cues = result.stdout.decode().split("\n\n")[:-1]
        self.assertGreater(len(cues), 1)
        for cue in cues:
            _, times, *lines = cue.split("\n")
            begin, end = map(self.seconds, times.split(" --> "))
            self.assertLessEqual(end - begin, 2.5 + 1e-6)
            self.assertIn(len(lines), (1, 2))
            for line in lines:
                self.assertNotEqual(line.strip(), "")

    def test_cues_hold_the_text(self):
        path = self.wav(seconds=40)
        cut = self.transcribe(path, *self.TEXT, "-f", "tsv", "--max-words-per-line", 2)
        whole = self.transcribe(path, *self.TEXT, "-f", "txt", "--word-timestamps")  # as the seek loop goes by words
        self.assert_exit(cut, 0)
        shown = "".join(line.split("\t")[2] for line in cut.stdout.decode().splitlines()[1:])
        self.assertNotEqual(shown, "")
        self.assertEqual("".join(shown.split()), "".join(whole.stdout.decode().split()))

    def test_limits_without_subtitles(self):
        result = self.transcribe(self.wav(), "-f", "json", "--max-line-width", 20)
        self.assert_refused(result, 2, "--max-line-width", "srt")

    @staticmethod
    def seconds(time_text):
        hours, minutes, seconds = time_text.replace(",", ".").split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


class Failures(ProgramTest):
    def bad(self, name="bad.mp3"):
        path = self.folder / name
        path.write_bytes(b"this is no audio" * 100)
        return path

    def test_one_bad_file_of_three(self):
        files = [self.wav("a.wav"), self.bad(), self.wav("c.wav")]
        result = self.transcribe(*files, "-o", self.out)
        self.assert_exit(result, 3)
        self.assertEqual(self.written(), ["a.txt", "c.txt"])
        self.assertIn(b"bad.mp3", result.stderr)
        self.assertIn(b"2 of 3 files", result.stderr)

    def test_only_bad_files(self):
        missing = self.folder / "missing.wav"
        empty = self.folder / "empty.wav"
        empty.touch()
        nothing = self.folder / "nothing"
        nothing.mkdir()
        result = self.transcribe(missing, self.bad(), empty, nothing)
        self.assert_exit(result, 1)
        self.assertEqual(result.stdout, b"")
        self.assertEqual(result.stderr.count(b"steno: error: "), 4)
        self.assertIn(b"steno: 0 of 4 files, 4 failed\n", result.stderr)

    def test_what_is_missing_is_told_without_a_model(self):
        result = self.steno("transcribe", "-m", "no-such-model", "missing.wav", "gone.mp3")
        self.assert_exit(result, 1)
        self.assertIn(b"missing.wav: there is no such file", result.stderr)
        self.assertNotIn(b"no-such-model", result.stderr)
        result = self.steno("transcribe", "-m", "no-such-model", "missing.wav", self.wav())
        self.assert_exit(result, 1)
        self.assertIn(b"no-such-model", result.stderr)

    def test_an_empty_name(self):
        result = self.transcribe("")
        self.assert_refused(result, 2, "an empty file name was given")
        result = self.transcribe("", self.wav(), "-o", self.out)
        self.assert_exit(result, 3)
        self.assertEqual(self.written(), ["a.txt"])

    def test_many_files_of_which_some_are_bad(self):
        recordings = [self.wav(f"in/{i:03}.wav", 0.05) for i in range(995)]
        for i in range(5):
            (self.folder / "in" / f"bad{i}.wav").write_bytes(b"no audio")
        result = self.transcribe("in", "-o", self.out)
        self.assert_exit(result, 3)
        self.assertEqual(self.written(), [path.stem + ".txt" for path in recordings])
        report = result.stderr.decode().splitlines()
        self.assertIn("steno: 995 of 1000 files, 5 failed, ", report[-6])
        self.assertEqual([line.split(":")[1] for line in report[-5:]], [" failed"] * 5)

    def test_strict_writes_nothing_of_a_damaged_recording(self):
        content = bytearray((AUDIO_FIXTURES / "tone.mp3").read_bytes())
        quarter = len(content) // 4
        content[quarter : quarter + 500] = random.Random(1).randbytes(500)
        (self.folder / "damaged.mp3").write_bytes(content)
        self.wav("good.wav")
        files = ["damaged.mp3", "good.wav", "-f", "txt,json", "-o", self.out]
        result = self.transcribe(*files, "--strict")
        self.assert_exit(result, 3)
        self.assertEqual(self.written(), ["good.json", "good.txt"])
        self.assertIn(b"audio: damaged.mp3: a broken packet after 0.7", result.stderr)
        self.assert_exit(self.transcribe(*files), 0)
        self.assertGreater(json.loads((self.out / "damaged.json").read_text())["decode_errors"], 0)

    def test_a_log_level_that_means_nothing(self):
        self.environment["STENO_LOG"] = "loud"
        result = self.transcribe(self.wav(), "-o", self.out)
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr.count(b"STENO_LOG is 'loud'"), 1)

    def test_the_model_is_unknown(self):
        result = self.steno("transcribe", "-m", "no-such-model", self.wav())
        self.assert_refused(result, 1, "no-such-model")

    def test_the_model_is_broken(self):
        broken = self.folder / "broken"
        broken.mkdir()
        (broken / "config.json").write_text("{")
        (broken / "model.safetensors").write_bytes(b"\xff" * 100)
        result = self.steno("transcribe", "-m", broken, self.wav())
        self.assert_refused(result, 1, "broken")

    def test_the_folder_cannot_be_written(self):
        (self.folder / "file").touch()
        result = self.transcribe(self.wav(), "-o", self.folder / "file" / "out")
        self.assert_refused(result, 2, "--output-dir")
        self.assert_refused(self.transcribe(self.wav(), "-o", self.folder / "file"), 2, "file")

    def test_a_result_beyond_the_size_limit_leaves_nothing_behind(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        result = self.transcribe(self.wav(), "-f", "json", "-o", self.out, preexec_fn=limit)
        self.assert_exit(result, 75)
        self.assertEqual(self.written(), [])

    def test_threads_that_cannot_be_started(self):
        # Some stacks of 1 TiB fit into the address space, 1024 do not.
        hard_limit = resource.getrlimit(resource.RLIMIT_STACK)[1]
        if hard_limit != resource.RLIM_INFINITY:
            self.skipTest("needs an unlimited stack")
        huge = lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 40, hard_limit))
        result = self.transcribe(self.wav(), "--threads", "1024", preexec_fn=huge)
        self.assert_refused(result, 75, "threads")

    def test_a_recording_padded_with_zeros_takes_bounded_memory(self):
        padded = self.folder / "a.flac"
        shutil.copy(AUDIO_FIXTURES / "tone.flac", padded)
        os.truncate(padded, 1 << 30)  # no disk: a hole
        result = self.transcribe(padded, "-f", "json")
        self.assert_exit(result, 0)
        self.assertAlmostEqual(json.loads(result.stdout)["duration"], 3.0, delta=0.2)

    def test_a_clip_past_the_end(self):
        result = self.transcribe(self.wav(), "--clip-timestamps", "0,1e308,1e308")
        self.assert_exit(result, 0)
        self.assertIn("a clip begins at 1e+308 s, but the audio ends at 1.000 s", result.stderr.decode())

    def test_a_model_file_that_links_to_itself(self):
        model = self.folder / "model"
        shutil.copytree(ENGLISH_MODEL, model)
        (model / "config.json").unlink()
        (model / "config.json").symlink_to("config.json")
        result = self.transcribe(self.wav(), "-m", model)
        self.assert_refused(result, 1, f"steno: error: {model}/config.json: ")

    def test_a_result_that_cannot_be_written_fails_its_file_alone(self):
        (self.out / "a.txt").mkdir(parents=True)
        result = self.transcribe(self.wav("a.wav"), self.wav("b.wav"), "-o", self.out)
        self.assert_exit(result, 3)
        self.assertTrue((self.out / "b.txt").is_file())


class Folders(ProgramTest):
    def test_the_tree_is_repeated(self):
        for name in ("in/a.wav", "in/x/b.wav", "in/x/b.flac", "in/x/y/c.WAV", "in/.hidden.wav"):
            self.wav(name, 0.05)
        (self.folder / "in" / "notes.txt").write_text("no recording")
        (self.folder / "in" / "x" / "up").symlink_to("..")
        result = self.transcribe("in", "-f", "txt,json", "-o", self.out)
        self.assert_exit(result, 0)
        expected = ["a", "x/b.flac", "x/b.wav", "x/y/c"]
        self.assertEqual(
            self.written_tree(), sorted(f"{name}.{kind}" for name in expected for kind in ("txt", "json"))
        )
        self.assertIn(b"in/x/up: a link to a folder", result.stderr)

    def test_folders_that_hold_the_same_names(self):
        self.wav("one/a.wav", 0.05)
        self.wav("two/a.wav", 0.05)
        self.assert_exit(self.transcribe("two", "one", "-o", self.out), 0)
        self.assertEqual(self.written_tree(), ["one/a.txt", "two/a.txt"])

    def test_a_folder_goes_to_standard_output(self):
        self.wav("in/b.wav", 0.05)
        self.wav("in/a.wav", 0.05)
        result = self.transcribe("in")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, b"in/a.wav:\n\nin/b.wav:\n")

    def test_a_folder_without_recordings(self):
        (self.folder / "in").mkdir()
        self.assert_refused(self.transcribe("in", "-o", self.out), 1, "in: there is no audio")

    def test_what_is_there_is_skipped_only_when_all_of_it_is(self):
        for name in ("a", "b", "c"):
            self.wav(f"in/{name}.wav", 0.05)
        arguments = ["in", "-f", "txt,json", "-o", self.out, "--skip-existing"]
        self.assert_exit(self.transcribe(*arguments), 0)
        (self.out / "b.json").unlink()
        for path in self.out.iterdir():
            path.write_text("old")
        result = self.transcribe(*arguments)
        self.assert_exit(result, 0)
        self.assertIn(b"steno: 1 file, 2 skipped, ", result.stderr)
        self.assertEqual((self.out / "a.txt").read_text(), "old")
        self.assertEqual((self.out / "b.txt").read_text(), "")
        self.assertEqual(json.loads((self.out / "b.json").read_text())["duration"], 0.05)
        done = self.steno("transcribe", "-m", "no-such-model", *arguments)
        self.assert_exit(done, 0)
        self.assertIn(b"steno: 0 files, 3 skipped\n", done.stderr)

    def test_killed_at_half_and_run_again(self):
        names = [f"{i:02}" for i in range(12)]
        for name in names:
            self.wav(f"in/{name}.wav", 2)
        arguments = ["transcribe", *QUICK, "in", "-f", "txt,json", "-o", "out", "--skip-existing"]
        process = subprocess.Popen(
            [STENO, *arguments], cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL
        )
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while not (self.out / "03.json").exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        process.kill()
        process.wait()
        written = [name for name in self.written() if not name.startswith(".")]
        self.assertLess(len(written), 2 * len(names))
        complete = sum(f"{name}.txt" in written and f"{name}.json" in written for name in names)
        for name in written:
            if name.endswith(".json"):
                self.assertEqual(json.loads((self.out / name).read_text())["duration"], 2.0)
        again = self.steno(*arguments)
        self.assert_exit(again, 0)
        self.assertIn(f"steno: {12 - complete} file", again.stderr.decode())
        self.assertIn(f", {complete} skipped, ", again.stderr.decode())
        written = [name for name in self.written() if not name.startswith(".")]
        self.assertEqual(written, sorted(f"{n}.{kind}" for n in names for kind in ("txt", "json")))


class Names(ProgramTest):
    def test_names_are_taken_literally(self):
        names = ["a\"; touch x; \".wav", "it's.wav", "new\nline.wav", "%s$HOME`id`.wav", "http:x.wav"]
        files = [self.wav(name, seconds=0.2) for name in names]
        result = self.transcribe(*files, "-o", self.out)
        self.assert_exit(result, 0)
        self.assertEqual(self.written(), sorted(name[:-4] + ".txt" for name in names))
        self.assertFalse((self.folder / "x").exists())

    def test_a_name_that_is_not_utf8(self):
        name = os.fsdecode(b"caf\xe9.wav")
        self.wav(name, seconds=0.2)
        result = self.steno("transcribe", *QUICK, "-f", "json", name)
        self.assert_exit(result, 0)
        self.assertEqual(json.loads(result.stdout)["source"], "caf\ufffd.wav")

    def test_a_leading_dash(self):
        self.wav("-x.wav", seconds=0.2)
        self.assert_exit(self.transcribe("-o", "out", "--", "-x.wav"), 0)
        self.assertEqual(self.written(), ["-x.txt"])

    def test_a_name_of_a_command(self):
        self.wav("doctor", seconds=0.2)
        self.assert_exit(self.transcribe("doctor", "-o", "out"), 0)
        self.assertEqual(self.written(), ["doctor.txt"])

    def test_results_never_collide(self):
        files = ["a.wav", "a.flac", "x/b.wav", "y/b.wav"]
        paths = [self.wav(name, seconds=0.2) for name in files]
        result = self.transcribe(*paths, "-o", self.out)
        self.assert_exit(result, 0)
        self.assertEqual(
            self.written(), ["a.flac.txt", "a.wav.txt", "b.wav-2.txt", "b.wav.txt"]
        )
        self.assertIn(b"b.wav-2.txt", result.stderr)

    def test_a_result_never_replaces_a_recording(self):
        path = self.wav("a.txt")
        content = path.read_bytes()
        self.assert_refused(self.transcribe(path, "-o", self.folder), 2, "overwritten")
        self.assertEqual(path.read_bytes(), content)


class Streams(ProgramTest):
    def test_standard_input(self):
        path = self.wav(seconds=2)
        from_file = self.transcribe(path, "-f", "tsv")
        with open(path, "rb") as stream:
            from_stdin = self.transcribe("-", "-f", "tsv", stdin=stream)
        self.assert_exit(from_stdin, 0)
        self.assertEqual(from_stdin.stdout, from_file.stdout)

    def test_a_pipe(self):
        path = self.wav(seconds=2)
        cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
        result = self.transcribe("-", "-o", "out", stdin=cat.stdout)
        cat.stdout.close()
        cat.wait()
        self.assert_exit(result, 0)
        self.assertEqual(self.written(), ["stdin.txt"])

    def piped(self, path, *arguments):
        cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(cat.wait)
        with cat.stdout:
            return self.transcribe("-", *arguments, stdin=cat.stdout)

    def test_every_channel_of_a_pipe(self):
        path = self.wav(seconds=4)
        with wave.open(str(path)) as mono:
            samples = [mono.readframes(1) for _ in range(mono.getnframes())]
        stereo = self.folder / "stereo.wav"
        with wave.open(str(stereo), "wb") as out:
            out.setparams((2, 2, 16000, 0, "NONE", ""))
            out.writeframes(b"".join(map(bytes.__add__, samples, reversed(samples))))
        for mode in ("parallel", "sequential"):
            arguments = ["--channels", "split", "--mode", mode, *TALKATIVE, "-f", "json"]
            from_file = json.loads(self.transcribe(stereo, *arguments).stdout)
            piped = self.piped(stereo, *arguments)
            self.assert_exit(piped, 0)
            from_pipe = json.loads(piped.stdout)
            self.assertEqual(from_pipe["segments"], from_file["segments"])
            self.assertEqual(from_pipe["source"], "stdin")
            self.assertEqual(from_pipe["duration"], 4.0)
        self.assertEqual({s["channel"] for s in from_pipe["segments"]}, {"left", "right"})

    def test_a_pipe_that_may_not_be_stored_whole(self):
        split = self.piped(self.wav(), "--channels", "split", "--max-pipe-size", "30KiB")
        mp4 = self.piped(AUDIO_FIXTURES / "tone.m4a", "--max-pipe-size", "3KiB")
        for result, limit in ((split, b"may have 30 KiB"), (mp4, b"may have 3.0 KiB")):
            self.assert_exit(result, 2)
            self.assertIn(limit, result.stderr)
            self.assertTrue(result.stderr.startswith(b"steno: error: audio: stdin: "), result.stderr)
            self.assertIn(b"raise --max-pipe-size", result.stderr)
        self.assert_exit(self.piped(self.wav(), "--max-pipe-size", "3KiB"), 0)  # is read as it comes

    def test_an_empty_standard_input(self):
        self.assert_refused_lines(self.transcribe("-"))

    def assert_refused_lines(self, result):
        self.assert_exit(result, 1)
        self.assertEqual(result.stdout, b"")
        self.assertIn(b"steno: error: ", result.stderr)

    def test_texts_of_several_files_stand_under_headings(self):
        self.wav("a.wav", 0.05)
        self.wav("b.wav", 0.05)
        result = self.transcribe("a.wav", "b.wav")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, b"a.wav:\n\nb.wav:\n")

    def test_json_of_several_files_is_json_lines(self):
        files = [self.wav("a.wav", 0.2), self.folder / "missing.wav", self.wav("b.wav", 0.2)]
        result = self.transcribe(*files, "-f", "json")
        self.assert_exit(result, 3)
        sources = [json.loads(line)["source"] for line in result.stdout.splitlines()]
        self.assertEqual(sources, [str(files[0]), str(files[2])])

    def test_a_closed_pipe_is_an_error(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = self.transcribe(self.wav(), "-f", "json", stdout=writer)
        os.close(writer)
        self.assertGreater(result.returncode, 0)
        self.assertIn(b"standard output", result.stderr)

    def test_standard_error_is_not_needed(self):
        for close in (lambda: os.close(2), lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 2)):
            result = self.transcribe(self.wav(), "-f", "json", "--progress", "always", preexec_fn=close)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(json.loads(result.stdout)["duration"], 1.0)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_an_error(self):
        for arguments in (["transcribe", *QUICK, "-f", "json", self.wav()], ["--help"], ["doctor"]):
            with open("/dev/full", "wb") as full:
                result = self.steno(*arguments, stdout=full)
            self.assertEqual(result.returncode, 75, result.stderr)


class Audio(ProgramTest):
    """Which part of a file is listened to, and what is said about it."""

    def stream_of(self, *arguments):
        result = self.transcribe(AUDIO_FIXTURES / "two_tracks.mkv", "-f", "json", *arguments)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)["stream"]

    def test_the_default_stream_or_the_one_chosen_is_named(self):
        english = {"index": 2, "codec": "opus", "language": "eng"}
        japanese = {"index": 1, "codec": "opus", "language": "jpn"}
        self.assertEqual(self.stream_of(), english)
        self.assertEqual(self.stream_of("--audio-stream", "0"), japanese)
        for language in ("jpn", "ja", "ja-JP", "Japanese"):
            self.assertEqual(self.stream_of("--audio-stream", language), japanese, language)
        self.assertEqual(self.stream_of("--audio-stream", "ja", "--mode", "sequential"), japanese)
        self.assertEqual(self.stream_of("--audio-stream", "ja", "--channels", "split"), japanese)

    def test_a_stream_that_is_not_there_is_refused_with_a_list(self):
        for choice in ("2", "fr"):
            result = self.transcribe(AUDIO_FIXTURES / "two_tracks.mkv", "--audio-stream", choice)
            self.assert_exit(result, 2)
            self.assertIn(b"there are 0: opus jpn, 1: opus eng", result.stderr)

    def test_one_channel_alone(self):
        left_only = self.folder / "left.wav"
        with wave.open(str(left_only), "wb") as out:
            out.setnchannels(2)
            out.setsampwidth(2)
            out.setframerate(16000)
            out.writeframes(struct.pack("<2h", 9000, -9000) * 16000)
        for which in ("left", "right"):
            result = self.transcribe(left_only, "--channels", which, "-f", "json")
            self.assert_exit(result, 0)
            self.assertEqual(json.loads(result.stdout)["duration"], 1.0)
            self.assertNotIn(b"cancel", result.stderr)
        self.assertIn(b"the two channels cancel each other", self.transcribe(left_only).stderr)
        self.assert_exit(self.transcribe(self.wav(), "--channels", "right"), 2)

    def test_ten_milliseconds_are_ten_milliseconds(self):
        result = self.transcribe(self.wav(seconds=0.01), "-f", "verbose_json")
        self.assert_exit(result, 0)
        self.assertEqual(json.loads(result.stdout)["duration"], 0.01)

    def test_a_hole_in_a_recording_is_named(self):
        damaged = bytearray((AUDIO_FIXTURES / "tone.opus").read_bytes())
        damaged[len(damaged) // 4] ^= 1
        path = self.folder / "damaged.opus"
        path.write_bytes(damaged)
        result = self.transcribe(path, "-f", "json")
        self.assert_exit(result, 0)
        document = json.loads(result.stdout)
        holes = [hole for hole in document["missing"] if hole["reason"] == "decode_error"]
        self.assertEqual(len(holes), 1)
        self.assertAlmostEqual(holes[0]["end"] - holes[0]["start"], 1.0, places=2)
        self.assertAlmostEqual(document["covered"], 2.0, places=2)
        self.assert_exit(self.transcribe(path, "--strict"), 1)


class Refusals(ProgramTest):
    def test_an_unknown_language(self):
        result = self.transcribe(self.wav(), "-l", "klingon")
        self.assert_refused(result, 2, "klingon", " haw ")

    def test_a_translation_by_an_english_only_model(self):
        self.assert_refused(self.transcribe(self.wav(), "--translate"), 2, "translat")

    def test_another_language_of_an_english_only_model(self):
        self.assert_refused(self.transcribe(self.wav(), "-l", "de"), 2)

    def test_formats_that_cannot_share_standard_output(self):
        self.assert_refused(self.transcribe(self.wav(), "-f", "srt,vtt"), 2, "-o DIR")
        self.assert_refused(self.transcribe("a.wav", "b.wav", "-f", "srt"), 2, "-o DIR")

    def test_standard_input_twice(self):
        self.assert_refused(self.transcribe("-", "-"), 2, "only once")

    def test_values_that_are_wrong(self):
        for arguments in (
            ["--mode", "batched"],
            ["--beam-size", "0"],
            ["--temperature", "hot"],
            ["--threads", "-1"],
            ["-f", "docx"],
            ["--no-such-option"],
            ["-o", ""],
        ):
            with self.subTest(arguments):
                self.assert_refused(self.transcribe(self.wav(), *arguments), 2)

    def test_no_file(self):
        self.assert_refused(self.steno("transcribe"), 2)


class Interrupts(ProgramTest):
    def test_an_interrupt_leaves_nothing_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen(
                [STENO, "transcribe", *QUICK, "-", "-o", "out"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                env=self.environment,
            )
            deadline = time.monotonic() + 60
            while not self.out.exists() and time.monotonic() < deadline:
                time.sleep(0.01)  # it makes the folder before it reads
            process.send_signal(number)
            output, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -number)
            self.assertEqual(output, b"")
            self.assertEqual(self.written(), [])
            self.out.rmdir()

    def test_a_second_signal_ends_even_a_result_that_nobody_reads(self):
        self.out.mkdir()
        os.mkfifo(self.out / "a.txt")
        process = subprocess.Popen(
            [STENO, "transcribe", *QUICK, self.wav(), "-f", "json,txt", "-o", "out", "-q"],
            cwd=self.folder,
            env=self.environment,
        )
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while not (self.out / "a.json").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)  # it now waits for a reader of a.txt
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
        self.assertEqual(process.wait(timeout=10), -signal.SIGTERM)
        self.assertEqual(self.written(), ["a.json", "a.txt"])


class Bench(ProgramTest):
    """The model's text is noise: what is known of it is how the figures hang together."""

    def manifest(self, *lines):
        path = self.folder / "set.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def bench(self, *arguments):
        return self.steno("bench", "asr", *QUICK, *arguments)

    def test_a_row_for_each_set_and_language_and_one_for_all(self):
        self.wav("a.wav", 1.0)
        self.wav("b.wav", 2.0)
        manifest = self.manifest({"path": "a.wav", "language": "en", "text": "Three words here."},
                                 {"path": "b.wav", "language": "en", "text": "four", "set": "noisy", "id": "b"},
                                 {"path": "a.wav", "language": "en", "text": ""})
        result = self.bench(manifest, "--json", "run.json", "--html", "run.html", "--price-per-hour", 0.5, "--profile")
        self.assert_exit(result, 0)
        table = result.stdout.decode()
        self.assertEqual([line.split("  ")[0] for line in table.splitlines()[:4]], ["set", "en", "noisy, en", "all"])
        self.assertIn("stage", table)

        report = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        self.assertEqual([s["num_files"] for s in report["sets"]], [2, 1])
        self.assertEqual([s["audio_s"] for s in report["sets"]], [2.0, 2.0])
        self.assertEqual(report["all"]["words"]["reference"], 4)
        self.assertEqual([f["id"] for f in report["files"]], ["a.wav", "a.wav", "b"])
        self.assertTrue(any(stage["num_calls"] > 0 for stage in report["stages"]))
        for s in report["sets"]:
            self.assertAlmostEqual(s["rtfx"], s["audio_s"] / s["wall_s"])
            self.assertAlmostEqual(s["cost_per_audio_hour"], 0.5 / s["rtfx"])
        self.assertTrue((self.folder / "run.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>"))

    def test_a_text_that_is_the_reference_has_no_errors(self):
        path = self.wav()
        heard = json.loads(self.transcribe(path, *TALKATIVE, "-l", "en", "-f", "json").stdout)["text"]
        result = self.bench(self.manifest({"path": "a.wav", "language": "en", "text": heard}), *TALKATIVE, "--json", "run.json")
        self.assert_exit(result, 0)
        file = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))["files"][0]
        self.assertEqual(file["text"], heard)
        self.assertEqual((file["words"]["rate"], file["characters"]["rate"]), (0, 0))

    def test_a_file_that_fails_counts_as_deleted_words(self):
        self.wav()
        manifest = self.manifest({"path": "a.wav", "language": "en", "text": "one"},
                                 {"path": "gone.wav", "language": "en", "text": "two words"})
        result = self.bench(manifest, "--json", "run.json")
        self.assert_exit(result, 3)
        self.assertIn(b"gone.wav", result.stderr)
        report = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        self.assertEqual(report["all"]["num_failed"], 1)
        self.assertEqual(report["files"][1]["words"]["deletions"], 2)
        self.assertIn("gone.wav", report["files"][1]["failure"])

    def test_what_cannot_be_measured_is_refused_before_a_model_is_loaded(self):
        line = {"path": "a.wav", "language": "en", "text": "x"}
        self.assert_refused(self.bench("none.jsonl"), 1, "none.jsonl")
        self.assert_refused(self.bench(self.manifest(line, {"path": "a.wav"})), 2, "line 2", "'text'")
        manifest = self.manifest(line)
        self.assert_refused(self.bench(manifest, "--price-per-hour", "-1"), 2, "--price-per-hour")
        self.assert_refused(self.bench(manifest, "--fold-accents", "xx"), 2, "--fold-accents", "'xx'")
        self.assert_refused(self.bench(), 2, "manifest")

    def test_a_language_that_the_model_lacks_is_refused_before_any_set_is_read(self):
        self.wav()
        manifest = self.manifest({"path": "a.wav", "language": "en", "text": "x"}, {"path": "a.wav", "language": "de", "text": "x"})
        self.assert_refused(self.bench(manifest), 2, "'de'")


class Help(ProgramTest):
    def test_version(self):
        result = self.steno("--version")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout.decode(), r"^steno \d+\.\d+\.\d+\n$")

    def test_every_command_teaches_by_examples(self):
        commands = ([], ["transcribe"], ["models"], ["models", "list"], ["models", "path"], ["doctor"],
                    ["bench"], ["bench", "asr"])
        for command in commands:
            with self.subTest(command):
                result = self.steno(*command, "--help")
                self.assert_exit(result, 0)
                self.assertIn(b"Examples:\n  steno ", result.stdout)

    def test_a_group_of_commands_alone_names_them(self):
        result = self.steno("models")
        self.assert_exit(result, 2)
        self.assertEqual(result.stdout, b"")
        for command in (b"list", b"pull", b"path"):
            self.assertIn(b"\n  " + command, result.stderr)
        self.assert_refused(self.steno("models", "lisst"), 2, "lisst")

    def test_flags_are_shown_as_they_are_typed(self):
        text = self.steno("transcribe", "--help").stdout.decode()
        self.assertIn("--no-suppress-blank", text)
        self.assertNotRegex(text, r"\{(true|false)\}")

    def test_no_command_is_wrong_usage(self):
        result = self.steno()
        self.assert_exit(result, 2)
        self.assertEqual(result.stdout, b"")
        self.assertIn(b"Examples:", result.stderr)

    def test_models(self):
        models = self.folder / "models"
        models.mkdir()
        (models / "tiny").symlink_to(ENGLISH_MODEL)
        listed = self.steno("models", "list")
        self.assert_exit(listed, 0)
        self.assertIn(b"tiny", listed.stdout)
        path = self.steno("models", "path", "tiny")
        self.assert_exit(path, 0)
        self.assertEqual(path.stdout.decode(), f"{models / 'tiny'}\n")
        self.assert_refused(self.steno("models", "path", "other"), 1, "other")

    def test_doctor(self):
        self.assert_exit(self.steno("doctor"), 0)
        result = self.steno("doctor", "--json")
        self.assert_exit(result, 0)
        report = json.loads(result.stdout)
        self.assertGreaterEqual(report["cpu"]["usable_cores"], 1)
        self.assertEqual(report["models"], [])
        self.assertTrue(report["temp_folder"]["writable"])


if __name__ == "__main__":
    unittest.main()
