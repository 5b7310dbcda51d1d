"""Speech-like test signals, made of numbers only: the same seed gives the same 16-bit samples.

A voiced source (harmonics of a gliding pitch) under three moving formants, cut into syllables, with
fricative bursts between them, pauses, level changes from phrase to phrase and a quiet noise floor.
"""
import numpy as np

from golden_io import SAMPLE_RATE_HZ

# name: seconds, seed. c is shorter than one STFT window and its padding would like.
SIGNALS = {'a': (3.0, 21), 'c': (0.02, 22), 'd': (38.0, 23)}


def speech_like(seconds, seed):
    """[-0.9, 0.9] float32, rounded to 16-bit steps, so that a wav file holds it exactly."""
    rng = np.random.default_rng(seed)
    n = int(round(seconds * SAMPLE_RATE_HZ))
    t = np.arange(n) / SAMPLE_RATE_HZ
    level, voiced, hiss = np.zeros(n), np.zeros(n), np.zeros(n)
    formants = np.zeros((3, n))
    at, phrase_level = 0.05, 1.0
    while at < seconds:
        length = rng.uniform(0.12, 0.28)
        span = slice(int(at * SAMPLE_RATE_HZ), int((at + length) * SAMPLE_RATE_HZ))
        size = len(t[span])
        bump = np.sin(np.pi * np.arange(size) / max(size, 1)) ** 0.7
        if rng.random() < 0.25:
            hiss[span] = bump * rng.uniform(0.05, 0.2) * phrase_level
        else:
            voiced[span] = bump * rng.uniform(0.5, 1.0) * phrase_level
        lo, hi = rng.uniform((280, 850, 2200), (800, 2100, 3100)), rng.uniform((280, 850, 2200), (800, 2100, 3100))
        formants[:, span] = lo[:, None] + (hi - lo)[:, None] * np.linspace(0, 1, size)
        at += length * rng.uniform(0.85, 1.1)
        if rng.random() < 0.08:                      # the end of a phrase
            at += rng.uniform(0.3, 2.2)
            phrase_level = rng.uniform(0.15, 1.0)
    pitch_hz = 130 + 30 * np.sin(2 * np.pi * 0.31 * t + seed) + 9 * np.sin(2 * np.pi * 2.7 * t)
    phase = 2 * np.pi * np.cumsum(pitch_hz) / SAMPLE_RATE_HZ
    x = np.zeros(n)
    for k in range(1, 26):
        gain = sum(w / (1 + ((k * pitch_hz - f) / b) ** 2)
                   for w, f, b in zip((1.0, 0.5, 0.25), formants, (90, 130, 200)))
        x += gain * np.sin(k * phase)
    x = x * voiced + hiss * rng.standard_normal(n) + 0.0015 * rng.standard_normal(n)
    x *= 0.7 / np.abs(x).max()
    return (np.round(x * 32768) / 32768).astype(np.float32)


def all_signals():
    return {name: speech_like(*spec) for name, spec in SIGNALS.items()}
