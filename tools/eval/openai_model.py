"""openai-whisper's model with the weights of a CTranslate2 folder, so that both systems can be asked with the same weights.

Path: CTranslate2 model.bin (its binary version 6) -> here -> word_times.py
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import torch
import whisper

DTYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}


class Reader:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def number(self, kind: str) -> int:
        value = struct.unpack_from("<" + kind, self.data, self.at)[0]
        self.at += struct.calcsize(kind)
        return value

    def string(self) -> str:
        size = self.number("H")
        self.at += size
        return self.data[self.at - size : self.at - 1].decode()

    def array(self) -> np.ndarray:
        shape = [self.number("I") for _ in range(self.number("B"))]
        dtype, size = DTYPES[self.number("B")], self.number("I")
        self.at += size
        return np.frombuffer(self.data, dtype, size // dtype().itemsize, self.at - size).reshape(shape)


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Name -> array of a model that is stored in a float type."""
    reader = Reader(path.read_bytes())
    assert reader.number("I") == 6, "another version of the format"
    reader.string()
    reader.number("I")
    arrays = {}
    for _ in range(reader.number("I")):
        name = reader.string()
        arrays[name] = reader.array()
    return arrays


def state_dict(arrays: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    state = {}

    def put(name: str, value: np.ndarray) -> None:
        state[name] = torch.from_numpy(value.astype(np.float32))

    def linear(name: str, source: str, parts: tuple[str, ...]) -> None:
        weight, bias = arrays[source + "/weight"], arrays[source + "/bias"]
        rows = len(weight) // len(parts)
        for i, part in enumerate(parts):
            put(f"{name}.{part}.weight", weight[i * rows : (i + 1) * rows])
            if not part.endswith("key"):
                put(f"{name}.{part}.bias", bias[i * rows : (i + 1) * rows])

    def norm(name: str, source: str) -> None:
        put(name + ".weight", arrays[source + "/gamma"])
        put(name + ".bias", arrays[source + "/beta"])

    for conv in ("conv1", "conv2"):
        for part in ("weight", "bias"):
            put(f"encoder.{conv}.{part}", arrays[f"encoder/{conv}/{part}"])
    for side, last in (("encoder", "ln_post"), ("decoder", "ln")):
        put(side + ".positional_embedding", arrays[side + "/position_encodings/encodings"])
        norm(f"{side}.{last}", side + "/layer_norm")
        for i in range(sum(name.endswith("ffn/linear_0/weight") and name.startswith(side) for name in arrays)):
            block, layer = f"{side}.blocks.{i}", f"{side}/layer_{i}"
            norm(block + ".attn_ln", layer + "/self_attention/layer_norm")
            linear(block + ".attn", layer + "/self_attention/linear_0", ("query", "key", "value"))
            linear(block + ".attn", layer + "/self_attention/linear_1", ("out",))
            if side == "decoder":
                norm(block + ".cross_attn_ln", layer + "/attention/layer_norm")
                linear(block + ".cross_attn", layer + "/attention/linear_0", ("query",))
                linear(block + ".cross_attn", layer + "/attention/linear_1", ("key", "value"))
                linear(block + ".cross_attn", layer + "/attention/linear_2", ("out",))
            norm(block + ".mlp_ln", layer + "/ffn/layer_norm")
            linear(block, layer + "/ffn/linear_0", ("mlp.0",))
            linear(block, layer + "/ffn/linear_1", ("mlp.2",))
    put("decoder.token_embedding.weight", arrays["decoder/embeddings/weight"])
    return state


def load(folder: Path) -> whisper.model.Whisper:
    arrays = read_arrays(folder / "model.bin")
    state = state_dict(arrays)
    num_layers = {side: sum(k.startswith(side) and k.endswith("mlp.0.weight") for k in state) for side in ("encoder", "decoder")}
    d, num_mels, _ = arrays["encoder/conv1/weight"].shape
    model = whisper.model.Whisper(whisper.model.ModelDimensions(
        n_mels=num_mels, n_audio_ctx=len(state["encoder.positional_embedding"]), n_audio_state=d,
        n_audio_head=int(arrays["encoder/num_heads"]), n_audio_layer=num_layers["encoder"],
        n_vocab=len(state["decoder.token_embedding.weight"]), n_text_ctx=len(state["decoder.positional_embedding"]),
        n_text_state=d, n_text_head=int(arrays["decoder/num_heads"]), n_text_layer=num_layers["decoder"],
    ))
    missing, extra = model.load_state_dict(state, strict=False)
    assert not missing and not extra, (missing, extra)
    heads = json.loads((folder / "config.json").read_text()).get("alignment_heads")
    if heads:
        mask = torch.zeros(num_layers["decoder"], int(arrays["decoder/num_heads"]), dtype=torch.bool)
        mask[tuple(zip(*heads))] = True
        model.register_buffer("alignment_heads", mask.to_sparse(), persistent=False)
    return model.eval()
