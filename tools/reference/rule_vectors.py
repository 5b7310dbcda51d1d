"""Tables for the decoding rules alone: openai-whisper's logit filters, beam search and ranking on fabricated
logits over a vocabulary of a few dozen ids.

Path: whisper/decoding.py v20250625 -> here -> tests/golden/whisper/rules.json
"""
import numpy as np
import torch
import whisper.decoding as decoding

from golden_io import write_json
from margins import watch


class SmallTokenizer:
    """Ids in the released order, shrunk: text 0..19, specials 20..29, timestamps 30..70 (0.00 .. 0.80)."""
    eot, sot, translate, transcribe, sot_lm, sot_prev, no_speech, no_timestamps = 20, 21, 24, 25, 26, 27, 28, 29
    timestamp_begin = 30
    size = 71
    blank = 5

    def encode(self, text):
        assert text == ' '
        return [self.blank]


def rounded_logits(rng, size, spread):
    return np.round(rng.standard_normal(size) * spread, 3).astype(np.float32)


def filter_cases():
    tok, rng = SmallTokenizer(), np.random.default_rng(5)
    begin = tok.timestamp_begin
    prefixes = [[], [], [], [begin], [begin + 4], [3], [begin, 3], [begin + 2, 3, 7], [begin, 3, begin + 9],
                [begin, 3, begin], [begin, 3, begin + 9, begin + 9], [begin, 3, begin + 9, begin + 12],
                [begin, 3, begin + 9, begin + 9, 8], [begin, 3, begin + 40], [begin, 3, begin + 40, begin + 40],
                [begin, begin], [3, begin + 6], [3, 4, begin + 6, begin + 6], [begin + 40], [begin, 2, 3, 4, 5],
                [begin, 3, begin + 9, 4, begin + 5], [3, 4, 5]]
    cases = []
    for i, sampled in enumerate(prefixes * 2):
        # The second round leans to text or to timestamps, so that the probability rule goes both ways.
        logits = rounded_logits(rng, tok.size, 2.0)
        if i >= len(prefixes):
            logits[:20] += 4 if i % 2 else -2
        limit = (None, 10, 50, 3)[i % 4]
        row = torch.from_numpy(logits.copy())[None]
        tokens = torch.tensor([[tok.sot, 22, tok.transcribe] + sampled])
        decoding.ApplyTimestampRules(tok, 3, limit).apply(row, tokens)
        masked = torch.isinf(row[0]).nonzero().flatten().tolist()
        cases.append(dict(sampled=sampled, max_initial_timestamp_index=limit, masked=masked,
                          logits=[float('%.3f' % v) for v in logits]))
    return cases


def blank_and_suppress_cases():
    tok, cases = SmallTokenizer(), []
    for sampled in ([], [3]):
        row = torch.zeros(1, tok.size)
        decoding.SuppressBlank(tok, 3).apply(row, torch.tensor([[tok.sot, 22, tok.transcribe] + sampled]))
        cases.append(dict(filter='suppress_blank', sampled=sampled,
                          masked=torch.isinf(row[0]).nonzero().flatten().tolist()))
    row = torch.zeros(1, tok.size)
    decoding.SuppressTokens([1, 7, 24, 28]).apply(row, torch.tensor([[tok.sot]]))
    cases.append(dict(filter='suppress_tokens', suppress=[1, 7, 24, 28],
                      masked=torch.isinf(row[0]).nonzero().flatten().tolist()))
    return cases


class NoInference:
    """Stands where the key/value cache is; remembers how beams were moved."""

    def rearrange_kv_cache(self, source_indices):
        self.moved = list(source_indices)


def beam_case(seed, size, beam, patience, steps, eot_bonus, mask):
    """A Markov chain: the logits of a beam are the table's row of its last token. Id size-1 ends a sequence."""
    rng, eot = np.random.default_rng(seed), size - 1
    table = np.round(rng.standard_normal((size, size)) * 1.5, 3).astype(np.float32)
    table[:, eot] += eot_bonus
    for row, column in mask:
        table[row, column] = -np.inf
    inference = NoInference()
    decoder = decoding.BeamSearchDecoder(beam, eot, inference, patience)
    decoder.reset()
    tokens, sums, rows = torch.zeros(beam, 1, dtype=torch.long), torch.zeros(beam), []
    with watch() as smallest:
        for _ in range(steps):
            logits = torch.from_numpy(table)[tokens[:, -1]].clone()
            tokens, completed = decoder.update(tokens, logits, sums)
            rows.append(dict(beams=[t[1:] for t in tokens.tolist()], sum_logprobs=[float(v) for v in sums],
                             sources=inference.moved,
                             num_finished=len(decoder.finished_sequences[0]), completed=bool(completed)))
            if completed:
                break
        last, totals = decoder.finalize(tokens[None], sums[None])
        finished = [[t[1:(t == eot).nonzero()[0, 0]] for t in last[0]]]
        picked = {}
        for alpha in (None, 0.0, 0.7, 1.0):
            picked[str(alpha)] = int(decoding.MaximumLikelihoodRanker(alpha).rank(finished, totals)[0])
    finite = [[None if np.isinf(v) else float('%.3f' % v) for v in row] for row in table]
    return dict(beam_size=beam, patience=patience, eot=eot, max_steps=steps, table=finite, steps=rows,
                finished=[t.tolist() for t in finished[0]], finished_sum_logprobs=totals[0],
                picked_by_length_penalty=picked), smallest


def beam_cases():
    wanted = [dict(beam=1, patience=None), dict(beam=2, patience=None), dict(beam=3, patience=None),
              dict(beam=5, patience=None), dict(beam=5, patience=2.0), dict(beam=4, patience=0.5),
              dict(beam=3, patience=1.5)]
    cases = []
    for i, options in enumerate(wanted * 2):
        bonus = 1.0 if i < len(wanted) else -3.0        # the second round runs into max_steps unfinished
        for seed in range(100 * i, 100 * i + 100):
            case, smallest = beam_case(seed, 10, steps=7, eot_bonus=bonus, mask=[(0, 9), (3, 1)], **options)
            if min(smallest.values(), default=1.0) > 1e-2 and all(case['finished']):
                break
        cases.append(case)
    return cases


def write(path):
    tok = SmallTokenizer()
    write_json(path, {
        'about': 'openai-whisper 20250625 decoding rules on fabricated logits; null is minus infinity',
        'ids': {n: getattr(tok, n) for n in ('size', 'blank', 'eot', 'sot', 'translate', 'transcribe', 'sot_lm',
                                             'sot_prev', 'no_speech', 'no_timestamps', 'timestamp_begin')},
        'timestamp_rules': filter_cases(), 'other_filters': blank_and_suppress_cases(), 'beam_search': beam_cases()})
