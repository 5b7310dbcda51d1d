"""One CTranslate2 folder of Whisper in the formats that the peers read, so that all are asked with the same weights.

Path: a CTranslate2 folder -> here -> systems.py
  ggml_file    whisper.cpp's legacy file, which crispasr and transcribe.cpp read too: f16, or q8_0 matrices
  hf_folder    what transformers' from_pretrained reads
Each is made once, in a folder of its own, and appears whole or not at all.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "eval"))
from ct2_weights import read_arrays, state_dict  # noqa: E402

GGML_MAGIC = 0x67676D6C
GGML_TYPES = {"f32": 0, "f16": 1, "q8_0": 8}
FILE_TYPES = {"f16": 1, "q8_0": 7 + 1000 * 2}  # with the version of ggml's quantisation
Q8_BLOCK = 32


def hyperparameters(arrays: dict[str, np.ndarray]) -> dict[str, int]:
    width, num_mels, _ = arrays["encoder/conv1/weight"].shape

    def layers(side: str) -> int:
        return sum(name.startswith(side) and name.endswith("ffn/linear_0/weight") for name in arrays)

    return {
        "vocab": len(arrays["decoder/embeddings/weight"]),
        "audio_ctx": len(arrays["encoder/position_encodings/encodings"]),
        "audio_state": width,
        "audio_head": int(arrays["encoder/num_heads"]),
        "audio_layer": layers("encoder"),
        "text_ctx": len(arrays["decoder/position_encodings/encodings"]),
        "text_state": width,
        "text_head": int(arrays["decoder/num_heads"]),
        "text_layer": layers("decoder"),
        "mels": num_mels,
    }


def byte_of_letter() -> dict[str, int]:
    """GPT-2's letters for bytes: printable ones stand for themselves, the others for those from U+0100 on."""
    kept = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in kept]
    return {chr(byte): byte for byte in kept} | {chr(256 + i): byte for i, byte in enumerate(others)}


def text_tokens(folder: Path) -> list[bytes]:
    """The bytes of every token below the special ones, which whisper.cpp names itself."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    special = {token["id"] for token in tokenizer["added_tokens"]}
    letters = byte_of_letter()
    by_id = {i: token for token, i in tokenizer["model"]["vocab"].items() if i not in special}
    return [bytes(letters[letter] for letter in by_id[i]) for i in range(len(by_id))]


def mel_filters(num_mels: int) -> np.ndarray:
    from faster_whisper.feature_extractor import FeatureExtractor

    return FeatureExtractor.get_mel_filters(sr=16000, n_fft=400, n_mels=num_mels).astype(np.float32)


def q8_0(matrix: np.ndarray) -> bytes:
    """Blocks of 32: a f16 scale, then the values over it, rounded."""
    blocks = matrix.reshape(-1, Q8_BLOCK)
    scales = (np.abs(blocks).max(axis=1) / 127).astype(np.float32)
    inverse = np.divide(1, scales, out=np.zeros_like(scales), where=scales != 0)
    packed = np.zeros(len(blocks), dtype=[("scale", "<f2"), ("values", "i1", Q8_BLOCK)])
    packed["scale"] = scales
    packed["values"] = np.rint(blocks * inverse[:, None])
    return packed.tobytes()


def ggml_tensor(name: str, value: np.ndarray, matrix_type: str) -> bytes:
    """Matrices in `matrix_type`; the kernels of convolutions in f16; vectors and positions in f32."""
    if name in ("encoder.conv1.bias", "encoder.conv2.bias"):
        value = value.reshape(-1, 1)
    kind = "f32"
    if value.ndim == 3:
        kind = "f16"
    elif value.ndim == 2 and name.endswith(".weight"):
        kind = matrix_type
    data = q8_0(value) if kind == "q8_0" else value.astype({"f32": "<f4", "f16": "<f2"}[kind]).tobytes()
    head = struct.pack("<iii", value.ndim, len(name), GGML_TYPES[kind]) + struct.pack(f"<{value.ndim}i", *value.shape[::-1])
    return head + name.encode() + data


def write_whole(path: Path, data: bytes) -> None:
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(data)
    os.replace(partial, path)


def ggml_file(folder: Path, out: Path, matrix_type: str) -> Path:
    path = out / f"ggml-{folder.name}-{matrix_type}.bin"
    if path.exists():
        return path
    out.mkdir(parents=True, exist_ok=True)
    arrays = read_arrays(folder / "model.bin")
    sizes = hyperparameters(arrays)
    filters = mel_filters(sizes["mels"])
    tokens = text_tokens(folder)
    parts = [struct.pack("<I", GGML_MAGIC), struct.pack("<11i", *sizes.values(), FILE_TYPES[matrix_type])]
    parts += [struct.pack("<2i", *filters.shape), filters.tobytes(), struct.pack("<i", len(tokens))]
    parts += [struct.pack("<i", len(token)) + token for token in tokens]
    parts += [ggml_tensor(name, value, matrix_type) for name, value in state_dict(arrays).items()]
    write_whole(path, b"".join(parts))
    return path


HF_PARTS = (  # of openai-whisper's names
    (".blocks.", ".layers."), (".mlp.0.", ".fc1."), (".mlp.2.", ".fc2."), (".mlp_ln.", ".final_layer_norm."),
    (".cross_attn.", ".encoder_attn."), (".cross_attn_ln.", ".encoder_attn_layer_norm."), (".attn.", ".self_attn."),
    (".attn_ln.", ".self_attn_layer_norm."), (".query.", ".q_proj."), (".key.", ".k_proj."), (".value.", ".v_proj."),
    (".out.", ".out_proj."), ("encoder.ln_post.", "encoder.layer_norm."), ("decoder.ln.", "decoder.layer_norm."),
    (".positional_embedding", ".embed_positions.weight"), (".token_embedding.", ".embed_tokens."),
)


def hf_name(name: str) -> str:
    for ours, theirs in HF_PARTS:
        name = name.replace(ours, theirs)
    return "model." + name


def hf_generation(folder: Path, tokenizer: object) -> dict:
    """What tells transformers' generate() of Whisper's prompt and of the tokens that are never chosen."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    ids = tokenizer.convert_tokens_to_ids
    languages = {tokenizer.convert_ids_to_tokens(i): i for i in config["lang_ids"]}
    return {
        "is_multilingual": True, "lang_to_id": languages, "suppress_tokens": config["suppress_ids"],
        "task_to_id": {"transcribe": ids("<|transcribe|>"), "translate": ids("<|translate|>")},
        "begin_suppress_tokens": config["suppress_ids_begin"], "no_timestamps_token_id": ids("<|notimestamps|>"),
        "decoder_start_token_id": ids("<|startoftranscript|>"), "eos_token_id": ids("<|endoftext|>"),
        "pad_token_id": ids("<|endoftext|>"), "bos_token_id": ids("<|endoftext|>"), "prev_sot_token_id": ids("<|startofprev|>"),
        "max_initial_timestamp_index": 50, "return_timestamps": False, "max_length": 448,
    }  # fmt: skip


def hf_folder(folder: Path, out: Path) -> Path:
    path = out / f"hf-{folder.name}"
    if path.exists():
        return path
    import torch
    from transformers import (GenerationConfig, WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration,
                              WhisperTokenizerFast)  # fmt: skip

    arrays = read_arrays(folder / "model.bin")
    sizes = hyperparameters(arrays)
    end = "<|endoftext|>"
    tokenizer = WhisperTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), bos_token=end, eos_token=end, unk_token=end, pad_token=end
    )
    generation = hf_generation(folder, tokenizer)
    model = WhisperForConditionalGeneration(WhisperConfig(
        vocab_size=sizes["vocab"], num_mel_bins=sizes["mels"], d_model=sizes["audio_state"],
        encoder_layers=sizes["audio_layer"], encoder_attention_heads=sizes["audio_head"], encoder_ffn_dim=4 * sizes["audio_state"],
        decoder_layers=sizes["text_layer"], decoder_attention_heads=sizes["text_head"], decoder_ffn_dim=4 * sizes["text_state"],
        max_source_positions=sizes["audio_ctx"], max_target_positions=sizes["text_ctx"],
        **{name: generation[name] for name in ("decoder_start_token_id", "eos_token_id", "pad_token_id", "bos_token_id")},
    ))  # fmt: skip
    state = {hf_name(name): torch.from_numpy(value) for name, value in state_dict(arrays).items()}
    missing, extra = model.load_state_dict(state, strict=False)
    assert set(missing) <= {"proj_out.weight"} and not extra, (missing, extra)
    model.tie_weights()
    model.generation_config = GenerationConfig(**generation)
    partial = path.with_name(path.name + ".part")
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    WhisperFeatureExtractor(feature_size=sizes["mels"]).save_pretrained(partial)
    os.replace(partial, path)
    return path
