#!/bin/sh
# formats.sh TACHO: reads the formats for CI systems and Prometheus with independent parsers.
set -u
# shellcheck source=SCRIPTDIR/../run/lib.sh
. "$(dirname "$0")/../run/lib.sh"
need jq python3

# A command line with every character that is special in some format.
run 1 -n 6 --allow-nonzero --name a --metric 'n=([0-9]+)' -- sh -c 'echo 7; exit 3' '<&">'
run 0 -n 6 --name b --metric 'n=([0-9]+)' -- echo 7
first="tacho-out/a/latest"

"$tacho" report -f junit -o junit.xml "$first" tacho-out/b/latest || fail "no JUnit"
"$tacho" report -f csv -o samples.csv "$first" || fail "no CSV"
"$tacho" report -f html -o both.html "$first" tacho-out/b/latest || fail "no HTML"
"$tacho" report -f prometheus -o metrics "$first" tacho-out/b/latest || fail "no Prometheus"
python3 - <<'END' || exit 1
import csv, html.parser, re, sys, xml.etree.ElementTree as tree

suite = tree.parse("junit.xml").getroot()
cases = suite.findall("testcase")
assert suite.tag == "testsuite" and suite.get("tests") == "2" and suite.get("failures") == "1"
assert [c.get("name") for c in cases] == ["a", "b"]
assert cases[0].find("failure").get("message") == "6 of 6 runs failed"
assert cases[1].find("failure") is None and float(cases[1].get("time")) > 0
assert "wall time:" in cases[1].find("system-out").text

rows = list(csv.DictReader(open("samples.csv", newline="")))
assert len(rows) == 6 and all(int(r["wall_ns"]) > 0 for r in rows)

class Page(html.parser.HTMLParser):
    """Every element is closed by its own name."""
    void = {"meta", "br", "path", "circle", "rect", "i"}
    def __init__(self):
        super().__init__()
        self.open, self.texts, self.sections = [], [], 0
    def handle_starttag(self, tag, attrs):
        self.sections += tag == "section"
        if tag not in self.void:
            self.open.append(tag)
    def handle_endtag(self, tag):
        if tag not in self.void:
            assert self.open and self.open.pop() == tag, (tag, self.getpos())
    def handle_data(self, data):
        self.texts.append(data)

page = Page()
page.feed(open("both.html").read())
page.close()
assert page.open == [] and page.sections == 3
for text in ("Fastest: b", "a is not compared: no run of it succeeded", "Medians side by side"):
    assert text in page.texts, text
assert any(t.endswith("""'<&">'""") for t in page.texts)

name = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
line = re.compile(rf"({name})\{{{label}(?:,{label})*\}} (-?[0-9.e+-]+|NaN|[+-]Inf)")
typed, families = set(), []
for text in open("metrics").read().splitlines():
    if text.startswith("# TYPE "):
        family = text.split()[2]
        assert family not in typed, "a family stands in two places"
        typed.add(family)
    elif not text.startswith("# HELP "):
        match = line.fullmatch(text)
        assert match and match[1] in typed, text
        families.append(match[1])
assert "tacho_run_wall_seconds" in typed and "tacho_metric_n" in typed
assert families == sorted(families, key=families.index), "values of a family do not stand together"
END
if command -v promtool >/dev/null; then
    promtool check metrics <./metrics || fail "promtool rejects it"
else
    echo "promtool is not installed: that part is left out"
fi

# Only the newest of several runs of one name is written, because a gauge has one value.
run 0 -n 6 --name again --metric 'my_metric=v([0-9]+)' --power-source fixed:3 -- echo v1
run 0 -n 6 --name again --metric 'my_metric=v([0-9]+)' --power-source fixed:3 -- echo v2
"$tacho" report -f prometheus -o metrics tacho-out/again/* || fail "no Prometheus of two runs of a name"
grep -q '^tacho_metric_my_metric{name="again",stat="median"} 2$' metrics || fail "$(cat metrics)"
grep -q '^# .*left out' metrics || fail "the output does not list what is left out"
! grep -q '_ns\|id="' metrics || fail "nanoseconds, or the id of a run: $(cat metrics)"
grep -q '^tacho_run_energy_joules{' metrics || fail "no joules: $(cat metrics)"
grep -q '^tacho_run_start_time_seconds{name="again"} ' metrics || fail "no time: $(cat metrics)"
[ "$(grep -v '^#' metrics | cut -d' ' -f1 | sort | uniq -d | wc -l)" -eq 0 ] || fail "a gauge has two values"
if command -v promtool >/dev/null; then
    promtool check metrics <./metrics || fail "promtool rejects it"
fi

# Every format has the values of each of three runs with different metrics.
run 0 -n 7 --name one --metric 'x=x([0-9]+)' -- echo x1
run 0 -n 8 --name two --metric 'y=y([0-9]+)' --metric 'all:x=x([0-9]+)' -- echo x2 x3 y4
run 0 -n 9 --name three -- true
for format in html md json csv junit prometheus; do
    "$tacho" report -f $format -o "three.$format" tacho-out/one tacho-out/two tacho-out/three ||
        fail "no $format of three runs"
done
python3 - <<'END' || exit 1
import csv, json, re, xml.etree.ElementTree as tree

names, runs = ["one", "two", "three"], [7, 8, 9]
*docs, last = [json.loads(line) for line in open("three.json")]
assert [r["name"] for r in last["runs"]] == names and not last["paired"]
assert [d["name"] for d in docs] == names and [len(d["samples"]) for d in docs] == runs

rows = list(csv.DictReader(open("three.csv", newline="")))
assert list(rows[0])[-2:] == ["x", "y"]
for doc, want in zip(docs, [("1", ""), ("3", "4"), ("", "")]):
    of = [r for r in rows if r["name"] == doc["name"]]
    assert [int(r["wall_ns"]) for r in of] == [s["wall_ns"] for s in doc["samples"]]
    assert all((r["x"], r["y"]) == want for r in of), of[0]

cases = tree.parse("three.junit").getroot().findall("testcase")
assert [c.get("name") for c in cases] == names
for case, doc in zip(cases, docs):
    assert case.find("failure") is None
    text = case.find("system-out").text
    assert all((f"\n{m}: " in text) == (m in doc["statistics"]) for m in "xy"), text

metrics = {}
for text in open("three.prometheus"):
    match = re.fullmatch(r'(\w+)\{name="(\w+)",.*?(?:stat="(\w+)").*?\} (.*)\n', text)
    if match:
        metrics[match[1], match[2], match[3]] = float(match[4])
for doc in docs:
    name = doc["name"]
    assert metrics["tacho_run_wall_seconds", name, "median"] == doc["statistics"]["wall_ns"]["median"] / 1e9
    for metric in "xy":
        want = doc["statistics"].get(metric)
        assert metrics.get((f"tacho_metric_{metric}", name, "median")) == (want and want["median"]), metric

parts = re.split("^## ", open("three.md").read(), flags=re.M)[1:]
assert [p.split()[0] for p in parts] == names
for part, doc in zip(parts, docs):
    assert f"\n{len(doc['samples'])} runs, " in part
    assert [m for m in "xy" if f"\n| {m} |" in part] == [m for m in "xy" if m in doc["statistics"]]
    assert part.count("\nFastest: ") == (0 if doc["name"] != "three" else 1)
assert open("three.html").read().count("<section") == 4 # the comparison comes first
END

# The page lists files that cannot be read and still shows the rest.
b="tacho-out/b/latest"
printf 'timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n1,2,x\n' >$b/memory.csv
echo '{"x":' >$b/profile.jsonl
mkdir -p $b/iter/0001
echo nonsense >$b/iter/0001/trace.1.tacho
"$tacho" report $b >out 2>err || fail "damaged files stop the report: $(cat err)"
for text in 'Only a part of memory.csv could be read' '1 of 1 lines of profile.jsonl are not valid events' \
    '1 of the recordings in iter/ cannot be read'; do
    says $b/report.html "$text"
done

# An unknown format and a folder that does not exist are errors.
! "$tacho" report -f nonsense tacho-out/b/latest 2>err || fail "an unknown format was accepted"
says err "nonsense"
! "$tacho" report -o /no/such/folder/x tacho-out/b/latest 2>err || fail "it claims to have written to a missing folder"
says err "/no/such/folder"
