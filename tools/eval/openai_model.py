"""openai-whisper's model with the weights of a CTranslate2 folder, so that both systems can be asked with the same weights.

Path: ct2_weights.py -> here -> word_times.py, bench/peers/systems.py
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import whisper

from ct2_weights import read_arrays, state_dict


def load(folder: Path) -> whisper.model.Whisper:
    arrays = read_arrays(folder / "model.bin")
    state = {name: torch.from_numpy(value) for name, value in state_dict(arrays).items()}
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
