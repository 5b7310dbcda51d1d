#!/usr/bin/env python3
"""The seeds of the fuzzers, made once and committed: a small recording in each container that ffmpeg can write, a
small vocabulary in each form. Needs the ffmpeg program (5.1 made those that are here)."""

import json
import subprocess
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

# What the fixtures in tests/support/audio_fixtures do not have. Name: ffmpeg's arguments.
AUDIO = {
    "s16.wav": "-ar 8000 -c:a pcm_s16le",
    "s24_stereo.wav": "-ar 8000 -ac 2 -c:a pcm_s24le",
    "f64.wav": "-ar 8000 -c:a pcm_f64le",
    "mulaw.wav": "-ar 8000 -c:a pcm_mulaw",
    "ima.wav": "-ar 8000 -c:a adpcm_ima_wav",
    "ms.wav": "-ar 8000 -c:a adpcm_ms",
    "rf64.wav": "-ar 8000 -c:a pcm_s16le -rf64 always",
    "a.w64": "-ar 8000 -c:a pcm_s16le",
    "a.aiff": "-ar 8000 -c:a pcm_s16be",
    "a.caf": "-ar 8000 -c:a pcm_s16be",
    "a.au": "-ar 8000 -c:a pcm_alaw",
    "a.voc": "-ar 8000 -c:a pcm_u8",
    "a.sox": "-ar 8000 -c:a pcm_s32le",
    "a.sf": "-ar 8000 -c:a pcm_s16le -f ircam",
    "a.aac": "-ar 16000 -c:a aac -b:a 16k",
    "a.latm": "-ar 16000 -c:a aac -b:a 16k -f latm",
    "a.ts": "-ar 44100 -c:a mp2 -b:a 32k",
    "a.mpg": "-ar 44100 -c:a mp2 -b:a 32k -f mpeg",
    "a.flv": "-ar 22050 -c:a libmp3lame -b:a 16k",
    "a.avi": "-ar 8000 -c:a pcm_u8",
    "a.wma": "-ar 16000 -c:a wmav2 -b:a 24k",
    "a.nut": "-ar 8000 -c:a pcm_s16le",
    "a.mka": "-ar 16000 -c:a flac",
    "a.ac3": "-ar 32000 -c:a ac3 -b:a 32k",
    "a.wv": "-ar 8000 -c:a wavpack",
    "a.tta": "-ar 8000 -c:a tta",
    "fragmented.mp4": "-ar 16000 -c:a aac -b:a 16k -movflags frag_keyframe+empty_moov",
    "alac.m4a": "-ar 8000 -c:a alac",
    "six.flac": "-ar 8000 -ac 6 -c:a flac",
    "a.spx": "-ar 8000 -c:a libspeex",
}


def make_audio():
    folder = CORPUS / "audio"
    folder.mkdir(parents=True, exist_ok=True)
    for name, arguments in AUDIO.items():
        command = ["ffmpeg", "-nostdin", "-y", "-loglevel", "error", "-f", "lavfi", "-i", "sine=f=440:d=0.1"]
        command += ["-bitexact", *arguments.split(), str(folder / name)]
        if subprocess.run(command, check=False).returncode != 0:
            print("not made:", name)
            (folder / name).unlink(missing_ok=True)


def byte_alphabet():
    """GPT-2's names of the 256 bytes."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in plain]
    return [chr(b) for b in plain] + [chr(256 + i) for i in range(len(others))]


def make_tokenizer():
    folder = CORPUS / "tokenizer"
    folder.mkdir(parents=True, exist_ok=True)
    tokens = [*byte_alphabet(), "he", "ll", "hello", "\u0120w"]
    vocab = {token: i for i, token in enumerate(tokens)}
    added = [{"id": len(tokens) + i, "content": s} for i, s in enumerate(["<|endoftext|>", "<|0.00|>"])]
    good = {"added_tokens": added, "model": {"type": "BPE", "vocab": vocab, "merges": ["h e"]}}
    hole = {"model": {"vocab": {"a": 0, "b": 2}}}
    odd = {"model": {"type": "Unigram", "vocab": []}, "added_tokens": {"id": -1}}
    huge = {"model": {"vocab": {"a": 1 << 62}}, "added_tokens": [{"id": "x", "content": 1}]}
    for name, document in {"good": good, "hole": hole, "odd": odd, "huge": huge}.items():
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    (folder / "vocabulary.txt").write_text("\n".join([*tokens, "<|endoftext|>"]), encoding="utf-8")


make_audio()
make_tokenizer()
