"""The peers, each behind the same two verbs: load, and transcribe samples of 16 kHz into text.

A system says in `missing()` why it cannot run here, if it cannot. All decode at temperature 0 with no step up, so that
sampling does not change the work; the language is given. What each setting means is in contenders.py.
Path: contenders.py -> here -> worker.py. A worker process imports one peer's package alone: memory and threads are its own.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
import os
from pathlib import Path

import numpy as np

import weights

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # all weights are here


class System:
    packages: tuple[str, ...] = ()  # as PyPI names them, the peer's own first
    modules: tuple[str, ...] = ()

    def __init__(self, model: Path, cache: Path, threads: int, settings: dict):
        self.threads, self.settings = threads, settings
        self.load(model, cache)

    def load(self, model: Path, cache: Path) -> None:
        raise NotImplementedError

    def transcribe(self, samples: np.ndarray, language: str) -> str:
        raise NotImplementedError

    @classmethod
    def missing(cls) -> str | None:
        absent = [module for module in cls.modules if importlib.util.find_spec(module) is None]
        return f"no package {', '.join(absent)} here (PyPI had none for this machine, or it failed to install)" if absent else None

    @classmethod
    def version(cls) -> str:
        return ", ".join(f"{package} {importlib.metadata.version(package)}" for package in cls.packages)


class FasterWhisper(System):
    packages, modules = ("faster-whisper", "ctranslate2"), ("faster_whisper",)

    def load(self, model: Path, cache: Path) -> None:
        from faster_whisper import BatchedInferencePipeline, WhisperModel

        self.model = WhisperModel(
            str(model), device="cpu", compute_type=self.settings["compute_type"], cpu_threads=self.threads
        )
        self.batched = BatchedInferencePipeline(self.model) if "batch" in self.settings else None

    def transcribe(self, samples: np.ndarray, language: str) -> str:
        options = {"language": language, "beam_size": self.settings["beam"], "temperature": 0}
        if self.batched:
            segments, _ = self.batched.transcribe(samples, batch_size=self.settings["batch"], **options)
        else:
            segments, _ = self.model.transcribe(samples, **options)
        return "".join(segment.text for segment in segments)


class WhisperCpp(System):
    packages, modules = ("pywhispercpp",), ("pywhispercpp",)

    def load(self, model: Path, cache: Path) -> None:
        from pywhispercpp.model import Model

        beam = self.settings["beam"]
        search = {"greedy": {"best_of": 1}} if beam == 1 else {"beam_search": {"beam_size": beam, "patience": -1.0}}
        self.model = Model(
            str(weights.ggml_file(model, cache, self.settings["weights"])), params_sampling_strategy=int(beam > 1),
            n_threads=self.threads, print_progress=False, temperature_inc=0.0, redirect_whispercpp_logs_to=None, **search,
        )  # fmt: skip

    def transcribe(self, samples: np.ndarray, language: str) -> str:
        return " ".join(segment.text for segment in self.model.transcribe(samples, language=language))


class TranscribeCpp(System):
    packages, modules = ("transcribe-cpp",), ("transcribe_cpp", "transcribe_cpp_native")

    def load(self, model: Path, cache: Path) -> None:
        import transcribe_cpp

        path = weights.ggml_file(model, cache, self.settings["weights"])
        self.model = transcribe_cpp.Model(path, backend="cpu")
        self.session = self.model.session(n_threads=self.threads)
        self.options = transcribe_cpp.WhisperRunOptions(temperature=0.0, temperature_inc=0.0)

    def transcribe(self, samples: np.ndarray, language: str) -> str:
        return self.session.run(samples, language=language, family=self.options).text


class CrispAsr(System):
    packages, modules = ("crispasr",), ("crispasr",)

    def load(self, model: Path, cache: Path) -> None:
        import crispasr

        self.model = crispasr.CrispASR(str(weights.ggml_file(model, cache, self.settings["weights"])))

    def transcribe(self, samples: np.ndarray, language: str) -> str:
        options = {"n_threads": self.threads, "best_of": 1, "temperature": 0.0, "print_progress": False}
        segments = self.model.transcribe_pcm(samples, language=language, strategy=0, decode_options=options)
        return " ".join(segment.text for segment in segments)


class OpenAiWhisper(System):
    packages, modules = ("openai-whisper", "torch"), ("whisper", "torch")

    def load(self, model: Path, cache: Path) -> None:
        import openai_model  # beside ct2_weights, which weights.py has put on the path
        import torch

        torch.set_num_threads(self.threads)
        self.model = openai_model.load(model)

    def transcribe(self, samples: np.ndarray, language: str) -> str:
        import whisper

        beam = {"beam_size": self.settings["beam"]} if self.settings["beam"] > 1 else {}
        return whisper.transcribe(self.model, samples, language=language, temperature=0.0, fp16=False, **beam)["text"]


class Transformers(System):
    """The pipeline's own way through long audio: chunks of 30 s with strides, several at a time."""

    packages, modules = ("transformers", "torch"), ("transformers", "torch")

    def load(self, model: Path, cache: Path) -> None:
        import torch
        import transformers

        transformers.logging.set_verbosity_error()
        torch.set_num_threads(self.threads)
        folder = str(weights.hf_folder(model, cache))
        dtype = {"bf16": torch.bfloat16, "f32": torch.float32}[self.settings["compute_type"]]
        loaded = transformers.WhisperForConditionalGeneration.from_pretrained(folder, dtype=dtype)
        self.pipeline = transformers.pipeline(
            "automatic-speech-recognition", model=loaded, dtype=dtype,
            tokenizer=transformers.WhisperTokenizerFast.from_pretrained(folder),
            feature_extractor=transformers.WhisperFeatureExtractor.from_pretrained(folder),
            chunk_length_s=30, batch_size=self.settings["batch"],
        )  # fmt: skip

    def transcribe(self, samples: np.ndarray, language: str) -> str:
        return self.pipeline(
            {"raw": samples.copy(), "sampling_rate": 16000}, return_timestamps=self.settings["timestamps"],
            generate_kwargs={"language": language, "task": "transcribe", "num_beams": self.settings["beam"]},
        )["text"]  # fmt: skip


SYSTEMS: dict[str, type[System]] = {
    "faster-whisper": FasterWhisper,
    "whisper.cpp": WhisperCpp,
    "transcribe.cpp": TranscribeCpp,
    "crispasr": CrispAsr,
    "openai-whisper": OpenAiWhisper,
    "transformers": Transformers,
}

logging.getLogger("transformers").setLevel(logging.ERROR)
