"""Cases of the attention example: cuts, softmax, hysteresis and coherence."""
import struct
from itertools import product
from math import exp, sqrt

from case_files import cases, compact, f32, f64, json_f32, json_f64, sha256


def gating(logits: list[float], n: int, lam: float, eps: float) -> tuple[list[bool], str]:
    """Gates by the cheapest of all cuts; of equally cheap ones, by that nearest to node 0."""
    capacity = [x if x > eps else 0 for x in logits]
    keep = [c > 0 for c in capacity]
    edges = [c for c in capacity if c > 0]
    cost = 0.0
    if not edges or n < 2:
        keep = [False] * (n * n)
    else:
        sides = [[True, *inner, False] for inner in product((False, True), repeat=n - 2)]
        crossing = [[i * n + j for i in range(n) for j in range(n) if side[i] and not side[j]]
                    for side in sides]
        costs = [sum(capacity[e] for e in edges_cut) for edges_cut in crossing]
        best = min(range(len(sides)), key=lambda s: (costs[s], sum(sides[s])))
        cheapest = costs[best]
        if cheapest <= lam * sum(edges) / len(edges):
            cost = cheapest
            for e in crossing[best]:
                keep[e] = False
    mask = compact(keep)
    return keep, (f'{{"keep_mask":{mask},"cut_cost":{json_f32(cost)},"edges_kept":{sum(keep)},'
                  f'"edges_total":{n * n}}}')


def weighted(logits: list[float], keep: list[bool], v: list[float], n: int, d: int) -> list[float]:
    """Returns the rows of softmax over the kept entries, times v."""
    out = []
    for i in range(n):
        weights = [exp(logits[i * n + j]) if keep[i * n + j] else 0 for j in range(n)]
        total = sum(weights) or 1
        out += [sum(weights[j] * v[j * d + c] for j in range(n)) / total for c in range(d)]
    return out


def settings(lam: float, eps: float) -> dict:
    return {"lambda_bits": f32(lam), "eps_bits": f32(eps), "tau": 2}


def attention() -> None:
    graphs = [([2.0], 1, 0.5, 0.0), ([0.0] * 4, 2, 0.5, 0.0), ([4.0, 1.0, 4.0, 4.0], 2, 0.5, 0.0),
              ([4.0, 1.0, 4.0, 4.0], 2, 0.25, 0.0), ([0.0, 2.0, 0.0, 0.0], 2, 1.0, 0.0),
              ([4.0, 1.0, 4.0, 0.5], 2, 0.125, 0.5), ([4.0, 1.0, 4.0, 0.25], 2, 1.0, 0.5),
              ([0.0, 3.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0], 3, 1.0, 0.0),
              # Two paths; the cheapest cut takes the last edge of each.
              ([8.0, 8.0, 8.0, 0.0, -1.0, 8.0, 0.0, 0.5, 0.0, 0.0, 8.0, 0.25, 8.0, 0.0, 0.0, 8.0],
               4, 0.5, 0.0),
              ([1.0, 2.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 2.0, 0.0, 0.0, 1.0, 1.0],
               4, 4.0, 0.125)]
    cases("mincut_gating.jsonl", (
        ({"logits_bits": [f32(x) for x in logits], "seq_len": n, **settings(lam, eps)},
         {"gating_json": gating(logits, n, lam, eps)[1]}) for logits, n, lam, eps in graphs))

    heads = []
    for n, d, q, k, v, lam in [
            (1, 1, [2.0], [1.5], [7.0], 0.5),
            (2, 4, [1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 1.0],
             [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0],
             [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.25, 0.0], 2.0),
            (3, 1, [1.0, -1.0, 0.5], [2.0, 1.0, -2.0], [10.0, 20.0, -30.0], 0.25)]:
        logits = [sum(q[i * d + c] * k[j * d + c] for c in range(d)) / sqrt(d)
                  for i in range(n) for j in range(n)]
        keep, text = gating(logits, n, lam, 0.0)
        heads.append(({"q_bits": [f32(x) for x in q], "k_bits": [f32(x) for x in k],
                       "v_bits": [f32(x) for x in v], "d": d, "seq_len": n, **settings(lam, 0.0)},
                      {"softmax_output": weighted(logits, [True] * (n * n), v, n, d),
                       "mincut_output": weighted(logits, keep, v, n, d), "gating_json": text,
                       "q_hash": sha256(struct.pack(f"<{len(q)}f", *q)),
                       "k_hash": sha256(struct.pack(f"<{len(k)}f", *k))}))
    cases("attn_mincut.jsonl", heads)


def masks() -> None:
    def bits(text: str) -> list[bool]:
        return [c == "1" for c in text]

    # Each step is a mask; an entry flips after tau masks in a row that differ from it.
    cases("hysteresis.jsonl", (
        ({"tau": tau, "masks": [bits(m) for m in raw.split()]},
         {"masks": [bits(m) for m in stable.split()], "step": len(raw.split())})
        for tau, raw, stable in [
            (1, "10 01 11", "10 01 11"), (2, "10 01 01 10 01", "10 10 01 01 01"),
            (3, "0 1 1 0 1 1 1", "0 0 0 0 0 0 1"), (2, "11 00 000 111 111", "11 11 000 000 111")]))

    def delta(cosine: float, flips: int, change: float, distance: float, passes: bool) -> dict:
        return {"delta_json": f'{{"coherence_delta":{json_f64(cosine - 1)},'
                              f'"decision_flips":{flips},'
                              f'"path_length_change":{json_f64(change)}}}',
                "quality_json": f'{{"cosine_sim":{json_f64(cosine)},"l2_dist":{json_f64(distance)},'
                                f'"passes_threshold":{compact(passes)}}}'}

    # Norms are whole numbers: 5, 10, 13.
    cases("coherence_delta.jsonl", (
        ({"a_bits": [f32(x) for x in a], "b_bits": [f32(x) for x in b], "threshold_bits": f64(0.5)},
         delta(*wanted)) for a, b, wanted in [
            ((3, 4), (3, 4), (1, 0, 0, 0, True)), ((3, 4), (6, 8), (1, 0, 1, 5, True)),
            ((3, 4), (-3, -4), (-1, 2, 0, 10, False)),
            ((3, 4), (4, 3), (24 / 25, 0, 0, sqrt(2), True)),
            ((6, 8), (3, -4), (-14 / 50, 1, -0.5, sqrt(153), False)),
            ((5, 12, 0), (0, 0, 13), (0, 0, 0, sqrt(338), False)),
            ((0, 0), (3, 4), (0, 0, 0, 5, False))]))
    cases("coherence_masks.jsonl", (
        ({"a": bits(a), "b": bits(b)},
         {"json": f'{{"jaccard":{json_f64(jaccard)},"edge_flips":{flips},"baseline_edges":'
                  f'{a.count("1")},"gated_edges":{b.count("1")},'
                  f'"sparsity_ratio":{json_f64(ratio)}}}'})
        for a, b, jaccard, flips, ratio in [
            ("", "", 1, 0, 1), ("0000", "0000", 1, 0, 1), ("1111", "1010", 0.5, 2, 0.5),
            ("1100", "0011", 0, 4, 1), ("1000", "1", 1, 0, 1), ("1", "1010", 0.5, 1, 0.5 / 0.75)]))
