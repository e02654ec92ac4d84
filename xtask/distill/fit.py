"""Fits the rows of the table on pairs of a comment and the code behind it.

Both are bags of rows; each points where the sum of its rows does. The rows are moved so that a
comment points to its own code more than to the code of the other pairs of its batch.
"""

import numpy as np

BATCH = 1024
TURNS = 8
RATE = 0.02
SHARPNESS = 20.0
# How much of a comment and of code is left out at random, so that no single word decides.
DROP = 0.1
# How much of a comment that its code says with the same word: BM25 finds that without us, so the
# rows learn what different words have in common.
DROP_SAME = 0.5


def read(path):
    """A pair a line: the rows of the comment and those of the code, as `row:weight`, with a tab
    between them. Gives for each side the rows, their weights and where each pair begins."""
    sides = ([], [], [0]), ([], [], [0])
    with open(path) as lines:
        for line in lines:
            for side, text in zip(sides, line.rstrip("\n").split("\t")):
                for entry in text.split():
                    row, weight = entry.split(":")
                    side[0].append(int(row))
                    side[1].append(float(weight))
                side[2].append(len(side[0]))
    return [
        (np.array(r, np.int32), np.array(w, np.float32), np.array(s, np.int64)) for r, w, s in sides
    ]


def same(comments, codes, rows):
    """For each row of each comment whether it is in the code too."""

    def keys(side):
        owner = np.repeat(np.arange(len(side[2]) - 1), np.diff(side[2]))
        return owner * rows + side[0]

    return np.isin(keys(comments), keys(codes))


def bags(side, chosen, rng, shared=None):
    """The rows, weights and pair numbers of the chosen pairs."""
    rows, weights, starts = side
    lengths = starts[chosen + 1] - starts[chosen]
    owner = np.repeat(np.arange(len(chosen)), lengths)
    offset = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    at = starts[chosen][owner] + offset
    drop = DROP if shared is None else np.where(shared[at], DROP_SAME, DROP)
    kept = rng.random(len(at)) >= drop
    return rows[at][kept], weights[at][kept], owner[kept]


def add_up(table, bag, count):
    rows, weights, owner = bag
    sums = np.zeros((count, table.shape[1]), np.float32)
    # Sorted by pair, so that a sum over runs does it.
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    sums[owner[starts]] = np.add.reduceat(table[rows] * weights[:, None], starts)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-6
    return sums / lengths, lengths


def down(table, bag, unit, lengths, slope):
    """The slope of the rows from the slope of the directions."""
    inner = (slope - unit * (slope * unit).sum(1, keepdims=True)) / lengths
    rows, weights, owner = bag
    order = np.argsort(rows, kind="stable")
    rows, values = rows[order], (inner[owner] * weights[:, None])[order]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    return rows[starts], np.add.reduceat(values, starts)


def fit(table, path, turns=TURNS, log=print):
    table = table.astype(np.float32).copy()
    # One scale for all: rows of frequent words stay short.
    table /= np.linalg.norm(table, axis=1).mean()
    comments, codes = read(path)
    shared = same(comments, codes, len(table))
    pairs = len(comments[2]) - 1
    rng = np.random.default_rng(1)
    moment, square = np.zeros_like(table), np.zeros(len(table), np.float32)
    steps, total = 0, turns * (pairs // BATCH)
    for turn in range(turns):
        order, losses = rng.permutation(pairs), []
        for at in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[at : at + BATCH]
            left, right = bags(comments, chosen, rng, shared), bags(codes, chosen, rng)
            a, a_len = add_up(table, left, BATCH)
            b, b_len = add_up(table, right, BATCH)
            scores = SHARPNESS * (a @ b.T)
            own = np.arange(BATCH)

            def share(s, axis):
                s = np.exp(s - s.max(axis, keepdims=True))
                return s / s.sum(axis, keepdims=True)

            rowwise, columnwise = share(scores, 1), share(scores, 0)
            losses.append(-np.log(rowwise[own, own] + 1e-9).mean())
            slope = rowwise + columnwise
            slope[own, own] -= 2
            slope *= SHARPNESS / (2 * BATCH)
            grad = np.zeros_like(table)
            touched = np.zeros(len(table), bool)
            for bag, unit, length, part in ((left, a, a_len, slope @ b), (right, b, b_len, slope.T @ a)):
                rows, values = down(table, bag, unit, length, part)
                grad[rows] += values
                touched[rows] = True
            # Adam, only for the rows that are there; one step size a row.
            steps += 1
            rate = RATE * (1 - steps / total)
            rows = np.flatnonzero(touched)
            moment[rows] = 0.9 * moment[rows] + 0.1 * grad[rows]
            square[rows] = 0.99 * square[rows] + 0.01 * (grad[rows] ** 2).mean(1)
            step = moment[rows] / (np.sqrt(square[rows] / (1 - 0.99**steps)) + 1e-8)[:, None]
            table[rows] -= rate * step / np.sqrt(table.shape[1]) * 4
        log(f"turn {turn + 1}: loss {np.mean(losses):.4f}", flush=True)
    return table
