"""Statistics of two programs computed directly from their definitions.

Every distribution is enumerated: all signs of the pairs, all orders of two samples. src/kit/stats
counts and inverts instead, so equal results confirm both. flip.h and session.h define the methods.
"""
from itertools import combinations, product
from math import atan, comb, copysign, cos, exp, log, pi, sqrt
from statistics import NormalDist, median
from typing import Callable, Optional


def bisect(low: float, high: float, is_low: Callable[[float], bool]) -> float:
    """Returns the place between low and high where is_low changes from true to false."""
    for _ in range(200):
        middle = (low + high) / 2
        if is_low(middle):
            low = middle
        else:
            high = middle
    return low


def scores(e: list[float]) -> list[float]:
    """Returns the size of each difference relative to their median, at most 1.5, with its sign."""
    sizes = [abs(x) for x in e if abs(x) > 1e-12]
    scale = median(sizes) if sizes else 1
    return [copysign(min(abs(x) / scale, 1.5), x) if abs(x) > 1e-12 else 0 for x in e]


def flip_tails(e: list[float]) -> tuple[float, float, list[int]]:
    """Returns P(S >= T), P(S <= T) over all signs, and the weights."""
    signed = scores(e)
    weights = [round(16 * abs(s)) for s in signed]
    reached = sum(w for w, s in zip(weights, signed) if s > 0)
    sums = [sum(w for w, c in zip(weights, coins) if c) for coins in product((0, 1), repeat=len(e))]
    return (
        sum(s >= reached for s in sums) / len(sums),
        sum(s <= reached for s in sums) / len(sums),
        weights,
    )


def pairs(name: str, a: list[float], b: list[float], tolerance: float) -> dict:
    """Returns the case of interleaved pairs."""
    d = [log(y / x) for x, y in zip(a, b)]
    wide = max(d) - min(d) + 1
    above, below, weights = flip_tails([x - log(1 + tolerance) for x in d])
    estimate = bisect(min(d), max(d), lambda c: sum(scores([x - c for x in d])) > 0)
    low: Optional[float] = 0
    high: Optional[float] = None
    if 2 ** -len(d) <= 0.025:
        low = exp(bisect(min(d) - wide, estimate,
                         lambda c: flip_tails([x - c for x in d])[0] <= 0.025))
        high = exp(bisect(estimate, max(d) + wide,
                          lambda c: flip_tails([x - c for x in d])[1] > 0.025))
    return {"kind": "pairs", "name": name, "a": a, "b": b, "tolerance": tolerance,
            "weights": weights, "p_above": above, "p_below": below,
            "p_above_1": flip_tails(d)[0], "estimate": exp(estimate), "low": low, "high": high}


def t4_above(x: float) -> float:
    """Returns P(t > x) with 4 degrees of freedom, by Simpson's rule over the angle."""
    start, steps = atan(x / 2), 2000  # x = 2 tan(angle): the density becomes 3/4 cos^3
    width = (pi / 2 - start) / steps
    total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * cos(start + i * width) ** 3
                for i in range(steps + 1))
    return 0.75 * total * width / 3


def lag1(x: list[float]) -> float:
    """Returns the correlation of neighbours, of clipped logarithms."""
    logs = [log(v) for v in x]
    middle = median(logs)
    away = [abs(v - middle) for v in logs]
    most = 3 * 1.4826 * (median(away) or sum(away) / len(away))
    clipped = [max(-most, min(most, v - middle)) for v in logs]
    mean = sum(clipped) / len(clipped)
    c = [v - mean for v in clipped]
    squares = sum(v * v for v in c)
    return sum(v * w for v, w in zip(c, c[1:])) / squares if squares else 0


def trend(x: list[float]) -> float:
    """Returns Kendall's S against time, divided by its standard deviation."""
    n = len(x)
    s = sum((q > p) - (q < p) for p, q in combinations(x, 2))
    return s / sqrt(n * (n - 1) * (2 * n + 5) / 18)


def below_rank(m: int, n: int) -> int:
    """Returns the largest k such that 2 P(U < k) is at most 0.05 over all orders of two samples."""
    sums = [sum(places) - m * (m - 1) // 2 for places in combinations(range(m + n), m)]
    k = 0
    while 2 * sum(s < k + 1 for s in sums) <= 0.05 * comb(m + n, m):
        k += 1
    return k


def two_samples(name: str, a: list[float], b: list[float], tolerance: float) -> dict:
    """Returns the case of two sessions that were not interleaved."""
    session = 0.026
    m, n = len(a), len(b)
    d = sorted(log(y / x) for x in a for y in b)
    k = below_rank(m, n)
    sums = [sum(places) - m * (m - 1) // 2 for places in combinations(range(m + n), m)]
    level = 1 - 2 * sum(s < k for s in sums) / len(sums)
    se = (d[-k] - d[k - 1]) / 2 / NormalDist().inv_cdf(1 - (1 - level) / 2)
    size = min(m, n)
    rho = min(0.95, max(0, ((lag1(a) + lag1(b)) / 2 + 1 / size) / (1 - 3 / size)))
    inflation = (1 + rho) / (1 - rho)
    scale = sqrt(se * se * inflation + session * session)
    cut = scale * bisect(0, 100, lambda t: t4_above(t) > 0.025)
    z = (trend(a) + trend(b)) / sqrt(2)
    return {"kind": "two_samples", "name": name, "a": a, "b": b, "tolerance": tolerance,
            "session": session, "estimate": exp(median(d)), "level": level, "lag1_a": lag1(a),
            "lag1_b": lag1(b), "rho": rho, "inflation": inflation,
            "p_above": t4_above((median(d) - log(1 + tolerance)) / scale),
            "low": exp(median(d) - cut), "high": exp(median(d) + cut), "trend_z": z,
            "refused": rho >= 0.7 or z >= 1.5}
