#!/usr/bin/env python3
"""Builds the development set: real speech with transcripts, out of Debian packages alone.

    sudo apt-get install -y pocketsphinx-testdata asterisk-core-sounds-{en,es,fr,it}{,-wav}
    pip install -r tools/speech/requirements.txt
    python tools/speech/dev_set.py OUT

OUT/manifest.jsonl        a clip a line: {id, path, language, text, kind, licence, duration_s}
OUT/long/en_{1,5,30,60}min.{wav,json}   clips joined with pauses; the json has each part's times and text
OUT/long/en_5min_{white,babble}{0,5,10}.{wav,json}   the same 5 minutes under noise, at that SNR in dB
OUT/long/{silence,white}_60s.wav        a minute in which nothing is said

Nothing is installed: missing packages are named, with the command. The only download is of the prompts' scripts, and only
where an image left /usr/share/doc out. Deterministic: fixed seeds, packages read in the scripts' order.
Written audio is 16 kHz mono 16 bit; times are in seconds. `path` is absolute for a package's file and otherwise relative to
the file that names it. The transcripts are the speakers' scripts: Spanish without accents, so fold them when scoring.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

SAMPLE_RATE_HZ = 16000
SOUNDS = Path("/usr/share/asterisk/sounds")
SPHINX = Path("/usr/share/pocketsphinx/test/data")
VOICES = {"en": "en_US_f_Allison", "es": "es_MX_f_Allison", "fr": "fr_CA_f_June", "it": "it_IT_m_Carlo"}

LONG_FILES_S = {"en_1min": 60, "en_5min": 300, "en_30min": 1800, "en_60min": 3600}
NOISY_FILE = "en_5min"
SNRS_DB = (0, 5, 10)
PAUSE_S = (0.4, 1.2)
SPEECH_LEVEL_DB = -23.0  # RMS re full scale; about broadcast loudness, leaves room for speech's peaks
PEAK = 0.97
ROOM_TONE = 1e-4  # -80 dB, so that pauses are not digital silence, on which models behave oddly
NUM_BABBLERS = 6

Samples = np.ndarray  # float32, mono, SAMPLE_RATE_HZ


@dataclass
class Clip:
    """One recording and what is said in it. The fields are those of the manifest's lines."""

    id: str
    path: str
    language: str
    text: str
    kind: str  # prompt | read | command | digit | letter
    licence: str
    duration_s: float


# ---- where the clips come from ----


def missing_packages() -> list[str]:
    """Debian packages whose audio is not on this machine."""
    sounds = [f"asterisk-core-sounds-{lang}-wav" for lang, voice in VOICES.items() if not (SOUNDS / voice).is_dir()]
    return sounds + ([] if (SPHINX / "librivox").is_dir() else ["pocketsphinx-testdata"])


def find_script(language: str, downloads: Path) -> Path:
    """The text of a language's prompts: the installed one, else unpacked from its package without installing it."""
    package = f"asterisk-core-sounds-{language}"
    inside = Path("usr/share/doc", package, f"core-sounds-{language}.txt.gz")
    for root in (Path("/"), downloads):
        if (root / inside).exists():
            return root / inside
    print(f"{package}: no script in /usr/share/doc, fetching the package into {downloads}", file=sys.stderr)
    downloads.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", package], cwd=downloads, check=True)
    subprocess.run(["dpkg", "-x", str(next(downloads.glob(f"{package}_*.deb"))), str(downloads)], check=True)
    return downloads / inside


def make_clip(id: str, path: Path, language: str, text: str, kind: str, licence: str) -> Clip:
    """A clip with its text's spaces tidied and its duration read from the file's header."""
    duration_s = round(soundfile.info(path).duration, 3)
    return Clip(id, str(path), language, " ".join(text.split()), kind, licence, duration_s)


def prompt_kind(key: str) -> str:
    """Letters and digits apart from prompts: they are hard to score, a model may spell them either way."""
    folder = key.partition("/")[0]
    return {"letters": "letter", "phonetic": "letter", "digits": "digit"}.get(folder, "prompt")


def asterisk_clips(language: str, script: Path) -> Iterator[Clip]:
    """The telephone prompts of one language, in the script's order. A script line is `folder/key: what is said`."""
    for line in gzip.open(script, "rt", encoding="utf-8-sig"):
        key, colon, text = (part.strip() for part in line.partition(":"))
        path = SOUNDS / VOICES[language] / f"{key}.wav"
        is_described = re.search(r"[\[(<]", text)  # "[ascending tones]", "(You are now muted.)": not what is said
        if not colon or not text or is_described or key.startswith((";", "silence/")) or not path.exists():
            continue
        if language == "en":
            text = text.replace("*", " star ").replace("#", " pound ")
        yield make_clip(f"asterisk-{language}-{key.replace('/', '_')}", path, language, text, prompt_kind(key), "CC-BY-SA-3.0")


def sphinx_clips(folder: str, transcription: str, kind: str, licence: str) -> Iterator[Clip]:
    """PocketSphinx's test recordings. A transcription line is `<s> what is said </s> (file name)`."""
    for line in (SPHINX / folder / transcription).read_text().splitlines():
        text, name = re.fullmatch(r"<s> (.*) </s> \((.*)\)", line.strip()).groups()
        yield make_clip(f"{folder}-{name[-4:]}", SPHINX / folder / f"{name}.wav", "en", text, kind, licence)


def collect_clips(downloads: Path) -> list[Clip]:
    """Every clip of the set, in a fixed order."""
    clips = [clip for lang in VOICES for clip in asterisk_clips(lang, find_script(lang, downloads))]
    clips += sphinx_clips("librivox", "transcription", "read", "public domain")
    clips += sphinx_clips("cards", "cards.transcription", "command", "BSD-2-Clause")
    return clips


# ---- sound ----


def load(clip: Clip) -> Samples:
    samples, rate = soundfile.read(clip.path, dtype="float32")
    return soxr.resample(samples, rate, SAMPLE_RATE_HZ).astype(np.float32)


def limit_peak(samples: Samples) -> Samples:
    return samples * min(1.0, PEAK / float(np.abs(samples).max()))


def at_speech_level(samples: Samples) -> Samples:
    """The clip at SPEECH_LEVEL_DB, lower where its peaks would clip."""
    rms = np.sqrt(np.mean(samples**2) + 1e-12)
    return limit_peak(samples * np.float32(10 ** (SPEECH_LEVEL_DB / 20) / rms))


def speech_rms(samples: Samples) -> float:
    """RMS over the 20 ms frames within 30 dB of the loudest, so that pauses do not lower the level SNRs refer to."""
    frame = SAMPLE_RATE_HZ // 50
    power = (samples[: len(samples) // frame * frame].reshape(-1, frame) ** 2).mean(axis=1)
    return float(np.sqrt(power[power > power.max() * 1e-3].mean()))


def white_noise(num_samples: int, seed: int) -> Samples:
    return np.random.default_rng(seed).standard_normal(num_samples, dtype=np.float32)


def babble(num_samples: int, voices: list[Clip], seed: int) -> Samples:
    """NUM_BABBLERS people talking at once, each an endless run of clips."""
    rng = random.Random(seed)
    noise = np.zeros(num_samples, np.float32)
    for _ in range(NUM_BABBLERS):
        begin = 0
        while begin < num_samples:
            part = at_speech_level(load(rng.choice(voices)))[: num_samples - begin]
            noise[begin : begin + len(part)] += part
            begin += len(part)
    return noise


def mix(speech: Samples, noise: Samples, snr_db: float) -> Samples:
    gain = speech_rms(speech) / float(np.sqrt(np.mean(noise**2))) / 10 ** (snr_db / 20)
    return limit_peak(speech + np.float32(gain) * noise)


# ---- long files ----


def endless(pool: list[Clip], rng: random.Random) -> Iterator[Clip]:
    """The whole pool in a random order, again and again."""
    while True:
        yield from rng.sample(pool, len(pool))


def join_clips(pool: list[Clip], seconds: float, seed: int) -> tuple[Samples, list[dict]]:
    """At least `seconds` of clips with pauses between, and where each one is."""
    rng = random.Random(seed)
    clips = endless(pool, rng)
    parts: list[Samples] = []
    segments: list[dict] = []
    num_samples = 0
    while num_samples < seconds * SAMPLE_RATE_HZ:
        clip = next(clips)
        speech = at_speech_level(load(clip))
        pause = np.zeros(int(rng.uniform(*PAUSE_S) * SAMPLE_RATE_HZ), np.float32)
        start_s, end_s = (round(n / SAMPLE_RATE_HZ, 3) for n in (num_samples, num_samples + len(speech)))
        segments.append({"id": clip.id, "start": start_s, "end": end_s, "text": clip.text})
        parts += [speech, pause]
        num_samples += len(speech) + len(pause)
    joined = np.concatenate(parts)
    return joined + np.float32(ROOM_TONE) * white_noise(len(joined), seed), segments


def write_wav(path: Path, samples: Samples) -> None:
    soundfile.write(path, samples, SAMPLE_RATE_HZ, subtype="PCM_16")


def write_long(folder: Path, name: str, samples: Samples, segments: list[dict]) -> None:
    """NAME.wav and NAME.json, whose text is the parts' texts in order."""
    write_wav(folder / f"{name}.wav", samples)
    about = {
        "id": name,
        "path": f"{name}.wav",
        "language": "en",
        "text": " ".join(s["text"] for s in segments),
        "kind": "long",
        "licence": "CC-BY-SA-3.0",
        "duration_s": round(len(samples) / SAMPLE_RATE_HZ, 3),
        "segments": segments,
    }
    (folder / f"{name}.json").write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def is_sentence(clip: Clip) -> bool:
    """English clips fit for a long file: more than a word or two, so that it reads like speech."""
    return clip.kind == "read" or clip.kind == "prompt" and len(clip.text.split()) >= 4 and clip.duration_s >= 1.2


def write_long_files(folder: Path, clips: list[Clip]) -> None:
    pool = [clip for clip in clips if clip.language == "en" and is_sentence(clip)]
    foreign = [clip for clip in clips if clip.language != "en" and clip.kind == "prompt" and clip.duration_s > 2]
    for seed, (name, seconds) in enumerate(LONG_FILES_S.items(), start=1):
        samples, segments = join_clips(pool, seconds, seed)
        write_long(folder, name, samples, segments)
        if name != NOISY_FILE:
            continue
        noises = {"white": white_noise(len(samples), seed=11), "babble": babble(len(samples), foreign, seed=12)}
        for kind, noise in noises.items():
            for snr_db in SNRS_DB:
                write_long(folder, f"{name}_{kind}{snr_db}", mix(samples, noise, snr_db), segments)


def write_speechless(folder: Path) -> None:
    minute = 60 * SAMPLE_RATE_HZ
    write_wav(folder / "silence_60s.wav", np.zeros(minute, np.float32))
    write_wav(folder / "white_60s.wav", np.float32(0.05) * white_noise(minute, seed=1))


# ---- the job ----


def print_summary(clips: list[Clip]) -> None:
    for language in VOICES:
        chosen = [clip for clip in clips if clip.language == language]
        print(f"{language}: {len(chosen)} clips, {sum(clip.duration_s for clip in chosen) / 60:.1f} min")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder to write to")
    out = parser.parse_args().out

    if missing := missing_packages():
        print(f"missing Debian packages; install them with\n    sudo apt-get install -y {' '.join(missing)}", file=sys.stderr)
        return 1
    folder = out / "long"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    clips = collect_clips(out / "packages")
    lines = (json.dumps(asdict(clip), ensure_ascii=False) + "\n" for clip in clips)
    (out / "manifest.jsonl").write_text("".join(lines), encoding="utf-8")
    write_long_files(folder, clips)
    write_speechless(folder)
    print_summary(clips)
    return 0


if __name__ == "__main__":
    sys.exit(main())
