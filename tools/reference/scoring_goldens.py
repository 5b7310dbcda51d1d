"""Makes tests/golden/scoring, what the normalisers and jiwer say of many texts, and src/scoring/english_spellings.inc.

  python scoring_goldens.py [--out ../../tests/golden]

Path: whisper-normalizer (openai-whisper's code as a package of its own), jiwer -> here -> tests/golden/scoring/*.json
"""
import argparse
import itertools
import json
import os
import random
from importlib.resources import files

import jiwer
from whisper_normalizer.basic import BasicTextNormalizer
from whisper_normalizer.english import EnglishTextNormalizer

from golden_io import write_json

HERE = os.path.dirname(os.path.abspath(__file__))

ENGLISH = [
    '', ' ', '.', '..', '...', 'a...', 'a..', 'Hello, World!', ' leading and trailing ', 'line\nbreak\tand tab', "can't", "won't",
    "I won't, can't and shan't; let's go, y'all ain't wrong.", "He'd been, she's been, we'd gone, it's gone, he'd done, she's got it.",
    "They're Tom's; I'd say we'll, you've, I'm 't.", "don 't", "it 's o'clock at Ma'am's", "wanna kinda sorta dunno gotta gonna imma i'ma",
    'Woulda coulda shoulda, cause Mr. Smith and Mrs. Jones met Dr. Who on St. Mary St.', 'Prof. Capt. Gov. Ald. Gen. Sen. Rep. Pres. Rev.',
    'Hon. Asst. Assoc. Lt. Col. Jr. Sr. Esq.', 'um, uh, hmm, mm, mhm, mmm... umbrella uh-huh', '[noise] <laugh> (cough) text [open (close',
    '() ( ) ([]) <> [] a(b)c (a(b)c) [a<b]c>', 'She said “quotes” and ‘single’ – dashes — and… ellipsis', "rock ’n’ roll, don’t, it’s",
    'café naïve Ærøskøbing Straße ŁÓDŹ đð þorn ÞÓR Œuvre ẞ', 'İstanbul ΟΔΥΣΣΕΥΣ ΣΑΣ Σ', '½ cup, ² squared, ① ﬁne ﬀ Ⅷ', '２０２４ ＡＢＣ',
    'ten thousand dollars', '$20 million', '20 million dollars', 'one oh one', 'twenty twenty four', 'nineteen eighty-four',
    'the nineteen sixties', '1960s and the 274th 32nd 1 st 2 nd 3 rd 4 th 5 s', 'one hundred and one', 'two hundred and fifty six thousand',
    'two and a half million', 'and a half', 'three and a half', 'a dog and a half', 'two thousand and a half', 'one and a half two and a half',
    'double oh seven', 'triple five double two', 'double trouble', 'double', 'point five', 'three point one four', 'point', 'a point',
    'three point', 'point twelve', 'one point million', '127 point 0 point 0 point 1', 'one two seven dot zero', 'minus five', 'plus three',
    'negative seven hundred', 'positive', 'minus', 'minus minus four', 'minus percent', 'five percent', 'five per cent', 'per cent',
    'five per annum', 'percent', 'twelve point five percent', '12.5%', '100 %', '%', '%%', 'a%', 'a%%', '5%%', '$', '$$', '$ 5', '$5', '£3.50',
    '€1,000,000', '1,2,3,4', '1,234,567.89', '$2 and ¢7', '$2 ¢7', '$2 and ¢70', '$2 and ¢700', '$0.05', '$0.5', '$0.50', '$0123', '$0x5', '€0.99 a',
    'twenty dollars and five cents', 'two dollars seven cents', 'one dollar and one cent', 'fifty cents', 'cents', 'dollars', 'a pound',
    'five pounds and ten pence', 'three euros', 'one', 'ones', '1', '1s', '1.5', '1.1.1', 'number 1.', '1st', '11', 'ninth', 'nineth', 'first second third',
    'twenty first', 'twenty-second', 'one hundred and twenty third', 'fifty fifth', 'the sixes and sevens', 'twenties and thirtieth', 'hundreds',
    'two hundreds', 'two hundredth', 'two point five millions', 'two point five five thousandth', 'one thousandths', 'zeroth', 'oh', 'o', 'zero zero',
    'zero hundred', '0 hundred', '0 hundreds', '0', '00', '007', '0.0', '3.0', '3.10', '3.0 million', '1.5 million', '1.2345678 million',
    '1.2345678 thousand', 'five hundred thousand million', '1500 hundred', '123456789012345678901234567890 thousand', 'one decillion',
    'nine hundred ninety nine decillion nonillion', 'ten ten', 'eleven twelve', 'twenty ten', 'one hundred eleven', 'one hundred ten one',
    'one twenty', 'one twenty three', 'one twenty third', 'five ten fifteen', 'thirty thirty', 'hundred', 'hundred hundred', 'thousand million',
    'one hundred and', 'and', 'and five', 'five and six', 'a hundred and a half', 'sixty five oh', 'twenty oh five', 'a1b2c3', '5g 4k x86 mp3',
    '10am 5pm 3d', '7 up', '3.', '3. 4', '3 . 4', '.5', '.5 million', 'v2.0.1', 'www.example.com', 'a.b.c.', 'U.S.A.', 'e.g. this', '3.14159', '1. 2. 3.',
    '٣٤٥ ٣.٥ १२३', '٣.٥ million', '٣ hundred', 'three $5', 'three point $5', 'three point €5 million', '$5 $6', '$five', '¢5', '¢ 5', '5¢', '+5', '-5', '5-6', '5+6=11',
    'colour favourite organise analyse centre grey', 'Colours, ORGANISATION; theatre-goers', "colour's", 'aluminium tyre', 'mobile phone', 'judgement',
    '中文 text 日本語', 'Привет мир', '한국어 텍스트', 'नमस्ते', 'สวัสดี', 'مرحبا', '😀 emoji ♪ music ♪', '#tag @user a_b_c', 'tab\u00a0nbsp\u2003em',
    'zero\u200bwidth\u00adhyphen', 'e\u0301 and é n\u0303', 'q\u0323\u0307 q\u0307\u0323', 'control\x00\x1c\x85char', '°C 25°C 10µm m²', 'x=y<z>w', 'a & b',
    'one million two hundred thirty four thousand five hundred sixty seven', 'call 555 12 34', 'five five five one two one two', 'room 101', 'one hundred one hundred',
    'two to the power of ten', 'half past nine', "o'clock at seven o'clock", 'twenty-five thousand three hundred', 'nineteen oh five', 'eight hundred eighty eight',
    'a hundred thousand', 'several hundred', 'first class', 'second hand', 'wait a second', 'one second', 'one third', 'two thirds', 'three quarters',
    'He paid $1.50, €2.75 and £3; a 15% tip.', 'It cost 3 dollars 50', 'two million dollars and cents', 'minus twenty dollars', 'minus $5', 'ten percent of minus one',
]

OTHERS = [
    '', ' ', '.', 'Hola, ¿qué tal? ¡Muy bien!', 'L’été n’est pas fini : 25°C !', 'Ça va? [bruit] (rire) <i>oui</i>', 'Straße Größe ÄÖÜ äöü ß ẞ',
    'İstanbul Iğdır ısı', 'ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. ΑΣ.Β Ας', 'Привет, мир! Ёлка й Й', 'Zażółć gęślą jaźń ŁÓDŹ', 'Đà Nẵng thành phố', 'þorn ðð œuvre Æsir øre',
    '你好，世界。今天是2024年１月', '日本語のテキスト「かぎ」（括弧）・ガ か\u3099', '안녕하세요, 세계! 각\u1100\u1161', 'नमस्ते दुनिया क्षत्रिय', 'தமிழ் மொழி', 'বাংলা ভাষা', 'สวัสดีครับ น้ำ',
    'ភាសាខ្មែរ', 'မြန်မာဘာသာ', 'ພາສາລາວ', 'שָׁלוֹם עולם', 'مَرْحَبًا بالعالم ١٢٣', 'ελληνικά ά ὰ ᾳ ᾼ', 'ﬁ ﬀ ﬃ ǆ ǅ Ǆ', '½ ² ① Ⅷ ℃ № ™', '😀 👩\u200d👩\u200d👧 🇩🇪🇫🇷 ♪ ☂\ufe0f',
    'a_b c-d e/f g\\h', '() ( ) ([]) <> [] a(b)c (a(b)c) [a<b]c>', 'zero\u200bwidth \u00ad soft \u200d joiner \u00a0 nbsp \u3000 wide', 'q\u0323\u0307 q\u0307\u0323 e\u0301',
    'control\x00\x1c\x85char\r\nend', '1,234.5 kg & 10%', 'ﷺ ﷲ', 'ㄱㄴ ㎏ ㍿ ｶﾞ ﾊﾟ', '𝒜𝓁𝓅𝒽𝒶 𝟘𝟙 𐍈', 'O’Neil d\'été l\'eau', 'ĳ Ĳ ŉ ſ', 'A\u030a Å Å Ω Ω', 'ẛ̣ Ǻ Ṩ',
]

NUMBER_WORDS = ('one two three five nine ten twelve nineteen twenty thirty ninety hundred thousand million hundreds thousandth '
                'first third fifth twentieth sixties ones oh zero point and double triple minus plus dollars pounds cents percent per '
                'cent half a 5 0 12 3.5 $7 ¢3 x').split()


def english_texts():
    """The list above, and number words in random order: the states of the number reader."""
    rng = random.Random(1)
    mixed = [' '.join(rng.choices(NUMBER_WORDS, k=rng.randint(2, 9))) for _ in range(600)]
    pairs = [' '.join(pair) for pair in itertools.product(NUMBER_WORDS[:36:3], repeat=2)]
    return ENGLISH + OTHERS + mixed + pairs


def write_normalised(out):
    english = EnglishTextNormalizer()
    write_json(os.path.join(out, 'english.json'), {
        'about': 'whisper-normalizer 0.1.15 EnglishTextNormalizer: a text and what becomes of it',
        'cases': [[text, english(text)] for text in english_texts()]}, ascii_only=True)
    kinds = {'plain': {}, 'remove_diacritics': {'remove_diacritics': True}, 'split_letters': {'split_letters': True}}
    normalisers = {name: BasicTextNormalizer(**options) for name, options in kinds.items()}
    write_json(os.path.join(out, 'basic.json'), {
        'about': 'whisper-normalizer 0.1.15 BasicTextNormalizer',
        'cases': [{'text': text, **{name: n(text) for name, n in normalisers.items()}} for text in OTHERS + ENGLISH]}, ascii_only=True)


def counts(output):
    return [output.hits, output.substitutions, output.deletions, output.insertions]


def pair_row(reference, hypothesis):
    words = jiwer.process_words(reference, hypothesis)
    characters = jiwer.process_characters(reference, hypothesis)
    return {'reference': reference, 'hypothesis': hypothesis, 'words': counts(words), 'characters': counts(characters),
            'wer': words.wer, 'cer': characters.cer}


def damaged(words, rng, share):
    result = []
    for word in words:
        kind = rng.random() / share
        if kind < 1 / 3:
            continue
        result.append(rng.choice(words) if kind < 2 / 3 else word)
        if 2 / 3 <= kind < 1:
            result.append(rng.choice(words))
    return result


def sequence(state, length, num_symbols):
    """Symbols that the test makes in the same way, for lengths that would swell a golden file."""
    symbols = []
    for _ in range(length):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        symbols.append((state >> 33) % num_symbols)
    return symbols


def long_row(seed, lengths, num_symbols, shared):
    """Two random sequences with `shared` equal symbols in front of the differing rest."""
    front = sequence(seed, shared, num_symbols)
    sides = [front + sequence(seed + side + 1, length, num_symbols) for side, length in enumerate(lengths)]
    reference, hypothesis = (' '.join(map(str, side)) for side in sides)
    return {'seed': seed, 'lengths': lengths, 'num_symbols': num_symbols, 'shared': shared,
            'words': counts(jiwer.process_words(reference, hypothesis))}


def write_errors(out):
    rng = random.Random(2)
    vocabulary = 'the a cat dog sat ran on in mat house naïve größe 中 文'.split()
    pairs = [('a', ''), ('', ''), ('', 'a b'), (' a  b ', 'a b'), ('a b c', 'a b c'), ('a b c', 'c b a'), ('a b', 'b a b a'), ('abc', 'abd'), ('中文字', '中字文')]
    for length in (1, 2, 3, 4, 5, 7, 10, 15, 20, 33, 64, 65, 66, 90, 129):
        for share in (0.2, 0.6, 1.0):
            words = rng.choices(vocabulary, k=length)
            pairs.append((' '.join(words), ' '.join(damaged(words, rng, share))))
    for _ in range(60):
        pairs.append(tuple(' '.join(rng.choices(vocabulary[:3], k=rng.randint(1, 12))) for _ in range(2)))
    long = [long_row(seed, lengths, num_symbols, shared) for seed, (lengths, num_symbols, shared) in enumerate([
        ([500, 500], 3, 0), ([2000, 2000], 20, 5), ([2047, 2047], 5, 0), ([2100, 2100], 5, 0), ([3000, 2500], 30, 100), ([64, 70000], 4, 0),
        ([70, 70000], 4, 0), ([70000, 9], 4, 0), ([70000, 70], 4, 0), ([9000, 8000], 500, 0), ([9000, 8000], 2, 0), ([8001, 8003], 3, 3)])]
    write_json(os.path.join(out, 'errors.json'), {
        'about': 'jiwer 4.0.0 on RapidFuzz 3.14.6: hits, substitutions, deletions, insertions',
        'pairs': [pair_row(*pair) for pair in pairs], 'long': long}, ascii_only=True)


def write_spellings(path):
    mapping = json.loads(files('whisper_normalizer').joinpath('normalizers/english.json').read_text(encoding='utf-8'))
    with open(path, 'w', encoding='utf-8') as f:
        f.write('// Made by tools/reference/scoring_goldens.py from openai-whisper\'s english.json (THIRD_PARTY.md).\n// clang-format off\n')
        f.writelines(f'{{U"{british}", U"{american}"}},\n' for british, american in sorted(mapping.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', default=os.path.join(HERE, '..', '..', 'tests', 'golden'))
    out = os.path.join(parser.parse_args().out, 'scoring')
    write_normalised(out)
    write_errors(out)
    write_spellings(os.path.join(HERE, '..', '..', 'src', 'scoring', 'english_spellings.inc'))


if __name__ == '__main__':
    main()
