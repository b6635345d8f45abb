#!/bin/sh
# Several benches with several budgets each, several baselines, several runs: every output names each
# of them with its own verdict. The programs print constants, so that every verdict is certain.
#   several_out.sh TACHO SPIN
tacho=$1
spin=$2
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
for tool in git jq python3; do
    command -v $tool >/dev/null || {
        echo "there is no $tool here"
        exit 77
    }
done
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

git init -q repo && cd repo || exit 1
{
    echo "obvious: 1.1x"
    echo "baseline: {keep: 3}"
    echo "defaults:"
    echo "  runs: 10"
    echo "  max_runs: 10"
    echo "  metrics: {cost: 'cost ([0-9]+)', gain: 'gain ([0-9]+)', size: 'size ([0-9]+)'}"
    echo "  budgets:"
    echo "    cost: {tolerance: 10%, direction: lower}"
    echo "    gain: {tolerance: 10%, direction: higher}"
    echo "    size: {tolerance: 10%, max: 50, direction: lower}"
    echo "benches:"
    for bench in one two three; do
        echo "- {name: $bench, command: [cat, $bench.txt]}"
    done
} >tacho.yaml
printf 'tacho-out\n.tacho\n' >.gitignore

# values BENCH COST GAIN SIZE: sets what the bench prints from now on.
values()
{
    printf 'cost %d\ngain %d\nsize %d\n' "$2" "$3" "$4" >"$1.txt"
}

values one 100 100 40
values two 200 200 40
values three 300 300 40
git add . && git commit -qm first

# rows FILE: prints "bench metric kind verdict", one line per row.
rows()
{
    jq -r '.rows[] | "\(.bench) \(.metric) \(.budget.kind) \(.verdict)"' "$1"
}

# judged FILE WORSE COUNT: checks that there are COUNT rows, all PASS except those of WORSE.
judged()
{
    [ "$(jq '.rows | length' "$1")" -eq "$3" ] || fail "$1 does not have $3 rows: $(rows "$1")"
    [ "$(rows "$1" | grep -v 'PASS$')" = "$2" ] || fail "$1: not PASS are '$(rows "$1" | grep -v 'PASS$')', not '$2'"
}

# --- Baselines ---

ends_with 0 "$tacho" baseline save -q
ends_with 0 "$tacho" gate -q --json-file pass.json --badge pass.svg
judged pass.json "" 12
grep -q PASS pass.svg || fail "the badge does not say PASS"

# Two benches are worse, each in one budget of its own; the third is as it was.
values one 100 100 60
values two 300 200 40
GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$PWD/summary.md
export GITHUB_ACTIONS GITHUB_STEP_SUMMARY
ends_with 2 "$tacho" gate -q --md gate.md --junit gate.xml --prometheus gate.prom --json-file gate.json \
    --badge gate.svg --html gate.html --save-baseline
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY
cp out annotations
# The size of `one` is also 1.5 times that of its baseline.
worse="one size ratio FAIL
one size max FAIL
two cost ratio FAIL"
judged gate.json "$worse" 12
[ "$(grep -c '^::error ' annotations)" -eq 3 ] || fail "not one annotation per FAIL: $(cat annotations)"
grep -q '^::error .*two: cost' annotations || fail "no annotation for two: $(cat annotations)"
grep -q FAIL gate.svg || fail "the badge does not say FAIL"
grep -q 'two: cost.*FAIL' summary.md || fail "the summary has no row of two"
python3 - <<'END' || fail "a file does not name every bench with its own verdict"
import re, xml.etree.ElementTree as tree
benches, metrics = ("one", "two", "three"), ("cost", "gain", "size", "size, at most 50")
failed = {("one", "size"), ("one", "size, at most 50"), ("two", "cost")}

suite = tree.parse("gate.xml").getroot()
cases = {(c.get("classname").rpartition(".")[2], c.get("name")): c for c in suite}
assert set(cases) == {(b, m) for b in benches for m in metrics}, cases.keys()
assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("12", "3", "0")
assert {k for k, c in cases.items() if c.find("failure") is not None} == failed
for (bench, _), case in cases.items():
    assert f"{bench}: " in case.find("system-out").text

gauge = re.compile(r'(\w+)\{bench="(\w+)",metric="(\w+)",budget="(\w+)"\} (\S+)')
families = {}
for name, bench, metric, budget, value in gauge.findall(open("gate.prom").read()):
    assert families.setdefault(name, {}).setdefault((bench, metric, budget), value) == value
keys = {(b, m, "ratio") for b in benches for m in metrics[:3]} | {(b, "size", "max") for b in benches}
assert set(families["tacho_gate_verdict"]) == keys, families["tacho_gate_verdict"]
bad = {k for k, v in families["tacho_gate_verdict"].items() if v != "0"}
assert bad == {("one", "size", "ratio"), ("one", "size", "max"), ("two", "cost", "ratio")}, bad
assert families["tacho_gate_median"]["two", "cost", "ratio"] == "300"
assert families["tacho_gate_median"]["three", "cost", "ratio"] == "300"
assert families["tacho_gate_median"]["one", "cost", "ratio"] == "100"

for file, row in (("gate.md", r"\| {0}: {1} \|.*{2}[^|]* \|"), ("gate.html", r"<td>{0}: {1}</td>.*?{2}")):
    text = open(file).read()
    for b in benches:
        for m in metrics:
            word = "FAIL" if (b, m) in failed else "PASS"
            assert re.search(row.format(b, m, word), text), (file, b, m, word)
assert "9 more within their budgets" in open("gate.md").read()
END

# occasions BENCH: prints how many its baseline has.
occasions()
{
    jq '.occasions | length' ".tacho/baselines/$1/"*.json
}

# reference BENCH: prints the id of the reference.
reference()
{
    jq -r .reference ".tacho/baselines/$1/"*.json
}

for bench in one two three; do
    [ "$(occasions $bench)" -eq 1 ] || fail "--save-baseline added an occasion of $bench to a report that FAILs"
done

# Only the chosen benches are run and judged.
rm -rf tacho-out
ends_with 0 "$tacho" gate -q --bench three --json-file some.json
judged some.json "" 4
[ "$(find tacho-out -name run.json | wc -l)" -eq 1 ] || fail "--bench three ran others: $(ls tacho-out)"
ends_with 2 "$tacho" gate -q --bench three --bench two --json-file some.json
judged some.json "two cost ratio FAIL" 8

# --save-baseline adds to every bench that was run; `keep` holds for each, and the reference stays.
values one 100 100 40
values two 200 200 40
first=$(reference one)
ends_with 0 "$tacho" gate -q --save-baseline
ends_with 0 "$tacho" gate -q --save-baseline
ends_with 0 "$tacho" gate -q --save-baseline
ends_with 0 "$tacho" gate -q --save-baseline --bench two
for bench in one two three; do
    [ "$(occasions $bench)" -eq 3 ] || fail "$bench has $(occasions $bench) occasions, not 3"
    jq -e '.reference as $r | any(.occasions[]; .id == $r)' ".tacho/baselines/$bench/"*.json >/dev/null ||
        fail "$bench has lost its reference"
done
[ "$(reference one)" = "$first" ] || fail "--save-baseline has changed the reference"
ends_with 0 "$tacho" baseline list --json
[ "$(jq -c '[.baselines[] | [.bench, .occasions]] | sort' out)" = '[["one",3],["three",3],["two",3]]' ] ||
    fail "the list is not that of three baselines: $(cat out)"
for bench in one two three; do
    ends_with 0 "$tacho" baseline show $bench
    says "$bench on "
    [ "$(grep -c '20[0-9-]*T[0-9:]*Z' out)" -eq 3 ] ||
        fail "not every occasion of $bench is shown: $(cat out)"
done

# One is promoted: the references of the others stay as they were.
before="$(reference one) $(reference three)"
ends_with 0 "$tacho" baseline promote two
latest=$(jq -r '.occasions[-1].id' .tacho/baselines/two/*.json)
[ "$(reference two)" = "$latest" ] || fail "two was not promoted"
[ "$(reference one) $(reference three)" = "$before" ] || fail "promoting two has changed others"

# One is removed: the others are judged, and a note names the one without a baseline.
ends_with 0 "$tacho" baseline remove two
ends_with 0 "$tacho" baseline list
! grep -q '^two ' out || fail "two is still there: $(cat out)"
[ "$(grep -c -e '^one ' -e '^three ' out)" -eq 2 ] || fail "others were removed, too: $(cat out)"
ends_with 0 "$tacho" gate -q --json-file left.json
judged left.json "two cost null null
two gain null null
two size null null" 12
jq -e 'any(.notes[]; startswith("two has no baseline"))' left.json >/dev/null || fail "no note says that two has no baseline"
ends_with 2 "$tacho" gate -q --require-baseline
ends_with 0 "$tacho" gate -q --require-baseline --bench one --bench three

# --- Against another commit ---

values two 200 100 40
values three 300 300 60
ends_with 2 "$tacho" gate -q --against HEAD --build true --json-file against.json --junit against.xml
judged against.json "two gain ratio FAIL
three size ratio FAIL
three size max FAIL" 12
[ "$(grep -c '<failure' against.xml)" -eq 3 ] || fail "not one failure per FAIL: $(cat against.xml)"

# Only benches that FAIL are profiled.
{
    echo "obvious: 1.1x"
    echo "defaults:"
    echo "  {runs: 6, max_runs: 6, metrics: {cost: 'cost ([0-9]+)'}, budgets: {cost: {tolerance: 5%, direction: lower}}}"
    echo "benches:"
    for bench in one two three; do
        echo "- {name: $bench, command: \"sh -c '$spin 60; cat $bench.txt'\"}"
    done
} >tacho.yaml
values two 200 200 40
git add . && git commit -qm spin
values one 200 100 40
values three 900 300 40
rm -rf tacho-out
ends_with 2 "$tacho" gate -q --against HEAD --build true --flame-on-regression --json-file flame.json
judged flame.json "one cost ratio FAIL
three cost ratio FAIL" 3
if grep -q "no .*flamegraph of\|there is no flamegraph: the program used less CPU" out; then
    echo "nothing can be profiled here, or the timer of a busy machine was late: that part is left out"
else
    [ "$(cd tacho-out && echo flamegraph-diff-*.svg)" = "flamegraph-diff-one.svg flamegraph-diff-three.svg" ] ||
        fail "not one flamegraph per FAIL: $(ls tacho-out)"
    for bench in one three; do
        jq -e --arg b $bench 'any(.notes[]; startswith($b + ": functions that cost more"))' flame.json >/dev/null ||
            fail "nothing says where the flamegraph of $bench is"
        grep -q "<h3>$bench</h3>" tacho-out/gate.html ||
            fail "gate.html does not show the flamegraph of $bench"
    done
    # A program that is too short to sample gets a note, not an error.
    sed -i "s/command: .*one.txt.*/command: cat one.txt}/" tacho.yaml
    ends_with 2 "$tacho" gate -q -b one --against HEAD --build true --flame-on-regression
    grep -qE "there is no flamegraph: the program used less CPU|functions that cost more" out || fail "no note: $(cat out)"
    grep -q "^tacho: no flamegraph of" out && fail "a short program is an error: $(cat out)"
fi

# --- Several runs compared ---

cd .. || exit 1
for name in old same slow small; do
    case $name in
    slow) text='cost 150 gain 100' ;;
    small) text='cost 100 gain 60' ;;
    *) text='cost 100 gain 100' ;;
    esac
    "$tacho" run -q -n 10 --name $name --metric 'cost=cost ([0-9]+)' --metric 'gain=gain ([0-9]+)' \
        -- echo "$text" >/dev/null 2>&1 || fail "tacho run $name failed"
done
set -- tacho-out/old/latest tacho-out/same/latest tacho-out/slow/latest tacho-out/small/latest
budgets='--session-spread 1% -t cost=5% -t gain=5% --lower-is-better cost --higher-is-better gain'
# shellcheck disable=SC2086
{
    "$tacho" compare $budgets --json "$@" >all.json
    [ $? -eq 2 ] || fail "a comparison that holds a FAIL does not end with 2"
    judged_rows=$(rows all.json | grep -v null)
    [ "$judged_rows" = "same cost ratio PASS
same gain ratio PASS
slow cost ratio FAIL
slow gain ratio PASS
small cost ratio PASS
small gain ratio FAIL" ] || fail "four runs, two metrics: $judged_rows"
    ends_with 2 "$tacho" compare $budgets --html all.html "$@"
    for name in same slow small; do
        grep -q "<td>$name: cost</td>" all.html || fail "the page has no row of $name"
        grep -q "^$name " out || fail "the table has no row of $name: $(cat out)"
    done
    for format in csv md; do
        ends_with 2 "$tacho" compare $budgets -f $format "$@"
        for name in same slow small; do
            grep -q "$name.*cost" out || fail "$format has no row of $name: $(cat out)"
        done
    done
    ends_with 0 "$tacho" compare $budgets tacho-out/old/latest tacho-out/same/latest tacho-out/old/latest
}
finish
