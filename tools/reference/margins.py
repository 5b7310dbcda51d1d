"""How close the reference came to deciding otherwise, and openai-whisper on a reduced vocabulary.

A golden token path is only a fair test when every decision on it is far from float noise. `watch()`
records the smallest gap of each kind of decision while openai-whisper decodes.
"""
import contextlib
import sys

import numpy as np
import torch
import whisper.decoding as decoding


@contextlib.contextmanager
def tokenizer_of(vocabulary):
    """Makes openai-whisper build its tokenizers from `vocabulary` instead of from the package's assets."""
    modules = [decoding, sys.modules['whisper.transcribe']]
    saved = [m.get_tokenizer for m in modules]

    def get_tokenizer(multilingual, *, num_languages=99, language=None, task=None):
        assert multilingual == vocabulary.multilingual
        return vocabulary.tokenizer(language, task)

    for m in modules:
        m.get_tokenizer = get_tokenizer
    try:
        yield
    finally:
        for m, f in zip(modules, saved):
            m.get_tokenizer = f


def gap(values):
    """Distance of the two largest; infinite when there is only one candidate."""
    finite = values[torch.isfinite(values)]
    if finite.numel() < 2:
        return float('inf')
    top = finite.topk(2).values
    return float(top[0] - top[1])


@contextlib.contextmanager
def watch():
    """Yields {kind: smallest gap}, filled while the block runs.

    greedy      best minus second log-probability, each step
    timestamp   |logsumexp(timestamps) - max(text)|, each step that compares them
    beam        score of the last beam kept minus that of the best one dropped
    finish      rank of the chosen sequence minus that of the runner-up
    """
    smallest = {}

    def note(kind, value):
        if np.isfinite(value):
            smallest[kind] = min(smallest.get(kind, float('inf')), float(value))

    greedy_update, beam_update = decoding.GreedyDecoder.update, decoding.BeamSearchDecoder.update
    apply, rank = decoding.ApplyTimestampRules.apply, decoding.MaximumLikelihoodRanker.rank

    def watched_greedy(self, tokens, logits, sum_logprobs):
        note('greedy', gap(torch.log_softmax(logits[0], -1)))
        return greedy_update(self, tokens, logits, sum_logprobs)

    def watched_beam(self, tokens, logits, sum_logprobs):
        scores = {}
        for row, row_logits, total in zip(tokens.tolist(), logits, sum_logprobs.tolist()):
            best = torch.log_softmax(row_logits, -1).topk(self.beam_size + 1)
            for value, token in zip(best.values.tolist(), best.indices.tolist()):
                scores[tuple(row + [token])] = total + value
        ordered = sorted(scores.values(), reverse=True)
        open_scores = sorted((v for s, v in scores.items() if s[-1] != self.eot), reverse=True)
        if len(open_scores) > self.beam_size:
            last = open_scores[self.beam_size - 1]
            below = ordered[ordered.index(last) + 1:]
            if below:
                note('beam', last - below[0])
        return beam_update(self, tokens, logits, sum_logprobs)

    def watched_apply(self, logits, tokens):
        begin, eot = self.tokenizer.timestamp_begin, self.tokenizer.eot
        before = logits.clone()
        apply(self, logits, tokens)
        for k in range(len(logits)):
            text = before[k, :begin].clone()
            text[self.tokenizer.no_timestamps] = -np.inf
            sampled = tokens[k, self.sample_begin:].tolist()
            if not sampled:
                continue                               # only timestamps are allowed: no comparison
            if sampled[-1] >= begin and len(sampled) > 1 and sampled[-2] < begin:
                text[:eot] = -np.inf
            note('timestamp', abs(float(logits[k, begin:].logsumexp(-1) - text.max())))

    def watched_rank(self, tokens, sum_logprobs):
        for group, totals in zip(tokens, sum_logprobs):
            if len(group) > 1:
                alpha = self.length_penalty
                lengths = [len(t) if alpha is None else ((5 + len(t)) / 6) ** alpha for t in group]
                note('finish', gap(torch.tensor([p / n for p, n in zip(totals, lengths)], dtype=torch.float64)))
        return rank(self, tokens, sum_logprobs)

    decoding.GreedyDecoder.update, decoding.BeamSearchDecoder.update = watched_greedy, watched_beam
    decoding.ApplyTimestampRules.apply, decoding.MaximumLikelihoodRanker.rank = watched_apply, watched_rank
    try:
        yield smallest
    finally:
        decoding.GreedyDecoder.update, decoding.BeamSearchDecoder.update = greedy_update, beam_update
        decoding.ApplyTimestampRules.apply, decoding.MaximumLikelihoodRanker.rank = apply, rank
