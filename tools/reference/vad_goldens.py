"""Makes tests/golden/vad: what Silero's ONNX model hears in some clips, and the spans its Python makes of probabilities.

  python vad_goldens.py [--out ../../tests/golden]

Path: silero-vad's silero_vad.onnx and get_speech_timestamps_from_probs -> here -> tests/golden/vad/{ref.safetensors,spans.json}
The clips: those of tests/golden/audio, vad/librivox.wav (2.99 s of a public-domain LibriVox recording: "Sense and
Sensibility", chapter 1, as pocketsphinx-testdata has it) and signals that the test makes again from the same numbers.
"""
import argparse
import itertools
import os
import wave

import numpy as np
import onnxruntime
import silero_vad
from silero_vad.utils_vad import get_speech_timestamps_from_probs

from golden_io import Arrays, write_json

CHUNK_SAMPLES = 512
CONTEXT_SAMPLES = 64


def load_session():
    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = options.intra_op_num_threads = 1
    path = os.path.join(os.path.dirname(silero_vad.__file__), 'data', 'silero_vad.onnx')
    return onnxruntime.InferenceSession(path, sess_options=options, providers=['CPUExecutionProvider'])


def probabilities(session, samples):
    """As silero_vad's OnnxWrapper.audio_forward does it."""
    state = np.zeros((2, 1, 128), np.float32)
    context = np.zeros((1, CONTEXT_SAMPLES), np.float32)
    out = []
    for begin in range(0, len(samples), CHUNK_SAMPLES):
        chunk = samples[begin:begin + CHUNK_SAMPLES]
        chunk = np.pad(chunk, (0, CHUNK_SAMPLES - len(chunk)))[None]
        x = np.concatenate([context, chunk], axis=1).astype(np.float32)
        probability, state = session.run(None, {'input': x, 'state': state, 'sr': np.array(16000, np.int64)})
        context = x[:, -CONTEXT_SAMPLES:]
        out.append(probability[0, 0])
    return np.array(out, np.float32)


def load_wav(path):
    with wave.open(path) as f:
        return np.frombuffer(f.readframes(f.getnframes()), '<i2').astype(np.float32) / 32768


def noise(num_samples, amplitude):
    """White noise from a 32-bit linear congruence (Numerical Recipes), so that the test has the same samples."""
    samples, x = np.empty(num_samples, np.float32), 1
    for i in range(num_samples):
        x = (x * 1664525 + 1013904223) % 2 ** 32
        samples[i] = (x >> 16) / 32768 - 1
    return samples * np.float32(amplitude)


def clips(golden):
    audio = {name: load_wav(os.path.join(golden, 'audio', name + '.wav')) for name in 'acd'}
    librivox = load_wav(os.path.join(golden, 'vad', 'librivox.wav'))
    return {
        **audio,
        'librivox': librivox,
        'librivox_whole_chunks': librivox[:40 * CHUNK_SAMPLES],
        'librivox_quiet': librivox * np.float32(1 / 256),
        'librivox_loud': librivox * np.float32(64),
        'silence': np.zeros(16000, np.float32),
        'noise': noise(16000, 0.25),
        'one_sample': np.full(1, 0.5, np.float32),
    }


def walk(rng, size, restlessness):
    """Probabilities that linger at both ends and cross the thresholds often; some lie on a threshold exactly."""
    logit, out = -2.0, []
    for _ in range(size):
        logit = 0.93 * logit + restlessness * rng.standard_normal()
        out.append(1 / (1 + np.exp(-logit)))
    out = np.array(out, np.float32)
    at = rng.integers(0, size, size // 20)
    out[at] = rng.choice(np.array([0.5, 0.35, 0.65], np.float32), len(at))
    return out


OPTIONS = [
    {},
    {'threshold': 0.65},
    {'threshold': 0.1},
    {'threshold': 0.5, 'neg_threshold': 0.5},
    {'neg_threshold': 0.05},
    {'min_speech_ms': 0, 'min_silence_ms': 0, 'speech_pad_ms': 0},
    {'min_silence_ms': 2000, 'speech_pad_ms': 400},
    {'min_silence_ms': 160, 'speech_pad_ms': 400, 'min_speech_ms': 0},
    {'min_silence_ms': 0, 'speech_pad_ms': 1000},
    {'max_speech_s': 5},
    {'max_speech_s': 2.5, 'min_silence_ms': 2000, 'speech_pad_ms': 400},
    {'max_speech_s': 3, 'min_silence_ms': 500, 'min_pause_ms': 0},
    {'max_speech_s': 0.01},
    {'max_speech_s': 30, 'min_silence_ms': 300, 'min_pause_ms': 500},
]
PYTHON_NAMES = {'threshold': 'threshold', 'neg_threshold': 'neg_threshold', 'min_speech_ms': 'min_speech_duration_ms',
                'min_silence_ms': 'min_silence_duration_ms', 'speech_pad_ms': 'speech_pad_ms',
                'max_speech_s': 'max_speech_duration_s', 'min_pause_ms': 'min_silence_at_max_speech'}


def spans(values, num_samples, options):
    # float(): the reference sees doubles, tensor.item().
    found = get_speech_timestamps_from_probs([float(v) for v in values], audio_length_samples=num_samples,
                                             **{PYTHON_NAMES[k]: v for k, v in options.items()})
    return [[span['start'], span['end']] for span in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument('--out', default=os.path.join(here, '..', '..', 'tests', 'golden'))
    golden = parser.parse_args().out
    session, arrays, rng = load_session(), Arrays(), np.random.default_rng(5)
    tracks = {}
    for name, samples in clips(golden).items():
        arrays.put(name, probabilities(session, samples))
        tracks[name] = len(samples)
    for i, (size, restlessness) in enumerate([(700, 0.8), (700, 2.0), (300, 0.3), (120, 3.0)]):
        name = 'walk_%d' % i
        arrays.put(name, walk(rng, size, restlessness))
        tracks[name] = size * CHUNK_SAMPLES - (i * 97) % CHUNK_SAMPLES
    cases = []
    for name, options in itertools.product(('a', 'd', 'librivox', 'silence') + tuple(n for n in tracks if 'walk' in n), OPTIONS):
        cases.append({'probabilities': name, 'num_samples': tracks[name], 'options': options,
                      'spans': spans(arrays.by_name[name], tracks[name], options)})
    arrays.save(os.path.join(golden, 'vad', 'ref.safetensors'))
    write_json(os.path.join(golden, 'vad', 'spans.json'), {
        'about': 'silero-vad 6.2.3: get_speech_timestamps_from_probs of arrays in ref.safetensors; samples at 16 kHz',
        'cases': cases})


if __name__ == '__main__':
    main()
