"""The weights of a CTranslate2 folder, also under openai-whisper's names, so that other systems can be given the same.

Path: CTranslate2 model.bin (its binary version 6) -> here -> openai_model.py, bench/peers/weights.py
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

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


def state_dict(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same weights under openai-whisper's names, in f32."""
    state = {}

    def put(name: str, value: np.ndarray) -> None:
        state[name] = value.astype(np.float32)

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
