"""Who is compared, with which settings, on which recordings, and steno's run that each is paired with.

Every peer gets the settings that are fastest for it, and beside them those that are most accurate. `one` is a process with a
thread for each core; `each` is a process for each core with one thread, all at once over the same recordings, whose speeds
are added: the most that a peer gets out of the machine. steno is one process with a thread for each core throughout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatch

INT8 = ("--compute-type", "int8")
GREEDY = ("--beam-size", "1")
BEAM = ("--beam-size", "5")


@dataclass(frozen=True)
class Contender:
    name: str
    system: str
    settings: dict
    steno: tuple[str, ...]  # options of `steno bench asr`
    sets: tuple[str, ...]
    layouts: tuple[str, ...] = ("one", "each")


def faster_whisper(name: str, steno: tuple[str, ...], sets: tuple[str, ...], **settings) -> Contender:
    return Contender(f"faster-whisper {name}", "faster-whisper", {"compute_type": "int8", **settings}, steno, sets)


def ggml(system: str, weights: str, sets: tuple[str, ...]) -> Contender:
    return Contender(f"{system} {weights}, greedy", system, {"weights": weights, "beam": 1}, (*INT8, *GREEDY), sets)


LONG = ("en_30min", "en_60min")
SHORT = ("en_1min", "en_5min")
FILES = SHORT + LONG

CONTENDERS = (
    faster_whisper("int8, batches of 16, greedy", (*INT8, *GREEDY), FILES, beam=1, batch=16),
    faster_whisper("int8, sequential, greedy", (*INT8, *GREEDY), (*FILES, "clips", "answer"), beam=1),
    faster_whisper("int8, batches of 8, beam 5", (*INT8, *BEAM), FILES, beam=5, batch=8),
    faster_whisper("int8, sequential, beam 5", (*INT8, *BEAM), FILES, beam=5),
    ggml("whisper.cpp", "q8_0", FILES),
    ggml("whisper.cpp", "f16", SHORT),
    ggml("transcribe.cpp", "q8_0", SHORT),
    ggml("crispasr", "q8_0", SHORT),
    Contender("openai-whisper f32, greedy", "openai-whisper", {"beam": 1}, (*INT8, *GREEDY), SHORT, ("one",)),
    *(
        Contender(
            f"transformers bf16, batches of 8{', timestamps' * timestamps}, greedy", "transformers",
            {"compute_type": "bf16", "batch": 8, "beam": 1, "timestamps": timestamps},
            ("--compute-type", "bf16", *GREEDY), SHORT, ("one",),
        )  # fmt: skip
        for timestamps in (False, True)
    ),
)


@dataclass(frozen=True)
class Match:
    """A peer's run and steno's beside it, over and over."""

    set: str
    contender: Contender
    layout: str
    pairs: list = field(default_factory=list, compare=False)

    @property
    def name(self) -> str:
        return f"{self.contender.name}, {self.layout}"


def matches(sets: list[str], patterns: list[str]) -> list[Match]:
    """Of the sets asked for, in their order, those whose name fits a pattern such as `faster-whisper*`."""
    return [
        match
        for name in sets
        for contender in CONTENDERS
        if name in contender.sets
        for match in (Match(name, contender, layout) for layout in contender.layouts if name != "answer" or layout == "one")
        if any(fnmatch(match.name, pattern) for pattern in patterns)
    ]
