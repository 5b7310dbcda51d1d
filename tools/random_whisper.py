#!/usr/bin/env python3
"""Makes a Whisper of a released size with seeded random weights: its speed is that of the real one, its text is noise.

    python tools/random_whisper.py large-v3-turbo --tokenizer whisper-base-ct2 --out models

writes models/random-large-v3-turbo-ct2 (as CTranslate2 and faster-whisper read it) and models/random-large-v3-turbo-hf (as
transformers does), both with the same weights in float16, both for steno. --tokenizer is the folder of any multilingual
Whisper in either layout; Cantonese is added for the sizes that know it. A tensor's values depend on its Hugging Face name
and the seed alone, and one is in memory at a time. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

NUM_POSITIONS = {"encoder": 1500, "decoder": 448}
NUM_TIMESTAMPS = 1501
CT2_DTYPES = {"int8": 1, "int16": 2, "float16": 4}


@dataclass(frozen=True)
class Size:
    d_model: int
    num_heads: int
    encoder_layers: int
    decoder_layers: int
    num_mels: int = 80
    num_languages: int = 99

    @property
    def ffn(self) -> int:
        return 4 * self.d_model

    def layers(self, side: str) -> int:
        return self.encoder_layers if side == "encoder" else self.decoder_layers


SIZES = {
    "tiny": Size(384, 6, 4, 4),
    "base": Size(512, 8, 6, 6),
    "small": Size(768, 12, 12, 12),
    "medium": Size(1024, 16, 24, 24),
    "large-v2": Size(1280, 20, 32, 32),
    "large-v3": Size(1280, 20, 32, 32, num_mels=128, num_languages=100),
    "large-v3-turbo": Size(1280, 20, 32, 4, num_mels=128, num_languages=100),
}


# ---- the vocabulary


@dataclass
class Vocabulary:
    tokenizer: dict  # tokenizer.json
    suppressed: list[int]
    suppressed_at_first: list[int]

    @property
    def tokens(self) -> list[str]:
        """Every token by its id, timestamps too, which tokenizer.json may lack."""
        by_id = {i: token for token, i in self.tokenizer["model"]["vocab"].items()}
        by_id |= {token["id"]: token["content"] for token in self.tokenizer["added_tokens"]}
        first = self.id("<|notimestamps|>") + 1
        by_id |= {first + i: f"<|{i * 0.02:.2f}|>" for i in range(NUM_TIMESTAMPS)}
        return [by_id[i] for i in range(first + NUM_TIMESTAMPS)]

    def id(self, content: str) -> int:
        return next(token["id"] for token in self.tokenizer["added_tokens"] if token["content"] == content)

    def languages(self) -> dict[str, int]:
        """<|en|> -> id: they lie between <|startoftranscript|> and <|translate|>."""
        ids = range(self.id("<|startoftranscript|>") + 1, self.id("<|translate|>"))
        return {token["content"]: token["id"] for token in self.tokenizer["added_tokens"] if token["id"] in ids}


def read_vocabulary(folder: Path) -> Vocabulary:
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    generation = folder / "generation_config.json"
    config = json.loads((generation if generation.exists() else folder / "config.json").read_text(encoding="utf-8"))
    names = ("suppress_tokens", "begin_suppress_tokens") if generation.exists() else ("suppress_ids", "suppress_ids_begin")
    return Vocabulary(tokenizer, *(config[name] for name in names))


def with_cantonese(old: Vocabulary) -> Vocabulary:
    """The vocabulary of large-v3: a language more behind the others, so that all after it moves up by one."""
    new_id = old.id("<|translate|>")

    def moved(i: int) -> int:
        return i + (i >= new_id)

    tokenizer = json.loads(json.dumps(old.tokenizer))
    added = [{**token, "id": moved(token["id"])} for token in tokenizer["added_tokens"]]
    added.append({**added[-1], "id": new_id, "content": "<|yue|>"})
    tokenizer["added_tokens"] = sorted(added, key=lambda token: token["id"])
    tokenizer["model"]["vocab"] = {token: moved(i) for token, i in tokenizer["model"]["vocab"].items()}
    for special in (tokenizer.get("post_processor") or {}).get("special_tokens", {}).values():
        special["ids"] = [moved(i) for i in special["ids"]]
    return Vocabulary(tokenizer, [moved(i) for i in old.suppressed], [moved(i) for i in old.suppressed_at_first])


def vocabulary_for(size: Size, folder: Path) -> Vocabulary:
    vocabulary = read_vocabulary(folder)
    if size.num_languages == 100 and "<|yue|>" not in vocabulary.languages():
        return with_cantonese(vocabulary)
    return vocabulary


# ---- the weights, under Hugging Face's names


def linear_shapes(name: str, n: int, k: int, bias: bool = True) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (n, k)} | ({f"{name}.bias": (n,)} if bias else {})


def norm_shapes(name: str, n: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (n,), f"{name}.bias": (n,)}


def layer_shapes(size: Size, side: str, layer: str) -> dict[str, tuple[int, ...]]:
    d, shapes = size.d_model, {}
    for attention in ("self_attn", "encoder_attn")[: 1 if side == "encoder" else 2]:
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            shapes |= linear_shapes(f"{layer}.{attention}.{part}", d, d, bias=part != "k_proj")
        shapes |= norm_shapes(f"{layer}.{attention}_layer_norm", d)
    shapes |= linear_shapes(f"{layer}.fc1", size.ffn, d) | linear_shapes(f"{layer}.fc2", d, size.ffn)
    return shapes | norm_shapes(f"{layer}.final_layer_norm", d)


def shapes_of(size: Size, vocab_size: int) -> dict[str, tuple[int, ...]]:
    d, shapes = size.d_model, {}
    for conv, channels in (("conv1", size.num_mels), ("conv2", d)):
        shapes |= {f"model.encoder.{conv}.weight": (d, channels, 3), f"model.encoder.{conv}.bias": (d,)}
    shapes["model.decoder.embed_tokens.weight"] = (vocab_size, d)
    for side, num_positions in NUM_POSITIONS.items():
        shapes[f"model.{side}.embed_positions.weight"] = (num_positions, d)
        for i in range(size.layers(side)):
            shapes |= layer_shapes(size, side, f"model.{side}.layers.{i}")
        shapes |= norm_shapes(f"model.{side}.layer_norm", d)
    return shapes


def sinusoids(length: int, channels: int) -> np.ndarray:
    angles = np.arange(length)[:, None] * np.exp(-np.log(10000) / (channels // 2 - 1) * np.arange(channels // 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


class Weights:
    """Each sum of products is about as large as what goes in, and all layers' residuals together are about 1."""

    def __init__(self, size: Size, vocab_size: int, seed: int):
        self.size, self.seed, self.shapes = size, seed, shapes_of(size, vocab_size)

    def __getitem__(self, name: str) -> np.ndarray:
        shape = self.shapes[name]
        if name == "model.encoder.embed_positions.weight":
            return sinusoids(*shape).astype(np.float16)
        random = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        value = random.standard_normal(shape, dtype=np.float32) * self.spread(name, shape)
        if name.endswith("layer_norm.weight"):
            value += 1
        return value.astype(np.float16)

    def spread(self, name: str, shape: tuple[int, ...]) -> np.float32:
        if len(shape) == 1 or ".embed_" in name:
            return np.float32(0.05)
        side = "encoder" if name.startswith("model.encoder.") else "decoder"
        residuals = 2 * self.size.layers(side) if ".out_proj." in name or ".fc2." in name else 1
        return np.float32((np.prod(shape[1:]) * residuals) ** -0.5)


# ---- Hugging Face's layout


def hf_config(size: Size, vocabulary: Vocabulary) -> dict:
    end = vocabulary.id("<|endoftext|>")
    return {
        "architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper", "activation_function": "gelu",
        "is_encoder_decoder": True, "torch_dtype": "float16", "scale_embedding": False, "tie_word_embeddings": True,
        "vocab_size": len(vocabulary.tokens), "num_mel_bins": size.num_mels, "d_model": size.d_model,
        "max_source_positions": NUM_POSITIONS["encoder"], "max_target_positions": NUM_POSITIONS["decoder"],
        "decoder_start_token_id": vocabulary.id("<|startoftranscript|>"),
        **{f"{kind}_token_id": end for kind in ("bos", "eos", "pad")},
        **{f"{side}_layers": size.layers(side) for side in NUM_POSITIONS},
        **{f"{side}_attention_heads": size.num_heads for side in NUM_POSITIONS},
        **{f"{side}_ffn_dim": size.ffn for side in NUM_POSITIONS},
    }  # fmt: skip


def alignment_heads(size: Size) -> list[list[int]]:
    """The upper half's, as in openai-whisper for a model that it does not know."""
    layers = range(size.decoder_layers // 2, size.decoder_layers)
    return [[layer, head] for layer in layers for head in range(size.num_heads)]


def hf_generation(size: Size, vocabulary: Vocabulary) -> dict:
    end = vocabulary.id("<|endoftext|>")
    return {
        "is_multilingual": True, "lang_to_id": vocabulary.languages(), "alignment_heads": alignment_heads(size),
        "task_to_id": {task: vocabulary.id(f"<|{task}|>") for task in ("transcribe", "translate")},
        "suppress_tokens": vocabulary.suppressed, "begin_suppress_tokens": vocabulary.suppressed_at_first,
        "no_timestamps_token_id": vocabulary.id("<|notimestamps|>"), "prev_sot_token_id": vocabulary.id("<|startofprev|>"),
        "decoder_start_token_id": vocabulary.id("<|startoftranscript|>"), "max_initial_timestamp_index": 50,
        "return_timestamps": False, "max_length": NUM_POSITIONS["decoder"],
        **{f"{kind}_token_id": end for kind in ("bos", "eos", "pad")},
    }  # fmt: skip


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def write_safetensors(path: Path, weights: Weights) -> None:
    header, at = {}, 0
    for name, shape in weights.shapes.items():
        size_bytes = 2 * int(np.prod(shape))
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [at, at + size_bytes]}
        at += size_bytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for name in weights.shapes:
            out.write(weights[name].tobytes())


def write_hf(folder: Path, size: Size, vocabulary: Vocabulary, weights: Weights) -> None:
    end = "<|endoftext|>"
    write_safetensors(folder / "model.safetensors", weights)
    write_json(folder / "config.json", hf_config(size, vocabulary))
    write_json(folder / "generation_config.json", hf_generation(size, vocabulary))
    write_json(folder / "tokenizer.json", vocabulary.tokenizer)
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "WhisperTokenizer", "processor_class": "WhisperProcessor", "model_max_length": 1024,
        **{f"{kind}_token": end for kind in ("bos", "eos", "pad", "unk")},
    })  # fmt: skip
    write_json(folder / "preprocessor_config.json", {
        "feature_extractor_type": "WhisperFeatureExtractor", "feature_size": size.num_mels, "sampling_rate": 16000,
        "chunk_length": 30, "hop_length": 160, "n_fft": 400, "n_samples": 480000, "nb_max_frames": 3000,
        "padding_side": "right", "padding_value": 0.0, "return_attention_mask": False,
    })  # fmt: skip


# ---- CTranslate2's layout


def fused_linear(ct2: str, parts: list[str]) -> dict[str, list[str]]:
    return {f"{ct2}/{kind}": [f"{part}.{kind}" for part in parts] for kind in ("weight", "bias")}


def ct2_norm(ct2: str, hf: str) -> dict[str, list[str]]:
    return {f"{ct2}/gamma": [f"{hf}.weight"], f"{ct2}/beta": [f"{hf}.bias"]}


def ct2_layer(side: str, ct2: str, hf: str) -> dict[str, list[str]]:
    def projections(attention: str, *names: str) -> list[str]:
        return [f"{hf}.{attention}.{name}_proj" for name in names]

    parts = fused_linear(f"{ct2}/self_attention/linear_0", projections("self_attn", "q", "k", "v"))
    parts |= fused_linear(f"{ct2}/self_attention/linear_1", projections("self_attn", "out"))
    parts |= ct2_norm(f"{ct2}/self_attention/layer_norm", f"{hf}.self_attn_layer_norm")
    if side == "decoder":
        parts |= fused_linear(f"{ct2}/attention/linear_0", projections("encoder_attn", "q"))
        parts |= fused_linear(f"{ct2}/attention/linear_1", projections("encoder_attn", "k", "v"))
        parts |= fused_linear(f"{ct2}/attention/linear_2", projections("encoder_attn", "out"))
        parts |= ct2_norm(f"{ct2}/attention/layer_norm", f"{hf}.encoder_attn_layer_norm")
    parts |= fused_linear(f"{ct2}/ffn/linear_0", [f"{hf}.fc1"]) | fused_linear(f"{ct2}/ffn/linear_1", [f"{hf}.fc2"])
    return parts | ct2_norm(f"{ct2}/ffn/layer_norm", f"{hf}.final_layer_norm")


def ct2_sources(size: Size) -> dict[str, list[str]]:
    """CTranslate2's name -> the tensors of Hugging Face's that lie in it one below the other."""
    sources = {"decoder/embeddings/weight": ["model.decoder.embed_tokens.weight"]}
    for conv in ("conv1", "conv2"):
        sources |= fused_linear(f"encoder/{conv}", [f"model.encoder.{conv}"])
    for side in NUM_POSITIONS:
        sources[f"{side}/position_encodings/encodings"] = [f"model.{side}.embed_positions.weight"]
        sources |= ct2_norm(f"{side}/layer_norm", f"model.{side}.layer_norm")
        for i in range(size.layers(side)):
            sources |= ct2_layer(side, f"{side}/layer_{i}", f"model.{side}.layers.{i}")
    return sources


def ct2_settings(size: Size) -> dict[str, np.ndarray]:
    """What CTranslate2's WhisperSpec says of the architecture beside the weights."""
    flags = {"activation": 3, "alibi": 0, "pre_norm": 1, "scale_embeddings": 0, "start_from_zero_embedding": 0}
    settings = {f"decoder/{name}": np.int8(value) for name, value in flags.items()}
    settings |= {f"{side}/num_heads": np.int16(size.num_heads) for side in NUM_POSITIONS}
    return settings | {"decoder/alignment_heads": np.int16(1), "decoder/alignment_layer": np.int16(-1)}


def ct2_arrays(size: Size, weights: Weights) -> Iterator[tuple[str, np.ndarray]]:
    settings, sources = ct2_settings(size), ct2_sources(size)
    for name in sorted([*settings, *sources]):
        if name in settings:
            yield name, np.asarray(settings[name])
            continue
        no_bias = np.zeros(size.d_model, np.float16)  # of keys
        yield name, np.concatenate([weights[part] if part in weights.shapes else no_bias for part in sources[name]])


def write_ct2_binary(path: Path, size: Size, weights: Weights) -> None:
    """Version 6 of the format: header, variables, aliases."""

    def string(text: str) -> bytes:
        return struct.pack("<H", len(text) + 1) + text.encode() + b"\0"

    with path.open("wb") as out:
        out.write(struct.pack("<I", 6) + string("WhisperSpec") + struct.pack("<I", 3))
        out.write(struct.pack("<I", len(ct2_settings(size)) + len(ct2_sources(size))))
        for name, array in ct2_arrays(size, weights):
            out.write(string(name) + struct.pack(f"<B{array.ndim}I", array.ndim, *array.shape))
            out.write(struct.pack("<BI", CT2_DTYPES[array.dtype.name], array.nbytes) + array.tobytes())
        out.write(struct.pack("<I", 1) + string("decoder/projection/weight") + string("decoder/embeddings/weight"))


def write_ct2(folder: Path, size: Size, vocabulary: Vocabulary, weights: Weights) -> None:
    write_ct2_binary(folder / "model.bin", size, weights)
    write_json(folder / "config.json", {
        "alignment_heads": alignment_heads(size), "lang_ids": list(vocabulary.languages().values()),
        "suppress_ids": vocabulary.suppressed, "suppress_ids_begin": vocabulary.suppressed_at_first,
    })  # fmt: skip
    write_json(folder / "vocabulary.json", vocabulary.tokens)
    write_json(folder / "tokenizer.json", vocabulary.tokenizer)
    write_json(folder / "preprocessor_config.json", {"feature_size": size.num_mels})  # faster-whisper asks it for the mels


LAYOUTS = {"ct2": write_ct2, "hf": write_hf}


def make(name: str, layout: str, tokenizer: Path, out: Path, seed: int = 1) -> Path:
    """The model's folder, which is kept if it is there, and appears whole or not at all."""
    folder = out / f"random-{name}-{layout}"
    if folder.exists():
        return folder
    size, vocabulary = SIZES[name], vocabulary_for(SIZES[name], tokenizer)
    partial = folder.with_name(folder.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    LAYOUTS[layout](partial, size, vocabulary, Weights(size, len(vocabulary.tokens), seed))
    os.replace(partial, folder)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", choices=SIZES)
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of a multilingual Whisper, for its vocabulary")
    parser.add_argument("--out", type=Path, required=True, help="where the folders are made")
    parser.add_argument("--layout", choices=[*LAYOUTS, "both"], default="both")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for layout in LAYOUTS if args.layout == "both" else [args.layout]:
        print(make(args.size, layout, args.tokenizer, args.out, args.seed))


if __name__ == "__main__":
    main()
