"""Makes tests/golden/whisper and tests/golden/audio: tiny seeded Whisper models on disk, and what the real
implementations (openai-whisper, transformers, ctranslate2) compute with them.

  python whisper_goldens.py [--out ../../tests/golden] [--models tiny-80 tiny-128 tiny-en]
  python whisper_goldens.py --scan 1 40 --models tiny-80      # look for seeds whose decisions are clear

Path: tiny_whisper, reduced_vocabulary, synthetic_audio -> here -> tests/golden/whisper/README.md
"""
import argparse
import base64
import importlib.metadata
import json
import os
import shutil
import warnings

os.environ['HF_HUB_OFFLINE'] = os.environ['TRANSFORMERS_OFFLINE'] = '1'
warnings.filterwarnings('ignore')

import numpy as np
import torch
import transformers
import whisper

import rule_vectors
from golden_io import Arrays, SAMPLE_RATE_HZ, difference, write_json, write_wav
from margins import tokenizer_of, watch
from reduced_vocabulary import timestamp_names, write_hf_tokenizer
from synthetic_audio import all_signals
from tiny_whisper import Spec, alignment_heads, make_hf_model, make_openai_model, vocabulary_of

SPECS = {spec.name: spec for spec in (
    Spec('tiny-80', seed=1, timestamp_lift=0.5, eot_lift=6.0, no_speech_lift=15.0),
    Spec('tiny-128', seed=2, num_languages=100, num_mels=128, encoder_layers=3,
         timestamp_lift=0.5, eot_lift=6.0),
    # One small layer each: this model carries every file format.
    Spec('tiny-en', seed=7, multilingual=False, d_model=32, num_heads=1, encoder_layers=1, decoder_layers=1,
         embedding_std=0.6),
)}
# Decisions nearer than this to float noise make a seed unfit.
LEAST_GAP = {'greedy': 1e-3, 'timestamp': 1e-3, 'beam': 1e-4, 'finish': 1e-4, 'language': 1e-3}
ENCODER_ROWS = [*range(64), *range(1436, 1500)]     # positions kept of the encoder's output
SHORT_FRAMES = 400           # of a window that is not padded to 30 s
MEL_FRAMES = [*range(400), 2998, 2999]
FORCED_TEXT = ' Hello world'
PROMPT = ' Some earlier words, then more.'
LONG_PROMPT = 'one of the other ' * 30     # most of the 223 prompt tokens: what is carried must be cut
DECODE_LEN, TRANSCRIBE_LEN = 40, 24                  # sample_len: new tokens of one window


def decode_cases(spec, vocabulary):
    """name -> DecodingOptions of one window; every case also has sample_len."""
    cases = {
        'greedy_text': dict(without_timestamps=True),
        'greedy_time': {},
        'beam5_time': dict(beam_size=5),
        'beam5_text': dict(beam_size=5, without_timestamps=True),
        'beam5_prompt': dict(beam_size=5, prompt=PROMPT, patience=2.0, length_penalty=0.7),
        'beam3_patience': dict(beam_size=3, patience=1.5),
        'greedy_prompt': dict(prompt=PROMPT),
        'greedy_long_prompt': dict(prompt=' '.join('number %d' % i for i in range(90))),
        'greedy_prefix': dict(prefix='and then', without_timestamps=True),
        'greedy_suppress_none': dict(suppress_tokens='', suppress_blank=False, without_timestamps=True),
        'greedy_no_initial_limit': dict(max_initial_timestamp=None),
        'greedy_full_length': dict(sample_len=None),
    }
    if spec.multilingual:
        cases['greedy_translate'] = dict(task='translate')
        cases['greedy_german'] = dict(language='de')
        cases['greedy_detect'] = dict(language=None)
    return cases


def transcribe_cases(spec):
    """name -> arguments of whisper.transcribe on d.wav; thresholds are off where not given."""
    cases = {
        'greedy': {},
        'beam5': dict(beam_size=5),
        'no_condition': dict(condition_on_previous_text=False),
        'initial_prompt': dict(initial_prompt=PROMPT),
        'initial_prompt_once': dict(initial_prompt=PROMPT, condition_on_previous_text=False),
        'carry_prompt': dict(initial_prompt=PROMPT, carry_initial_prompt=True, condition_on_previous_text=False),
        'carry_long_prompt': dict(initial_prompt=LONG_PROMPT, carry_initial_prompt=True),
        'clips': dict(clip_timestamps=[2.0, 9.5, 20.0, 33.0]),
        'clip_open': dict(clip_timestamps=[31.5]),
    }
    if spec.multilingual:
        cases['detect_translate'] = dict(language=None, task='translate')
    return cases


class Case:
    """One model with everything that the goldens need."""

    def __init__(self, spec):
        self.spec, self.vocabulary = spec, vocabulary_of(spec)
        self.tokenizer = self.vocabulary.tokenizer()
        self.hf = make_hf_model(spec, self.vocabulary)
        self.openai = make_openai_model(spec, self.hf)
        self.signals = all_signals()
        self.margins = {}
        self.mel_30s = self.log_mel(whisper.pad_or_trim(torch.from_numpy(self.signals['a'])))

    def log_mel(self, samples, padding=0):
        return whisper.log_mel_spectrogram(samples, self.spec.num_mels, padding=padding)

    def watched(self, name, call):
        with tokenizer_of(self.vocabulary), watch() as smallest:
            result = call()
        for kind, value in smallest.items():
            if value < self.margins.get(kind, (float('inf'),))[0]:
                self.margins[kind] = (value, name)
        return result

    def decode(self, name, options):
        options = {'language': 'en', 'sample_len': DECODE_LEN, **options}
        options = {k: v for k, v in options.items() if not (k == 'sample_len' and v is None)}
        r = self.watched('decode/' + name, lambda: whisper.decode(
            self.openai, self.mel_30s, whisper.DecodingOptions(fp16=False, **options)))
        row = dict(options=options, language=r.language, tokens=r.tokens, text=r.text, avg_logprob=r.avg_logprob,
                   no_speech_prob=r.no_speech_prob, compression_ratio=r.compression_ratio)
        return row

    def transcribe(self, name, arguments):
        arguments = {'language': 'en', 'temperature': 0.0, 'sample_len': TRANSCRIBE_LEN,
                     'compression_ratio_threshold': None, 'logprob_threshold': None, 'no_speech_threshold': None,
                     **arguments}
        r = self.watched('transcribe/' + name, lambda: whisper.transcribe(
            self.openai, self.signals['d'], fp16=False, **arguments))
        keep = ('seek', 'start', 'end', 'temperature', 'avg_logprob', 'no_speech_prob', 'compression_ratio',
                'text', 'tokens')
        segments = [{k: s[k] for k in keep} for s in r['segments']]
        return dict(arguments=arguments, language=r['language'], text=r['text'], segments=segments)

    def language_probabilities(self):
        with tokenizer_of(self.vocabulary):
            token, probabilities = whisper.detect_language(self.openai, self.mel_30s)
        ordered = sorted(probabilities.values())
        self.margins['language'] = (float(np.log(ordered[-1] / ordered[-2])), 'detect_language')
        return int(token), probabilities

    def too_close(self):
        return {k: v for k, v in self.margins.items() if v[0] < LEAST_GAP[k]}


def middle_threshold(values):
    """A value in the widest gap of sorted `values`, so that some are above it and some below."""
    ordered = sorted(set(values))
    if len(ordered) < 2:
        return None
    widest = max(range(len(ordered) - 1), key=lambda i: ordered[i + 1] - ordered[i])
    return float('%.3g' % ((ordered[widest] + ordered[widest + 1]) / 2))


def skip_cases(case, transcripts):
    """Cases whose thresholds are taken from the plain greedy run: some windows are skipped, some are kept."""
    segments = transcripts['greedy']['segments']
    no_speech = middle_threshold([s['no_speech_prob'] for s in segments])
    average = middle_threshold([s['avg_logprob'] for s in segments])
    if no_speech is None:
        return {}
    return {'skip_no_speech': dict(no_speech_threshold=no_speech),
            'skip_unless_likely': dict(no_speech_threshold=no_speech, logprob_threshold=average)}


def front_end_and_encoder(case, arrays, meta):
    spec, hf = case.spec, case.hf
    from transformers import WhisperFeatureExtractor
    features = WhisperFeatureExtractor(feature_size=spec.num_mels)(
        case.signals['a'], sampling_rate=SAMPLE_RATE_HZ, return_tensors='pt').input_features
    mel = case.mel_30s
    meta['noise'] = {'mel_transformers_vs_openai': difference(mel, features[0])}
    if spec.multilingual:
        arrays.put('mel_30s', mel[:, MEL_FRAMES])
        arrays.put('mel_stream', case.log_mel(torch.from_numpy(case.signals['a']), padding=480000)[:, :304])
        d = case.log_mel(torch.from_numpy(case.signals['d']), padding=480000)
        arrays.put('mel_stream_d', d[:, :3800:100])
        meta['mel_stream_frames'] = {'a': len(case.signals['a']) // 160 + 3000, 'd': d.shape[1]}
        c = case.log_mel(torch.from_numpy(case.signals['c']), padding=480000)
        arrays.put('mel_stream_c', c[:, :8])
    encoder = hf.model.encoder
    x = torch.nn.functional.gelu(encoder.conv1(mel[None]))
    arrays.put('conv1', x[0, :, :64].T)
    x = torch.nn.functional.gelu(encoder.conv2(x))
    arrays.put('conv2', x[0, :, :64].T)
    out = encoder(mel[None], output_hidden_states=True)
    for i, state in enumerate(out.hidden_states[:-1]):
        arrays.put('encoder_state_%d' % i, state[0, :64])
    arrays.put('encoder_out', out.last_hidden_state[0, ENCODER_ROWS])
    meta['noise']['encoder_openai_vs_transformers'] = difference(out.last_hidden_state[0],
                                                                 case.openai.encoder(mel[None])[0])
    arrays.put('encoder_out_short', encode_short(case.openai.encoder, mel[None, :, :SHORT_FRAMES])[0, :64])
    return out


def encode_short(encoder, mel):
    """whisper.model.AudioEncoder.forward, which insists on 30 s, with as many positions as there are."""
    x = torch.nn.functional.gelu(encoder.conv1(mel))
    x = torch.nn.functional.gelu(encoder.conv2(x)).permute(0, 2, 1)
    x = x + encoder.positional_embedding[:x.shape[1]]
    for block in encoder.blocks:
        x = block(x)
    return encoder.ln_post(x)


def forced_decoder(case, encoded, arrays, meta):
    """Teacher-forced logits of one id list, every position."""
    tok = case.tokenizer
    ids = list(tok.sot_sequence) + [tok.no_timestamps] + tok.encode(FORCED_TEXT)
    ids = ids[:11] + [tok.timestamp_begin + 100]
    out = case.hf(encoder_outputs=encoded, decoder_input_ids=torch.tensor([ids]), output_hidden_states=True,
                  output_attentions=True)
    arrays.put('forced_ids', np.array(ids, np.int32))
    arrays.put('forced_logits', out.logits[0])
    for i, state in enumerate(out.decoder_hidden_states[:-1]):
        arrays.put('decoder_state_%d' % i, state[0])
    arrays.put('decoder_out', out.decoder_hidden_states[-1][0])
    arrays.put('cross_attention', torch.stack([a[0] for a in out.cross_attentions])[:, :, :, :64])
    openai = case.openai.decoder(torch.tensor([ids]), encoded.last_hidden_state)[0]
    meta['noise']['logits_openai_vs_transformers'] = difference(out.logits[0], openai)
    exact = case.hf.double()
    states = exact.model.encoder(case.mel_30s[None].double())
    logits = exact(encoder_outputs=states, decoder_input_ids=torch.tensor([ids])).logits[0]
    meta['noise']['encoder_f32_vs_f64'] = difference(states.last_hidden_state[0], encoded.last_hidden_state[0])
    meta['noise']['logits_f32_vs_f64'] = difference(logits, out.logits[0])
    case.hf = exact.float()


def alignment(case, encoded, meta):
    """Word times of a fixed text by cross-attention and DTW."""
    from whisper import timing
    text_tokens = case.tokenizer.encode(' Hello world, it is one of the first.')
    frames = len(case.signals['a']) // 160
    words = timing.find_alignment(case.openai, case.tokenizer, text_tokens, case.mel_30s, frames)
    meta['alignment'] = dict(text_tokens=text_tokens, num_frames=frames, words=[
        dict(word=w.word, tokens=list(w.tokens), start=float(w.start), end=float(w.end),
             probability=float(w.probability)) for w in words])


def write_model_folders(case, root):
    spec, vocabulary = case.spec, case.vocabulary
    from transformers import WhisperFeatureExtractor
    hf = os.path.join(root, 'hf')
    early = spec.name == 'tiny-en'                  # float32, and <|endoftext|> only among the added tokens
    # Early releases have no timestamps in tokenizer.json; one model with them is enough.
    write_hf_tokenizer(vocabulary, hf, timestamps_listed=spec.name == 'tiny-80', eot_in_vocab=not early)
    WhisperFeatureExtractor(feature_size=spec.num_mels).save_pretrained(hf)
    strip_filters(os.path.join(hf, 'preprocessor_config.json'))
    case.hf.generation_config.save_pretrained(hf)
    model = case.hf if early else case.hf.half()
    model.save_pretrained(hf)
    case.hf = case.hf.float()
    if early:
        sharded = os.path.join(root, 'hf-sharded')
        case.hf.half().save_pretrained(sharded, max_shard_size='250KB')
        case.hf = case.hf.float()
        os.remove(os.path.join(sharded, 'generation_config.json'))
    return hf


def write_openai_folder(case, root):
    """What openai-whisper's load_model reads: a float16 .pt, and its tokenizer's ranks beside it."""
    folder = os.path.join(root, 'openai')
    os.makedirs(folder, exist_ok=True)
    state = {k: v.half() for k, v in case.openai.state_dict().items()}
    torch.save({'dims': dict(vars(case.openai.dims)), 'model_state_dict': state},
               os.path.join(folder, case.spec.name + '.pt'))
    name = 'multilingual.tiktoken' if case.spec.multilingual else 'gpt2.tiktoken'
    with open(os.path.join(folder, name), 'w') as f:
        for word, rank in case.vocabulary.ranks.items():
            f.write('%s %d\n' % (base64.b64encode(word).decode(), rank))


def strip_filters(path):
    """Early preprocessor_config.json files hold the whole mel filter bank; newer ones do not. Keep it small."""
    with open(path) as f:
        config = json.load(f)
    config.pop('mel_filters', None)
    write_json(path, config)


CT2_FOLDERS = {'tiny-80': ['int8'],
               'tiny-en': ['float32', 'float16', 'bfloat16', 'int8', 'int8_float16', 'int16']}


def ctranslate2_folders(case, hf, root, arrays, meta):
    import ctranslate2
    from ctranslate2.converters import TransformersConverter
    meta['ctranslate2'], spec_name = {}, case.spec.name
    for kind in CT2_FOLDERS.get(spec_name, []):
        folder = os.path.join(root, 'ct2-' + kind)
        first = spec_name == 'tiny-en' and kind in ('float32', 'int8')   # the others have the vocabulary alone
        TransformersConverter(hf, copy_files=['tokenizer.json', 'preprocessor_config.json'] if first else None).convert(
            folder, quantization=kind, force=True)
        vocabulary = os.path.join(folder, 'vocabulary.json')
        with open(vocabulary, encoding='utf-8') as f:
            words = json.load(f)
        write_json(vocabulary, words, readable=False)
        assert len(words) == case.vocabulary.size and words[-1501:] == timestamp_names()
        if spec_name == 'tiny-80':                   # the older form: one word a line, the empty word a blank line
            os.remove(vocabulary)
            with open(os.path.join(folder, 'vocabulary.txt'), 'w', encoding='utf-8') as f:
                f.write(''.join(w + '\n' for w in words))
        compute = kind if kind in ('float32', 'int8') else 'float32'   # the wheel's CPU kernels have no other
        row = {'compute_type': compute, 'bytes': os.path.getsize(os.path.join(folder, 'model.bin'))}
        meta['ctranslate2'][kind] = row
        try:
            model = ctranslate2.models.Whisper(folder, device='cpu', compute_type=compute, intra_threads=1)
        except Exception as error:
            row['not_run'] = str(error)
            continue
        features = ctranslate2.StorageView.from_array(np.ascontiguousarray(case.mel_30s[None].numpy()))
        out = np.array(model.encode(features))
        arrays.put('ct2_%s_encoder_out' % kind, out[0][ENCODER_ROWS])
        row['encoder_vs_float32'] = difference(arrays.by_name['encoder_out'], out[0][ENCODER_ROWS])
        prompt = list(case.tokenizer.sot_sequence) + [case.tokenizer.no_timestamps]
        r = model.generate(features, [prompt], beam_size=1, max_length=len(prompt) + 24, return_scores=True,
                           return_no_speech_prob=True, suppress_blank=True, suppress_tokens=[-1])[0]
        row.update(prompt=prompt, max_length=len(prompt) + 24, greedy_text=r.sequences_ids[0], score=r.scores[0],
                   no_speech_prob=r.no_speech_prob)


def run(spec, out):
    root = os.path.join(out, 'whisper', spec.name)
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    case, arrays = Case(spec), Arrays()
    tok = case.tokenizer
    meta = {'made_by': 'tools/reference/whisper_goldens.py',
            'versions': {n: importlib.metadata.version(n) for n in (
                'openai-whisper', 'transformers', 'ctranslate2', 'torch', 'tiktoken', 'numpy')},
            'spec': vars(spec),
            'vocabulary': {'size': case.vocabulary.size, 'num_ranks': len(case.vocabulary.ranks),
                           **{n: getattr(tok, n) for n in (
                               'eot', 'sot', 'translate', 'transcribe', 'sot_lm', 'sot_prev', 'no_speech',
                               'no_timestamps', 'timestamp_begin')}},
            'sot_sequence': list(tok.sot_sequence), 'non_speech_tokens': list(tok.non_speech_tokens),
            'suppress_tokens': case.hf.generation_config.suppress_tokens,
            'begin_suppress_tokens': case.hf.generation_config.begin_suppress_tokens,
            'alignment_heads': alignment_heads(spec)}
    encoded = front_end_and_encoder(case, arrays, meta)
    forced_decoder(case, encoded, arrays, meta)
    if spec.multilingual:
        token, probabilities = case.language_probabilities()
        meta['detected_language'] = token
        arrays.put('language_probabilities', np.array(list(probabilities.values())))
        meta['language_order'] = list(probabilities)
    alignment(case, encoded, meta)
    meta['decode'] = {n: case.decode(n, o) for n, o in decode_cases(spec, case.vocabulary).items()}
    transcripts = {n: case.transcribe(n, a) for n, a in transcribe_cases(spec).items()}
    for n, a in skip_cases(case, transcripts).items():
        transcripts[n] = case.transcribe(n, a)
    meta['transcribe'] = transcripts
    hf = write_model_folders(case, root)
    if spec.name == 'tiny-en':
        write_openai_folder(case, root)
    ctranslate2_folders(case, hf, root, arrays, meta)
    meta['smallest_margins'] = {k: {'gap': v, 'in': where} for k, (v, where) in sorted(case.margins.items())}
    meta['encoder_out_rows'] = 'positions 0..63 and 1436..1499'
    meta['arrays'] = arrays.shapes()
    arrays.save(os.path.join(root, 'ref.safetensors'))
    write_json(os.path.join(root, 'meta.json'), meta)
    print(spec.name, 'margins', case.margins, 'TOO CLOSE' if case.too_close() else 'ok')
    print(json.dumps(meta['noise'], indent=1))


def scan(spec, first, last):
    """Tries seeds; prints the decisions' smallest gaps, how varied the outputs are, and which seeds are fit."""
    for seed in range(first, last + 1):
        spec.seed = seed
        case = Case(spec)
        if spec.multilingual:
            case.language_probabilities()
        rows = {}
        for name, options in decode_cases(spec, case.vocabulary).items():
            try:
                rows[name] = case.decode(name, options)
            except ZeroDivisionError:               # openai-whisper's ranking of a sequence without tokens
                case.margins['finish'] = (0.0, 'empty sequence in decode/' + name)
            if case.too_close():
                break
        transcripts = {}
        for name, arguments in transcribe_cases(spec).items():
            if case.too_close():
                break
            transcripts[name] = case.transcribe(name, arguments)
        if not case.too_close():
            for name, arguments in skip_cases(case, transcripts).items():
                transcripts[name] = case.transcribe(name, arguments)
        if case.too_close():
            print(seed, 'unfit', case.too_close(), flush=True)
            continue
        greedy = transcripts['greedy']['segments']
        print(seed, 'FIT', {k: round(v[0], 5) for k, v in case.margins.items()},
              'lengths', [len(r['tokens']) for r in rows.values()],
              'distinct', len(set(rows['greedy_time']['tokens'])),
              'with text / segments / windows',
              {n: (sum(bool(s['text']) for s in t['segments']), len(t['segments']),
                   len({s['seek'] for s in t['segments']})) for n, t in transcripts.items()},
              'no_speech', sorted({float('%.3g' % s['no_speech_prob']) for s in greedy}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument('--out', default=os.path.join(here, '..', '..', 'tests', 'golden'))
    parser.add_argument('--models', nargs='+', default=list(SPECS), choices=list(SPECS))
    parser.add_argument('--scan', type=int, nargs=2, metavar=('FIRST', 'LAST'), help='only try these seeds')
    args = parser.parse_args()
    torch.set_grad_enabled(False)
    torch.set_num_threads(1)                        # one order of summation
    transformers.logging.disable_progress_bar()
    if args.scan:
        for name in args.models:
            scan(SPECS[name], *args.scan)
        return
    for name, samples in all_signals().items():
        write_wav(os.path.join(args.out, 'audio', name + '.wav'), samples)
    for name in args.models:
        run(SPECS[name], args.out)
    rule_vectors.write(os.path.join(args.out, 'whisper', 'rules.json'))


if __name__ == '__main__':
    main()
