"""The weights of an ONNX file as a safetensors file, with Python's standard library alone: for tools/fetch_model.py.

Path: initializers of the graph, f32, little-endian -> renamed -> safetensors, in the order they have there.
Source: onnx.proto3 (ModelProto.graph = 7, GraphProto.initializer = 5, TensorProto: dims = 1, data_type = 2, name = 8,
raw_data = 9) and the protobuf wire format.
"""

import json
import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
GRAPH, INITIALIZER = 7, 5
DIMS, DATA_TYPE, NAME, RAW_DATA = 1, 2, 8, 9
FLOAT = 1


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(field number, value) of a message: numbers as int, everything else as memoryview."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = read_varint(data, at)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(wire)
            if wire == BYTES:
                size, at = read_varint(data, at)
            if size is None or at + size > len(data):
                raise ValueError(f"not an ONNX file: wire type {wire} at byte {at}")
            value, at = data[at:at + size], at + size
        yield number, value


def dims_of(value):
    """Repeated numbers come one by one or packed."""
    if isinstance(value, int):
        return [value]
    dims, at = [], 0
    while at < len(value):
        dim, at = read_varint(value, at)
        dims.append(dim)
    return dims


def initializers(model):
    for graph in (value for number, value in fields(memoryview(model)) if number == GRAPH):
        for tensor in (value for number, value in fields(graph) if number == INITIALIZER):
            shape, parts = [], {}
            for number, value in fields(tensor):
                if number == DIMS:
                    shape += dims_of(value)
                else:
                    parts[number] = value
            yield bytes(parts[NAME]).decode(), parts[DATA_TYPE], shape, bytes(parts.get(RAW_DATA, b""))


def to_safetensors(model, names):
    """`names`: what the file calls a tensor -> what it shall be called; all of them and no others must be there."""
    header, data = {}, b""
    for name, data_type, shape, raw in initializers(model):
        if data_type != FLOAT:
            raise ValueError(f"{name} is of ONNX type {data_type}, expected {FLOAT} (float)")
        header[names[name]] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    if len(header) != len(names):
        raise ValueError(f"has {sorted(header)}, expected {sorted(names.values())}")
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data
