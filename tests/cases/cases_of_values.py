"""Cases of numbers, statistics, measurements, CSV files and hashes."""
import json
import struct
import sys
from math import inf, nan, sqrt

from case_files import (cases, compact, f32, f64, json_f32, json_f64, plain_f64, quote, sha256,
                        to_f32, write)
from statistics_by_enumeration import pairs, two_samples


def floats() -> None:
    doubles = [0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 2 / 3, 123456.789, 1e15, 9999999999999998.0, 1e16,
               1.25e16, 1e-4, 1e-5, 9.5e-6, 1.5e-7, 2.0**53, 2.0**63, 2.0**-1074, 2.0**-1022,
               sys.float_info.max, 5e300, 0.3, 0.1 + 0.2, nan, inf, -inf]
    cases("float_f64.jsonl", (({"f64_bits": f64(x)},
                               {"json_serde_json_145": json_f64(x), "display": plain_f64(x)})
                              for x in doubles))
    singles = [0.0, -0.0, 1.0, -2.5, 0.1, 1 / 3, 16777216.0, 1e12, 1e13, 1.5e13, 1e-5, 1e-6, 9e-7,
               2.0**-149, 2.0**-126, 2.0**127, 3.25e20, nan, inf]
    cases("float_f32.jsonl", (({"f32_bits": f32(x)}, {"json_serde_json_145": json_f32(to_f32(x))})
                              for x in singles))
    # Long digits, digits halfway between two doubles, and one more digit to either side of these.
    texts = ["0.1", "123.456789012345678", "9007199254740993", "9007199254740992.9999999",
             "9007199254740993.0000001", "2.2250738585072011e-308", "2.2250738585072014e-308",
             "4.9406564584124654e-324", "2.4703282292062328e-324", "1.7976931348623157e308",
             "1.00000000000000011102230246251565404", "1.000000000000000111022302462515654042",
             "1.00000000000000011102230246251565404236316680908203125",
             "1.000000000000000111022302462515654042363166809082031250001", "8.41e21", "5e-20",
             "67e14", "985e15", "7.3177701707893310e15", "3.1415926535897932385"]
    write("number_parse_quirk.jsonl", ({"input": {"text": t}, "correct_bits": f64(float(t))}
                                       for t in texts))


def statistics() -> None:
    four = [5.0, 1.0, 3.0, 2.0]
    cases("percentile_linear.jsonl", (
        ({"xs_bits": [f64(x) for x in xs], "q_bits": f64(q)}, {"bits": f64(wanted)})
        for xs, q, wanted in [([], 0.5, 0), ([7.5], 0, 7.5), ([7.5], 1, 7.5), (four, 0, 1),
                              (four, 1, 5), (four, 0.5, 2.5), (four, 0.25, 1.75), (four, 0.75, 3.5),
                              ([4.0, 0.0], 0.125, 0.5), ([-8.0, 8.0, 0.0], 0.25, -4),
                              ([9.0] * 5, 0.375, 9)]))
    # Four and sixteen values: the division by their root is exact. 3.182 and 2.131 are Student's t.
    cases("scalar_stats.jsonl", (
        ({"xs_bits": [f64(x) for x in xs]}, {"bits": [f64(v) for v in wanted]})
        for xs, wanted in [([], (0, 0, 0)), ([3.25], (3.25, 0, 0)), ([1.0, 3.0], (2, sqrt(2), 0)),
                           ([0.5] * 5, (0.5, 0, 0)),
                           ([1.0, 2.0, 2.0, 3.0], (2, sqrt(2 / 3), 3.182 * sqrt(2 / 3) / 2)),
                           ([-15.0, 15.0] * 8, (0, sqrt(240), 2.131 * sqrt(240) / 4))]))
    cases("latency_stats.jsonl", (
        ({"wall_time_us": xs}, {"n": len(xs), "p50_us": p50, "p95_us": p95, "p99_us": p99,
                                "mean_bits": f64(mean), "std_bits": f64(std)})
        for xs, p50, p95, p99, mean, std in [
            ([], 0, 0, 0, 0, 0), ([8], 8, 8, 8, 8, 0), ([3, 1], 1, 3, 3, 2, 1),
            ([9, 7, 5, 5, 4, 4, 4, 2], 4, 9, 9, 5, 2), ([6] * 3, 6, 6, 6, 6, 0),
            (list(range(100, 0, -1)), 50, 95, 99, 50.5, sqrt(833.25)),
            ([0] * 99 + [100], 0, 0, 0, 1, sqrt(99))]))
    top = 2**64 - 1
    cases("latency_overflow_quirk.jsonl", (
        ({"wall_time_us": xs}, {"p99_us": max(xs)})
        for xs in [[top, 1], [top, top, top], [2**63] * 4]))
    write("promise.jsonl", [
        pairs("all above", [10, 20, 40, 80, 10, 20], [11, 23, 43, 89, 12, 22.5], 0.0),
        pairs("both signs, a tolerance", [50, 51, 49, 52, 48, 50, 53, 47],
              [52, 50, 51, 55, 50.5, 49, 54, 50], 0.02),
        pairs("equal pairs weigh nothing", [8, 8, 8, 8, 8, 8, 8], [9, 8, 8.5, 8.75, 9.5, 8.25, 8],
              0.0),
        pairs("too few for an interval", [3, 4, 5, 6], [4, 6, 6, 8.5], 0.0),
        two_samples("the smallest samples", [20, 22, 21, 23.5], [25, 24, 27, 26.5], 0.0),
        two_samples("unequal sizes", [100, 104, 99, 103, 98.5], [106, 101, 107, 102, 108, 100.5],
                    0.01),
        two_samples("an outlier", [10, 10.5, 30, 9.5, 10.25, 9.75], [11, 11.5, 10.5, 11.25, 10.75],
                    0.0),
        two_samples("a rising series", [10, 11, 12, 13, 14, 15], [16, 17, 18, 19, 20, 21], 0.0),
    ])


def measurements() -> None:
    def sample(at: int, watts: float) -> dict:
        return {"timestamp_us": at, "watts_bits": f64(watts)}

    second = 1000000
    cases("energy.jsonl", (
        ({"samples": [sample(at, w) for at, w in xs]},
         {"bits": [f64(v) for v in (joules, mean, peak, duration)], "samples": len(xs)})
        for xs, joules, mean, peak, duration in [
            ([], 0, 0, 0, 0), ([(5, 2.5)], 0, 2.5, 2.5, 0),
            ([(0, 8.0), (2 * second, 8.0)], 16, 8, 8, 2),
            ([(second, 0.0), (2 * second, 4.0), (4 * second, 4.0)], 10, 8 / 3, 4, 3),
            ([(0, 1.0), (500000, 3.0), (500000, 5.0)], 1, 3, 5, 0.5)]))
    cases("vmrss_parse.jsonl", (({"text": text}, {"rss_bytes": kib * 1024}) for text, kib in [
        ("", 0), ("VmRSS:\t    2048 kB\n", 2048), ("Name:\ta\nVmPeak:\t9 kB\nVmRSS:\t7 kB\n", 7),
        ("VmRSS:\t3 kB", 3), ("VmRSS:\t x kB\n", 0), ("VmRSS:\t3 4 kB\n", 0),
        ("xVmRSS:\t3 kB\n", 0),
        ("VmRSS:\t18446744073709551615 kB\n", 0), ("VmRSS:\t18014398509481983 kB\n", 2**54 - 1)]))

    def snapshot(rss: int, cache: int, activation: int) -> dict:
        return {"peak_rss_bytes": rss, "kv_cache_bytes": cache, "activation_bytes": activation}

    def report(label: str, peak: int, mean: int, cache: int, activation: int) -> dict:
        return {"report_json": json.dumps(
            {"label": label, "peak_rss": peak, "mean_rss": mean, "kv_cache_total": cache,
             "activation_total": activation}, separators=(",", ":"), ensure_ascii=False)}

    cases("memory_report.jsonl", [
        ({"label": "", "snapshots": []}, report("", 0, 0, 0, 0)),
        ({"label": "a\\\té", "snapshots": [snapshot(9, 2, 3)]}, report("a\\\té", 9, 9, 2, 3)),
        ({"label": "x", "snapshots": [snapshot(10, 1, 4), snapshot(40, 2, 5), snapshot(21, 3, 6)]},
         report("x", 40, 23, 6, 15))])


def table(head: str, rows: list[dict], texts: list[str]) -> tuple[dict, dict]:
    return {"rows": rows}, {"file": "".join(line + "\n" for line in [head] + texts)}


def csv() -> None:
    head = "sample_id,wall_time_us,kernel_time_us,seq_len"
    top = 2**64 - 1
    cases("csv_latency.jsonl", (
        table(head, [dict(zip(head.split(","), row)) for row in rows],
              [",".join(map(str, row)) for row in rows])
        for rows in ([], [(0, 0, 0, 0)], [(1, 2, 3, 4), (top, top - 1, 7, 8)])))
    head = "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes"
    cases("csv_memory.jsonl", (
        table(head, [dict(zip(head.split(","), row)) for row in rows],
              [",".join(map(str, row)) for row in rows])
        for rows in ([], [(1, 2, 3, 4, 5)], [(top, 0, top, 0, 1), (6, 7, 8, 9, 10)])))
    head = ("setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,"
            "p95_latency_us,accuracy")
    names = [n if n in ("setting", "p95_latency_us") else n + "_bits" for n in head.split(",")]
    rows = [("plain", "plain", (0.5, -0.25, 0.125, 0.0), 12, 1.0),
            ("", "", (-0.0, 1e16, 1e-7, 0.1), 0, 1 / 3),
            ("a,b", '"a,b"', (nan, inf, -inf, 2.0), 1, 0.0),
            ('say "x"', '"say ""x"""', (1e300, 5e-324, 3.0, -1.0), top, 0.75),
            ("two\nlines", '"two\nlines"', (1.0, 1.0, 1.0, 1.0), 2, 1.0),
            ("é ü", "é ü", (0.0, 0.0, 0.0, 0.0), 3, 0.0)]
    cases("csv_results.jsonl", (
        table(head, [dict(zip(names, [s, *map(f64, four), p95, f64(last)]))],
              [",".join([quoted, *map(plain_f64, four), str(p95), plain_f64(last)])])
        for s, quoted, four, p95, last in rows))


def config_json(commit: str, weights: str, lam: float, tau: int, eps: float, flags: str) -> dict:
    text = (f'{{"model_commit":{quote(commit)},"weights_hash":{quote(weights)},'
            f'"lambda":{json_f32(to_f32(lam))},"tau":{tau},"eps":{json_f32(to_f32(eps))},'
            f'"compiler_flags":{quote(flags)}}}')
    return {"json": text, "sha256": sha256(text.encode())}


def hashes() -> None:
    configs = [("", "", 0.0, 0, 0.0, ""), ("c0ffee", "feed", 0.25, 3, 0.001, "-O2 -g"),
               ('quo"te', "back\\slash", 1e20, 2**64 - 1, 1e-9, "tab\tline\n"),
               ("é", "\x01", -0.0, 1, 1 / 3, "\u20ac\U0001f600")]
    names = ("model_commit", "weights_hash", "compiler_flags")
    cases("config_hash_fields.jsonl", (
        ({**dict(zip(names, (c[0], c[1], c[5]))), "lambda_bits": f32(c[2]), "tau": c[3],
          "eps_bits": f32(c[4])}, config_json(*c)) for c in configs))
    good = ('{ "tau":7, "eps":2.5e-1, "extra":[1], "lambda":3, "compiler_flags":"\\u0041",'
            ' "weights_hash":"w", "model_commit":"m" }')
    cases("config_hash_json.jsonl", [
        ({"text": good}, {"ok": True, **config_json("m", "w", 3, 7, 0.25, "A")}),
        ({"text": good.replace('"tau":7, ', "")}, {"ok": False}),
        ({"text": good.replace('"tau":7', '"tau":7.5')}, {"ok": False}),
        ({"text": good.replace('"m"', "null")}, {"ok": False}),
        ({"text": good + "x"}, {"ok": False}), ({"text": ""}, {"ok": False})])
    cases("hash_tensor.jsonl", (
        ({"f32_bits": [f32(x) for x in xs]}, {"sha256": sha256(struct.pack(f"<{len(xs)}f", *xs))})
        for xs in ([], [-0.0], [1.5, -2.25, 1e-40], [float(i) for i in range(40)])))
    entries = [("q", "k", [], 0.0, 0.5, 0, 0.01, 0), ("é\"", "\\", [True], 1e13, 1e-7, 9, 0.0, 1),
               ("aa", "bb", [True, False, False], 1 / 3, -0.0, 2**64 - 1, 16777216.0, 2**64 - 1)]
    cases("witness_log.jsonl", (
        ({"q_hash": q, "k_hash": k, "keep_mask": mask, "cut_cost_bits": f32(cost),
          "lambda_bits": f32(lam), "tau": tau, "eps_bits": f32(eps), "timestamp": at},
         {"line": f'{{"q_hash":{quote(q)},"k_hash":{quote(k)},"keep_mask":'
                  f'{compact(mask)},"cut_cost":{json_f32(to_f32(cost))},'
                  f'"lambda":{json_f32(to_f32(lam))},"tau":{tau},"eps":{json_f32(to_f32(eps))},'
                  f'"timestamp":{at}}}'})
        for q, k, mask, cost, lam, tau, eps, at in entries))
