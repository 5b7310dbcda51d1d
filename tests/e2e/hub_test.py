#!/usr/bin/env python3
"""`steno models pull` and the hub cache, against a hub on this machine (support/hub_server.py).

Standard library only. By hand: STENO=build/release/steno STENO_GOLDEN=tests/golden tests/e2e/hub_test.py -v
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parents[1] / "support"))
from hub_server import Fault, HubServer, sha256  # noqa: E402

STENO = os.path.abspath(os.environ["STENO"])
GOLDEN = Path(os.environ["STENO_GOLDEN"]).absolute()
TINY = GOLDEN / "whisper" / "tiny-en"
NAME = "org/whisper-test"
COMMIT = "c0ffee" + "0" * 34
QUICK = ["--temperature", "0", "--beam-size", "1", "--compute-type", "f32", "-q"]


def model_files(folder=TINY / "hf"):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class HubTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.hub = HubServer()
        self.addCleanup(self.hub.__exit__)
        self.cache = self.folder / "hf" / "hub"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder.name,
            "HF_HOME": str(self.folder / "hf"),
            "HF_ENDPOINT": self.hub.url + "/",
        }

    def add(self, files=None, lfs=("model.safetensors",), name=NAME, **options):
        return self.hub.add(name, files or model_files(), lfs, **options)

    def steno(self, *arguments, **options):
        return subprocess.run([STENO, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL,
                              cwd=self.folder, env=self.environment, timeout=120, **options)

    def pull(self, *arguments, **options):
        return self.steno("models", "pull", *(arguments or [NAME]), **options)

    def assert_done(self, result):
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result

    def assert_refused(self, result, code, *texts):
        message = result.stderr.decode()
        self.assertEqual(result.returncode, code, message)
        self.assertEqual(result.stdout, b"")
        for text in texts:
            self.assertIn(text, message)

    @property
    def repository(self):
        return self.cache / ("models--" + NAME.replace("/", "--"))

    @property
    def snapshot(self):
        return self.repository / "snapshots" / COMMIT

    def partials(self):
        return list(self.repository.glob("blobs/*.incomplete"))


class Pull(HubTest):
    def test_fetches_what_is_needed_in_the_layout_of_the_hub(self):
        files = {**model_files(), "pytorch_model.bin": b"pickle", "flax_model.msgpack": b"x", "README.md": b"x",
                 "onnx/model.onnx": b"x"}
        self.add(files)
        result = self.assert_done(self.pull())
        self.assertEqual(result.stdout.decode(), f"{self.snapshot}\n")
        expected = {name for name in model_files()}
        self.assertEqual({path.name for path in self.snapshot.iterdir()}, expected)
        for name in expected:
            link = self.snapshot / name
            self.assertEqual(link.read_bytes(), files[name])
            self.assertTrue(os.readlink(link).startswith("../../blobs/"), os.readlink(link))
        self.assertEqual((self.repository / "refs" / "main").read_text(), COMMIT)
        blob = self.repository / "blobs" / sha256(files["model.safetensors"])
        self.assertEqual((self.snapshot / "model.safetensors").resolve(), blob.resolve())
        self.assertEqual(self.partials(), [])

    def test_a_pulled_model_transcribes_as_the_folder_does_and_asks_nobody(self):
        self.add()
        self.assert_done(self.pull())
        self.hub.requests.clear()
        audio = GOLDEN / "audio" / "d.wav"
        speech = ["--no-speech-threshold", "none", *QUICK, audio]
        from_folder = self.assert_done(self.steno("transcribe", "-m", TINY / "hf", *speech))
        for name in (NAME, "whisper-test", f"{NAME}@main", f"{NAME}@{COMMIT}"):
            from_cache = self.assert_done(self.steno("transcribe", "-m", name, *speech))
            self.assertEqual(from_cache.stdout, from_folder.stdout)
        self.assertGreater(len(from_folder.stdout), 10)
        self.assertEqual(self.hub.requests, [])

    def test_a_warm_cache_makes_no_call_unless_asked_for_news(self):
        self.add()
        self.assert_done(self.pull())
        self.hub.requests.clear()
        again = self.assert_done(self.pull())
        self.assertEqual(again.stdout.decode(), f"{self.snapshot}\n")
        self.assertEqual(self.hub.requests, [])
        newer = "beef" + "0" * 36
        self.add(commit=newer)
        updated = self.assert_done(self.pull(NAME, "--update"))
        self.assertTrue(updated.stdout.decode().endswith(f"/{newer}\n"))
        self.assertEqual(len(self.hub.paths()), 1)  # the listing: every blob is there
        self.assertTrue(self.snapshot.is_dir())  # nothing was deleted
        found = self.assert_done(self.steno("models", "path", NAME))
        self.assertTrue(found.stdout.decode().endswith(f"/{newer}\n"))

    def test_shards_come_by_their_index(self):
        files = {**model_files(TINY / "hf-sharded"), "tokenizer.json": b"{}", "extra-00001-of-00002.safetensors": b"x"}
        self.add(files, lfs=[name for name in files if name.endswith(".safetensors")])
        self.assert_done(self.pull())
        names = {path.name for path in self.snapshot.iterdir()}
        self.assertEqual(names, set(files) - {"extra-00001-of-00002.safetensors"})

    def test_ctranslate2_models_come_as_they_are(self):
        files = model_files(TINY / "ct2-float32")
        self.add(files, lfs=["model.bin"])
        self.assert_done(self.pull())
        self.assertEqual({path.name for path in self.snapshot.iterdir()}, set(files))

    def test_revisions(self):
        self.add()
        self.assert_done(self.pull(f"{NAME}@v1"))
        self.assertEqual((self.repository / "refs" / "v1").read_text(), COMMIT)
        self.assertFalse((self.repository / "refs" / "main").exists())
        self.assert_done(self.pull(f"{NAME}@{COMMIT}"))
        self.assertEqual(os.listdir(self.repository / "refs"), ["v1"])
        self.assert_refused(self.pull(f"{NAME}@v2"), 1, "revision", "404")

    def test_two_at_once_do_not_harm_each_other(self):
        files = {**model_files(), "model.safetensors": os.urandom(20_000_000)}
        self.add(files)
        command = [STENO, "models", "pull", NAME]
        runs = [subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(3)]
        for run in runs:
            _, stderr = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 0, stderr.decode())
        self.assertEqual((self.snapshot / "model.safetensors").read_bytes(), files["model.safetensors"])
        self.assertEqual(len(self.hub.paths("cdn")), 1)

    def test_the_python_package_finds_what_was_pulled(self):
        python = os.environ.get("STENO_HUGGINGFACE_PYTHON", sys.executable)
        if subprocess.run([python, "-c", "import huggingface_hub"], capture_output=True).returncode != 0:
            self.skipTest("no Python with huggingface_hub (STENO_HUGGINGFACE_PYTHON)")
        self.add()
        self.assert_done(self.pull())
        code = ("import huggingface_hub as h\n"
                f"print(h.snapshot_download('{NAME}', local_files_only=True))\n"
                f"print(h.try_to_load_from_cache('{NAME}', 'config.json'))\n"
                "print(sum(len(r.revisions) for r in h.scan_cache_dir().repos), h.scan_cache_dir().warnings)")
        found = subprocess.run([python, "-c", code], capture_output=True, env=self.environment, timeout=60)
        self.assertEqual(found.stdout.decode().splitlines(),
                         [str(self.snapshot), str(self.snapshot / "config.json"), "1 []"], found.stderr.decode())


class Faults(HubTest):
    def test_a_broken_transfer_goes_on_where_it_broke(self):
        content = os.urandom(3_000_000)
        self.add({**model_files(), "model.safetensors": content})
        self.hub.faults["model.safetensors"] = [None, Fault(cut_after=1_000_000)]
        self.assert_done(self.pull())
        ranges = [headers.get("Range") for server, _, headers in self.hub.requests if server == "cdn"]
        self.assertEqual(ranges[0], None)
        self.assertRegex(ranges[1], r"^bytes=\d+-$")
        self.assertGreater(int(ranges[1][6:-1]), 500_000)
        self.assertEqual((self.snapshot / "model.safetensors").read_bytes(), content)

    def test_a_killed_pull_goes_on_in_the_next_run(self):
        content = os.urandom(5_000_000)
        self.add({**model_files(), "model.safetensors": content})
        self.hub.faults["model.safetensors"] = [None, Fault(cut_after=2_000_000, stall_s=60)]
        run = subprocess.Popen([STENO, "models", "pull", NAME], env=self.environment, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while sum(path.stat().st_size for path in self.partials()) < 1_900_000:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertFalse((self.repository / "refs").exists())
        missing = self.steno("transcribe", "-m", NAME, GOLDEN / "audio" / "a.wav")
        self.assert_refused(missing, 1, NAME, "lacks model.safetensors", f"steno models pull {NAME}")
        self.hub.requests.clear()
        self.assert_done(self.pull())
        (headers,) = [headers for server, _, headers in self.hub.requests if server == "cdn"]
        self.assertGreater(int(headers["Range"][6:-1]), 1_800_000)
        self.assertEqual((self.snapshot / "model.safetensors").read_bytes(), content)

    def test_a_server_without_ranges_begins_anew(self):
        content = os.urandom(3_000_000)
        self.add({**model_files(), "model.safetensors": content})
        self.hub.ignores_ranges = True
        self.hub.faults["model.safetensors"] = [None, Fault(cut_after=1_000_000)]
        self.assert_done(self.pull())
        self.assertEqual((self.snapshot / "model.safetensors").read_bytes(), content)

    def test_wrong_content_is_thrown_away(self):
        good = model_files()["model.safetensors"]
        self.add()
        self.hub.served["model.safetensors"] = bytes(len(good))
        self.assert_refused(self.pull(), 1, "model.safetensors", "expected " + sha256(good), "thrown away")
        self.assertEqual(self.partials(), [])
        self.assertFalse((self.snapshot / "model.safetensors").exists())
        self.hub.served.clear()
        self.assert_done(self.pull())

    def test_a_stale_partial_file_is_fetched_again(self):
        good = model_files()["model.safetensors"]
        self.add()
        blobs = self.repository / "blobs"
        blobs.mkdir(parents=True)
        (blobs / (sha256(good) + ".incomplete")).write_bytes(b"\xff" * 1000)
        result = self.assert_done(self.pull())
        self.assertIn(b"from the start again", result.stderr)
        self.assertEqual((self.snapshot / "model.safetensors").read_bytes(), good)

    def test_small_files_are_checked_too(self):
        self.add()
        self.hub.served["config.json"] = b"x" * len(model_files()["config.json"])
        self.assert_refused(self.pull(), 1, "config.json", "expected")

    def test_more_bytes_than_announced(self):
        self.add()
        self.hub.served["config.json"] = model_files()["config.json"] + b" " * 100_000
        self.assert_refused(self.pull(), 75, "config.json", "more bytes")

    def test_busy_servers_are_asked_again(self):
        self.add()
        self.hub.faults["main"] = [Fault(429, {"Retry-After": "0"}), Fault(503, {"Retry-After": "0"})]
        self.hub.faults["model.safetensors"] = [Fault(500, {"Retry-After": "0"}), None, Fault(502, {"Retry-After": "0"})]
        self.assert_done(self.pull())

    def test_a_server_that_stays_busy(self):
        self.add()
        self.hub.faults["main"] = [Fault(429, {"Retry-After": "100000"})]
        self.assert_refused(self.pull(), 75, "429", "try again later")

    def test_a_stalled_transfer_is_tried_again(self):
        self.environment["HF_HUB_DOWNLOAD_TIMEOUT"] = "1"
        self.add()
        self.hub.faults["model.safetensors"] = [None, Fault(cut_after=1000, stall_s=20)]
        self.assert_done(self.pull())

    def test_nobody_listens(self):
        self.environment["HF_ENDPOINT"] = "http://127.0.0.1:1"
        self.environment["no_proxy"] = "*"
        begin = time.monotonic()
        self.assert_refused(self.pull(), 75, "127.0.0.1", "HTTPS_PROXY")
        self.assertLess(time.monotonic() - begin, 30)

    def test_disk_full_keeps_what_came(self):
        content = os.urandom(3_000_000)
        self.add({**model_files(), "model.safetensors": content})
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))  # noqa: E731
        self.assert_refused(self.pull(preexec_fn=limit), 75, "cannot write", "make room")
        self.assertEqual([path.stat().st_size for path in self.partials()], [1_000_000])
        self.assert_done(self.pull())
        self.assertEqual((self.snapshot / "model.safetensors").read_bytes(), content)


class Trust(HubTest):
    def test_the_token_goes_to_the_hub_alone(self):
        self.environment["HF_TOKEN"] = "hf_secret"
        self.add()
        result = self.assert_done(self.pull())
        authorizations = {(server, headers.get("Authorization")) for server, _, headers in self.hub.requests}
        self.assertEqual(authorizations, {("hub", "Bearer hf_secret"), ("cdn", None)})
        self.assertNotIn(b"hf_secret", result.stderr)

    def test_tokens_in_files(self):
        self.add()
        self.hub.gated[NAME] = "hf_file"
        (self.folder / "hf").mkdir()
        (self.folder / "hf" / "token").write_text("hf_file\n")
        self.assert_done(self.pull())
        (self.folder / "other").write_text("wrong")
        self.environment["HF_TOKEN_PATH"] = str(self.folder / "other")
        self.assert_refused(self.pull(NAME, "--update"), 1, "403", NAME)

    def test_gated_and_unknown_models(self):
        self.add()
        self.hub.gated[NAME] = "hf_right"
        self.assert_refused(self.pull(), 1, "401", "HF_TOKEN", f"{self.hub.url}/{NAME}")
        self.environment["HF_TOKEN"] = "hf_wrong"
        result = self.pull()
        self.assert_refused(result, 1, "403")
        self.assertNotIn(b"hf_wrong", result.stderr)
        self.assert_refused(self.pull("org/other"), 1, "org/other", "404")

    def test_a_token_cannot_add_headers(self):
        self.environment["HF_TOKEN"] = "a\r\nX-Evil: 1"
        self.assert_refused(self.pull(), 2, "HF_TOKEN")
        self.assertEqual(self.hub.requests, [])

    def test_a_redirect_to_another_scheme_is_refused(self):
        self.add()
        self.hub.faults["model.safetensors"] = [Fault(302, {"Location": "file:///etc/passwd"})]
        self.assert_refused(self.pull(), 75, "is refused")

    def test_endless_redirects(self):
        self.add()
        self.hub.faults["main"] = [Fault(302, {"Location": f"/api/models/{NAME}/revision/main"})] * 50
        self.assert_refused(self.pull(), 75, "redirects")

    def test_names_that_leave_the_folder_are_refused(self):
        self.add()
        for name in ("../../evil", "/etc/evil", "a/../../b", "..\\evil", "a\nb", "", "a//b", "./config.json"):
            self.hub.extra_siblings = [{"rfilename": name, "size": 1, "blobId": "0" * 40}]
            self.assert_refused(self.pull(), 75, "refused")
        self.assertFalse(self.repository.exists())

    def test_hashes_and_commits_that_are_paths_are_refused(self):
        self.add({**model_files()})
        self.hub.extra_siblings = [{"rfilename": "vocabulary.txt", "size": 1, "blobId": "../../../x"}]
        self.assert_refused(self.pull(), 75, "vocabulary.txt", "hash")
        self.hub.extra_siblings = []
        self.add(commit="../../evil")
        self.assert_refused(self.pull(), 75, "commit")

    def test_shards_outside_the_folder_are_refused(self):
        files = {"config.json": b"{}", "model.safetensors.index.json": b'{"weight_map": {"a": "../x.safetensors"}}'}
        self.add(files)
        self.assert_refused(self.pull(), 1, "../x.safetensors")

    def test_models_without_weights_we_read(self):
        self.add({"config.json": b"{}", "pytorch_model.bin": b"x", "model.onnx": b"x"})
        self.assert_refused(self.pull(), 1, "pytorch_model.bin", "model.safetensors")
        self.assertEqual(len(self.hub.requests), 1)

    def test_names_that_are_none(self):
        for name in ("nothing", "a/b/c", "../x", "org/..", "org/a--b", "org/name@../x", "org/na me", "-", "org/n@"):
            self.assert_refused(self.pull("--", name), 2, "expected")
        self.assertEqual(self.hub.requests, [])

    def test_an_endpoint_that_is_none(self):
        self.environment["HF_ENDPOINT"] = "ftp://example.org"
        self.assert_refused(self.pull(), 2, "HF_ENDPOINT")


class Offline(HubTest):
    def test_says_what_is_missing_and_asks_nobody(self):
        self.add()
        for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            self.environment[variable] = "true"
            self.assert_refused(self.pull(), 1, NAME, "not there", str(self.cache))
            del self.environment[variable]
        self.assert_refused(self.pull(NAME, "--offline"), 1, NAME, "--offline")
        self.assertEqual(self.hub.requests, [])

    def test_what_is_there_is_found(self):
        self.add()
        self.assert_done(self.pull())
        self.hub.requests.clear()
        self.assert_done(self.pull(NAME, "--offline", "--update"))
        self.assertEqual(self.hub.requests, [])
        (self.snapshot / "model.safetensors").unlink()
        self.assert_refused(self.pull(NAME, "--offline"), 1, "lacks model.safetensors")

    def test_transcribing_never_fetches(self):
        self.add()
        audio = GOLDEN / "audio" / "a.wav"
        self.assert_refused(self.steno("transcribe", "-m", NAME, audio), 1, f"steno models pull {NAME}")
        offline = self.steno("transcribe", "-m", "large-v3", "--offline", audio)
        self.assert_refused(offline, 1, "steno models pull large-v3")
        self.assert_done(self.steno("transcribe", "-m", TINY / "hf", *QUICK, audio))
        self.assertEqual(self.hub.requests, [])


class Names(HubTest):
    def test_short_names(self):
        self.add(name="openai/whisper-large-v3")
        self.add(name="openai/whisper-large-v3-turbo")
        for name, folder in (("large-v3", "large-v3"), ("whisper-large-v3", "large-v3"), ("turbo", "large-v3-turbo")):
            result = self.assert_done(self.pull("-q", name))
            self.assertIn(f"models--openai--whisper-{folder}/snapshots", result.stdout.decode())
            self.assertEqual(result.stderr, b"")
            path = self.assert_done(self.steno("models", "path", name))
            self.assertEqual(path.stdout, result.stdout)
        self.assertEqual(len([path for path in self.hub.paths("hub") if path.startswith("/api/")]), 2)

    def test_the_list_has_both_caches_and_what_can_be_pulled(self):
        self.add()
        self.assert_done(self.pull())
        own = self.folder / ".cache" / "steno" / "models"
        own.mkdir(parents=True)
        (own / "mine").symlink_to(TINY / "ct2-int8")
        lines = self.assert_done(self.steno("models", "list")).stdout.decode().splitlines()
        rows = {line.split()[0]: line for line in lines}
        self.assertRegex(rows["mine"], r"ctranslate2 +\d+ MiB +" + str(own / "mine"))
        self.assertRegex(rows[NAME], r"safetensors +\d+ MiB +" + str(self.snapshot))
        self.assertIn("steno models pull large-v3 (openai/whisper-large-v3)", rows["large-v3"])


if __name__ == "__main__":
    unittest.main()
