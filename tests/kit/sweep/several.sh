#!/bin/sh
# several.sh TACHO: with several parameters, baselines and metrics each cell has its own results.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq python3

# prog N M: p is 10 N + M; q is N, then M.
cat >prog <<'END'
#!/bin/sh
echo "$1 $2" >>"$LOG"
echo "p $(($1 * 10 + $2))"
echo "q $1 q $2"
echo "{\"n\":$1,\"m\":$2}" >"$TACHO_PROFILE_JSONL"
END
chmod +x prog

# many NAME OPTIONS...: runs a sweep of two baselines, four cells and two metrics. It execs tacho.
cat >many <<'END'
#!/bin/sh
name=$1
shift
exec "$TACHO" sweep --grid n=1,2 --grid m=5,7 -n 6 -b './prog {n} 0' --metric 'p=p ([0-9]+)' \
    --metric 'all:q=q ([0-9]+)' --pareto p,max:q --name "$name" "$@" -- ./prog '{n}' '{m}'
END
chmod +x many
TACHO=$tacho
LOG=$PWD/whole
export TACHO LOG

./many whole --json --seal --trace >out 2>err </dev/null || fail "the sweep failed: $(cat err)"
expect_same "sweep --json" tacho-out/whole/sweep.json out
[ "$(sort whole | uniq -c | tr -s ' \n' ' ')" = " 6 1 0 6 1 5 6 1 7 6 2 0 6 2 5 6 2 7 " ] ||
    fail "there are not six runs of each: $(sort whole | uniq -c)"
is whole '[.baselines[] | [.cell, .runs, .measures.p.median, .measures.q.median]] ==
    [["baseline_n=1", 6, 10, 0.5], ["baseline_n=2", 6, 20, 1]]'
is whole '[.cells[] | [.cell, .baseline, .runs, .measures.p.median, .measures.q.median]] ==
    [["n=1_m=5", "baseline_n=1", 6, 15, 3], ["n=1_m=7", "baseline_n=1", 6, 17, 4],
     ["n=2_m=5", "baseline_n=2", 6, 25, 3.5], ["n=2_m=7", "baseline_n=2", 6, 27, 4.5]]'
is whole '[.cells[] | .measures.p.ratio.estimate * 100 | round] == [150, 170, 125, 135]'
is whole 'all(.cells[]; .measures.wall_ns.ratio.estimate > 0 and .state == "complete")'

# results.csv, the run of each cell and the events of the program have the same values.
python3 - <<'END' || exit 1
import csv, glob, json

doc = json.load(open("tacho-out/whole/sweep.json"))
rows = list(csv.DictReader(open("tacho-out/whole/results.csv", newline="")))
cells = doc["baselines"] + doc["cells"]
assert len(rows) == len(cells) == 6
for row, cell in zip(rows, cells):
    for metric in "pq":
        assert float(row[metric]) == cell["measures"][metric]["median"], (metric, row)
    ratio = (cell["measures"]["p"].get("ratio") or {}).get("estimate")
    assert (float(row["p_ratio"]) if row["p_ratio"] else None) == ratio, row
    folder, = glob.glob(f"tacho-out/whole/cells/{cell['cell']}/2*")
    run = json.load(open(f"{folder}/run.json"))
    n, m = (int(v) for v in run["command"]["argv"][1:])
    assert len(run["samples"]) == 6 and run["group"] == doc["id"], cell["cell"]
    assert all(s["metrics"] == {"p": 10 * n + m, "q": [n, m]} for s in run["samples"])
    assert [json.loads(line) for line in open(f"{folder}/profile.jsonl")] == [{"n": n, "m": m}] * 6
    spans = [e for e in json.load(open(f"{folder}/trace.json")) if e["ph"] == "X" and e["pid"] == 0]
    assert len(spans) == 6, cell["cell"]
    page = open(f"{folder}/report.html").read()
    assert f"./prog {n} {m}" in page
END
for measure in p q wall_ns; do
    [ -s tacho-out/whole/figs/line-$measure-by-m.svg ] || [ -s tacho-out/whole/figs/line-$measure-by-n.svg ] ||
        fail "there is no line of $measure: $(ls tacho-out/whole/figs)"
    [ -s tacho-out/whole/figs/heat-$measure.svg ] || fail "there is no heat map of $measure"
done

# Each folder has a valid seal. A change breaks only the seals of its cell and of the whole sweep.
"$tacho" witness verify -q tacho-out/whole tacho-out/whole/cells/*/latest || fail "a seal does not match"
echo >>'tacho-out/whole/cells/n=2_m=5/latest/profile.jsonl'
for folder in tacho-out/whole tacho-out/whole/cells/*/latest; do
    want=0
    case $folder in tacho-out/whole | *n=2_m=5*) want=2 ;; esac
    status=0
    "$tacho" witness verify -q "$folder" >/dev/null 2>&1 || status=$?
    [ "$status" -eq "$want" ] || fail "the seal of $folder: $status"
done

# A sweep that was killed and continued has the same cells and baselines as the other.
LOG=$PWD/killed
./many killed >out 2>err </dev/null &
pid=$!
await killed 15
kill -9 $pid
wait $pid 2>/dev/null
./many killed >out 2>err </dev/null || fail "the sweep was not continued: $(cat err)"
for name in whole killed; do
    jq -c '[.baselines[], .cells[]] | .[] | [.cell, .state, .runs, .measures.p.median, .measures.q.median]' \
        tacho-out/$name/sweep.json >"cells.$name"
done
expect_same "the cells" cells.whole cells.killed

# Each failed cell and baseline has its own reason.
sweep 1 --grid n=1,2,3 -n 6 --timeout 2s -b "sh -c 'exit {n}'" --name fails -- \
    sh -c '[ {n} != 2 ] || exit 5; [ {n} != 3 ] || exec sleep 60'
is fails '[.cells[] | .state] == ["complete", "failed", "failed"] and
    .cells[1].failure == "failed with status 5" and (.cells[2].failure | startswith("exceeded its timeout"))'
is fails '[.baselines[] | .failure] ==
    ["failed with status 1", "failed with status 2", "failed with status 3"]'
