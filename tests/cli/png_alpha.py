"""Usage: png_alpha.py FILE [red,green,blue]: the opacity of every pixel of a palette image, a line of
numbers per row of pixels; 0 is the background.  Checks every chunk; with a colour, that no visible
pixel has another one.  An independent reader of what the format's specification says."""
import struct
import sys
import zlib

data = sys.stdin.buffer.read() if sys.argv[1] == "-" else open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n", "signature"
at, chunks = 8, []
while at < len(data):
    n, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + n]
    assert struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + body), kind
    chunks.append((kind, body))
    at += 12 + n
assert chunks[-1][0] == b"IEND" and at == len(data), "end"
part = dict(chunks)
width, height, depth, kind, method, filters, interlace = struct.unpack(">IIBBBBB", part[b"IHDR"])
assert (kind, method, filters, interlace) == (3, 0, 0, 0), "a palette image"
colour = [tuple(part[b"PLTE"][i:i + 3]) for i in range(0, len(part[b"PLTE"]), 3)]
alpha = list(part[b"tRNS"]) + [255] * (len(colour) - len(part[b"tRNS"]))
raw = zlib.decompress(b"".join(b for k, b in chunks if k == b"IDAT"))
stride = (width * depth + 7) // 8
assert len(raw) == height * (stride + 1), "pixels"
before = bytearray(stride)
for y in range(height):
    filter_type, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
    for i in range(stride):
        left, up, corner = (line[i - 1] if i else 0), before[i], (before[i - 1] if i else 0)
        guess = left + up - corner
        near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        line[i] = (line[i] + (0, left, up, (left + up) // 2, near)[filter_type]) & 255
    before = line
    index = [(line[x * depth // 8] >> (8 - depth - x * depth % 8)) & ((1 << depth) - 1) for x in range(width)]
    for i in index:
        assert alpha[i] == 0 or len(sys.argv) < 3 or colour[i] == tuple(map(int, sys.argv[2].split(","))), colour[i]
    print(*(alpha[i] for i in index))
