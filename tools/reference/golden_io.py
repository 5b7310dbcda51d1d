"""Files of the goldens: 16-bit wav, safetensors and JSON that is compact but still readable in a diff.

Path: synthetic_audio / tiny_whisper -> whisper_goldens, text_goldens -> here -> tests/golden.
"""
import json
import os
import struct

import numpy as np

SAMPLE_RATE_HZ = 16000


def write_wav(path, samples):
    """Mono 16-bit wav of float samples that are exact multiples of 1/32768."""
    pcm = np.round(np.asarray(samples, np.float64) * 32768).astype('<i2').tobytes()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(b'RIFF' + struct.pack('<I', 36 + len(pcm)) + b'WAVE')
        f.write(b'fmt ' + struct.pack('<IHHIIHH', 16, 1, 1, SAMPLE_RATE_HZ, 2 * SAMPLE_RATE_HZ, 2, 16))
        f.write(b'data' + struct.pack('<I', len(pcm)) + pcm)


def dumps(value, indent=0, width=110, ascii_only=False):
    """JSON with one line for whatever fits in `width`, scalar lists wrapped, everything else broken up."""
    flat = json.dumps(value, ensure_ascii=ascii_only)
    if len(flat) + indent <= width or not isinstance(value, (dict, list)) or not value:
        return flat
    pad = ' ' * (indent + 1)
    if isinstance(value, dict):
        rows = [pad + json.dumps(str(k), ensure_ascii=ascii_only) + ': ' + dumps(v, indent + 1, width, ascii_only)
                for k, v in value.items()]
        return '{\n' + ',\n'.join(rows) + '\n' + ' ' * indent + '}'
    if all(not isinstance(v, (dict, list)) for v in value):
        rows, row = [], ''
        for v in value:
            text = json.dumps(v, ensure_ascii=ascii_only)
            if row and len(pad) + len(row) + len(text) > width:
                rows.append(row)
                row = ''
            row += (', ' if row else '') + text
        return '[\n' + ',\n'.join(pad + r for r in rows + [row]) + '\n' + ' ' * indent + ']'
    return '[\n' + ',\n'.join(pad + dumps(v, indent + 1, width, ascii_only) for v in value) + '\n' + ' ' * indent + ']'


def write_json(path, value, readable=True, ascii_only=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        if readable:
            f.write(dumps(value, ascii_only=ascii_only) + '\n')
        else:
            json.dump(value, f, ensure_ascii=False, separators=(',', ':'))
            f.write('\n')


class Arrays:
    """The arrays of one ref.safetensors, by name; f32 or i32 only."""

    def __init__(self):
        self.by_name = {}

    def put(self, name, value):
        value = np.asarray(value.detach().numpy() if hasattr(value, 'detach') else value)
        dtype = np.int32 if value.dtype.kind in 'iub' else np.float32
        self.by_name[name] = np.ascontiguousarray(value.astype(dtype))

    def shapes(self):
        return {n: [str(a.dtype)] + list(a.shape) for n, a in sorted(self.by_name.items())}

    def save(self, path):
        from safetensors.numpy import save_file
        save_file(self.by_name, path)


def difference(reference, other):
    """Largest absolute and relative L2 distance of two arrays, in float64."""
    a, b = np.asarray(reference, np.float64), np.asarray(other, np.float64)
    return {'max_abs': float(np.abs(a - b).max()),
            'rel_l2': float(np.linalg.norm(a - b) / max(np.linalg.norm(a), 1e-30))}
