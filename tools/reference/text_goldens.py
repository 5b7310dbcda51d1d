"""Makes tests/golden/text: what the real Whisper tokenizers, Python's UTF-8 decoder and zlib do with odd text.

  python text_goldens.py [--out ../../tests/golden]

Path: openai-whisper's multilingual.tiktoken and gpt2.tiktoken -> here -> tests/golden/text/*.json
"""
import argparse
import os

import numpy as np
import whisper.tokenizer as oai
from whisper.utils import compression_ratio

from golden_io import write_json

STRINGS = [
    '', ' ', '  ', '   a', 'a   ', 'a  b', 'a   b', ' a', 'hello', ' hello', 'Hello world', ' Hello, world!',
    "I'm you're we'd they'll it's don't I've", "I'M YOU'RE IT'S", "'s 't're", "rock'n'roll", "’s ‘quoted’ “double”",
    '123', ' 123 4567 89', '3.14159', '1,000,000', 'v2.0-beta3', 'a1b2c3', '٣٤٥ १२३ ４５６', '½ ² Ⅷ ①',
    '\n', '\n\n', 'a\nb', 'a\n\nb', 'a \n b', 'line\r\nline', '\t', 'a\tb', '\t\tx', ' \t \n x', 'trailing \n',
    'a\u00a0b', '\u00a0\u00a0', 'a\u2003b', 'a\u3000b', 'zero\u200bwidth', 'join\u200der', '\ufeffbom', 'a\u0085b',
    'e\u0301 and é', 'n\u0303o\u0308', 'क्षत्रिय नमस्ते', 'สวัสดีครับ', 'שלום עולם', 'مرحبا بالعالم',
    'Привет, мир!', 'Γειά σου Κόσμε', '你好，世界。', '日本語のテキスト', '안녕하세요 세계', '한글 e\u0301 mixed 中文',
    '😀', ' 😀😀', '👩‍👩‍👧‍👦 family', '🏳️‍🌈🇩🇪', '♪♪♪ ♩ ♯', '$5 + 3 = €8', '(a) [b] {c} <d>', '...---...!!??',
    '<|endoftext|>', '<|0.00|> text <|2.00|>', 'http://example.com/a?b=c&d=%20', 'a_b-c.d/e\\f', '#tag @user',
    'ﬁ ligature ﬀ', 'ǅ ᾳ ʰ ℵ', '\u0301alone', '\u20e3 7\ufe0f\u20e3', '𝒜𝓁𝓅𝒽𝒶 𐍈', '\x00\x01\x7f', 'a\x0bb\x0cc\x1cd',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', '                    ', '\u2028\u2029', 'Straße İstanbul ǆ',
    "l'été n'est pas fini: 25°C !", 'don\u02bct', '\ud7ff\ue000\uffff',
]

BYTES = ['80', 'c3', 'c328', 'c3a9', 'e282', 'e28228', 'e282ac', 'f09f98', 'f09f9880', 'f09f98f09f9880', 'ff', 'fe41',
         'c0af', 'e080af', 'eda080', 'edbfbf', 'f4908080', 'f8888080', '41c3', '41e282', 'e28241', 'c3c3a9', '8080',
         'f0', 'f09f', 'f041', 'f09f41', 'f09f9841', 'f0808080', 'e0a0', 'e09f80', 'efbfbd', 'efbfbe', 'f48fbfbf',
         'e4bda0e5a5', 'a0e5a5bd', 'c280', '7f', '00']


def tokenizer_rows(tokenizer, seed):
    encoding = tokenizer.encoding
    encode = [dict(text=s, ids=encoding.encode_ordinary(s)) for s in STRINGS]
    rng, decode = np.random.default_rng(seed), []

    def add(ids):
        ids = [int(i) for i in ids]
        decode.append(dict(ids=ids, text=tokenizer.decode(ids), with_timestamps=tokenizer.decode_with_timestamps(ids)))

    for text in ('😀', '👩‍👩‍👧‍👦', '日本語のテキスト', 'a é 한 𐍈', 'สวัสดี', '♪♪♪'):
        ids = encoding.encode_ordinary(text)
        for cut in range(1, len(ids)):
            add(ids[:cut])
            if cut % 2:
                add(ids[cut:])
    for _ in range(16):
        add(rng.integers(0, 256, 8))                     # single bytes: mostly broken UTF-8
    for _ in range(16):
        add(rng.integers(0, tokenizer.eot, 8))
    first = tokenizer.timestamp_begin
    add([tokenizer.eot])
    add([tokenizer.eot - 1])                             # multilingual: the empty token
    add([tokenizer.sot, tokenizer.sot + 1, tokenizer.transcribe, tokenizer.no_timestamps])
    add([first] + encoding.encode_ordinary(' ok') + [first + 50, first + 50, first + 1500])
    add([])
    return {'encode': encode, 'decode': decode}


def special_rows(multilingual, num_languages):
    tokenizer = oai.get_tokenizer(multilingual, num_languages=num_languages)
    names = ('eot', 'sot', 'translate', 'transcribe', 'sot_lm', 'sot_prev', 'no_speech', 'no_timestamps',
             'timestamp_begin')
    return {'num_languages': num_languages, 'vocabulary_size': tokenizer.encoding.n_vocab,
            **{n: getattr(tokenizer, n) for n in names}, 'sot_sequence': list(tokenizer.sot_sequence),
            'blank': tokenizer.encode(' '), 'non_speech_tokens': list(tokenizer.non_speech_tokens)}


def compression_rows():
    rng = np.random.default_rng(3)
    texts = ['a', 'Hello world.', 'a' * 10, 'a' * 100, 'a' * 1000, 'ha ' * 50, 'Thank you. ' * 20,
             'The quick brown fox jumps over the lazy dog.', 'The quick brown fox jumps over the lazy dog. ' * 4,
             '日本語のテキスト', '日本語のテキスト' * 12, '\ufffd' * 30, 'привет мир ' * 9, '😀' * 25,
             'one two three four five six seven eight nine ten eleven twelve thirteen fourteen',
             ' '.join('word%d' % i for i in range(120)),
             ''.join(chr(97 + int(i)) for i in rng.integers(0, 26, 400)),
             ''.join(chr(32 + int(i)) for i in rng.integers(0, 95, 2000))]
    return [dict(text=t, ratio=compression_ratio(t)) for t in texts]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument('--out', default=os.path.join(here, '..', '..', 'tests', 'golden'))
    out = os.path.join(parser.parse_args().out, 'text')
    about = 'openai-whisper 20250625: tiktoken encode_ordinary; decode with errors="replace"'
    write_json(os.path.join(out, 'multilingual.json'), {
        'about': about, 'languages': oai.LANGUAGES, 'language_aliases': {
            k: v for k, v in oai.TO_LANGUAGE_CODE.items() if oai.LANGUAGES.get(v) != k},
        'specials': {'99': special_rows(True, 99), '100': special_rows(True, 100)},
        **tokenizer_rows(oai.get_tokenizer(True, num_languages=99), 11)}, ascii_only=True)
    write_json(os.path.join(out, 'gpt2.json'), {
        'about': about, 'specials': {'en': special_rows(False, 99)},
        **tokenizer_rows(oai.get_tokenizer(False), 12)}, ascii_only=True)
    write_json(os.path.join(out, 'utf8_replace.json'), {
        'about': 'bytes (hex) -> what Python\'s bytes.decode("utf-8", errors="replace") gives',
        'cases': [dict(bytes=h, text=bytes.fromhex(h).decode('utf-8', errors='replace'))
                  for h in BYTES]}, ascii_only=True)
    write_json(os.path.join(out, 'compression_ratio.json'), {
        'about': 'whisper.utils.compression_ratio: UTF-8 bytes over zlib.compress at its default level',
        'cases': compression_rows()}, ascii_only=True)


if __name__ == '__main__':
    main()
