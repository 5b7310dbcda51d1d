"""Whisper vocabularies cut down to their first ranks, in the layouts that releases use.

Byte-level BPE is closed under prefixes of the rank list, so the first N ranks are a valid tokenizer.
After them: the empty token of multilingual.tiktoken (it decodes to b'' and takes an id), then the
specials and the 1501 timestamps in the released order.
Source: whisper/tokenizer.py get_encoding, v20250625.
"""
import base64
import os

import tiktoken
import whisper.tokenizer as oai
from golden_io import write_json

SPLIT = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


def asset_ranks(name):
    """{token bytes: rank} of multilingual.tiktoken or gpt2.tiktoken in the openai-whisper package."""
    path = os.path.join(os.path.dirname(oai.__file__), 'assets', name + '.tiktoken')
    with open(path) as f:
        return {base64.b64decode(word): int(rank) for word, rank in (line.split() for line in f if line.strip())}


def special_names(num_languages):
    return (['<|endoftext|>', '<|startoftranscript|>'] +
            ['<|%s|>' % code for code in list(oai.LANGUAGES)[:num_languages]] +
            ['<|translate|>', '<|transcribe|>', '<|startoflm|>', '<|startofprev|>', '<|nospeech|>',
             '<|notimestamps|>'])


def timestamp_names():
    return ['<|%.2f|>' % (0.02 * i) for i in range(1501)]


class ReducedVocabulary:
    """`num_ranks` first ranks + specials; multilingual ones also keep the empty token as last rank."""

    def __init__(self, multilingual, num_ranks, num_languages):
        self.multilingual, self.num_languages = multilingual, num_languages
        full = asset_ranks('multilingual' if multilingual else 'gpt2')
        self.ranks = {word: rank for word, rank in full.items() if rank < num_ranks}
        if multilingual:
            assert full[b''] == len(full) - 1
            self.ranks[b''] = num_ranks
        self.specials = special_names(num_languages)
        names = self.specials + timestamp_names()
        self.special_ids = {name: len(self.ranks) + i for i, name in enumerate(names)}
        self.size = len(self.ranks) + len(names)
        self.encoding = tiktoken.Encoding(name='reduced', explicit_n_vocab=self.size, pat_str=SPLIT,
                                          mergeable_ranks=self.ranks, special_tokens=self.special_ids)

    def tokenizer(self, language=None, task=None):
        """openai-whisper's Tokenizer over this vocabulary, with get_tokenizer's defaults."""
        if self.multilingual:
            language, task = language or 'en', task or 'transcribe'
        else:
            language = task = None
        return oai.Tokenizer(encoding=self.encoding, num_languages=self.num_languages, language=language, task=task)


def byte_letters():
    """GPT-2's printable stand-in for every byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    return {**{b: chr(b) for b in printable}, **{b: chr(256 + i) for i, b in enumerate(others)}}


LETTERS = byte_letters()


def spell(word):
    return ''.join(LETTERS[b] for b in word)


def merge_pairs(ranks):
    """The pair that BPE joins last on its way to each token, in rank order (merges.txt)."""
    pairs = []
    for word, rank in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [word[i:i + 1] for i in range(len(word))]
        while len(parts) > 2:
            joins = [(ranks.get(parts[i] + parts[i + 1], rank), i) for i in range(len(parts) - 1)]
            best, i = min(joins)
            assert best < rank, word
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        if len(parts) == 2:
            pairs.append((spell(parts[0]), spell(parts[1])))
    return pairs


def write_hf_tokenizer(vocabulary, folder, timestamps_listed=True, eot_in_vocab=False):
    """tokenizer.json, vocab.json, merges.txt, added_tokens.json, tokenizer_config.json.

    timestamps_listed=False leaves the timestamps out of tokenizer.json, as early releases did.
    eot_in_vocab puts <|endoftext|> among the plain words too, as the released vocab.json files do.
    """
    os.makedirs(folder, exist_ok=True)
    words = {spell(word): rank for word, rank in vocabulary.ranks.items()}
    if eot_in_vocab:
        words['<|endoftext|>'] = len(words)
    merges = merge_pairs(vocabulary.ranks)
    names = vocabulary.specials + (timestamp_names() if timestamps_listed else [])
    added = [{'id': vocabulary.special_ids[name], 'content': name, 'single_word': False, 'lstrip': False,
              'rstrip': False, 'normalized': False, 'special': name in vocabulary.specials} for name in names]
    byte_level = {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': True, 'use_regex': True}
    write_json(os.path.join(folder, 'tokenizer.json'), {
        'version': '1.0', 'truncation': None, 'padding': None, 'added_tokens': added, 'normalizer': None,
        'pre_tokenizer': byte_level, 'post_processor': None, 'decoder': byte_level,
        'model': {'type': 'BPE', 'dropout': None, 'unk_token': None, 'continuing_subword_prefix': '',
                  'end_of_word_suffix': '', 'fuse_unk': False, 'byte_fallback': False, 'vocab': words,
                  'merges': [' '.join(pair) for pair in merges]}}, readable=False)
    write_json(os.path.join(folder, 'vocab.json'), words, readable=False)
    with open(os.path.join(folder, 'merges.txt'), 'w', encoding='utf-8') as f:
        f.write('#version: 0.2\n' + ''.join('%s %s\n' % pair for pair in merges))
    write_json(os.path.join(folder, 'added_tokens.json'),
               {name: vocabulary.special_ids[name] for name in vocabulary.specials})
    write_json(os.path.join(folder, 'tokenizer_config.json'), {
        'tokenizer_class': 'WhisperTokenizer', 'processor_class': 'WhisperProcessor', 'model_max_length': 1024,
        'bos_token': '<|endoftext|>', 'eos_token': '<|endoftext|>', 'pad_token': '<|endoftext|>',
        'unk_token': '<|endoftext|>', 'add_prefix_space': False, 'errors': 'replace',
        'additional_special_tokens': vocabulary.specials})
