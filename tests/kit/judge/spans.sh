#!/bin/sh
# Spans, stages and latencies as metrics, in run, compare, gate and sweep.
#   spans.sh TACHO SPANS CHECK_SCHEMA SCHEMAS
tacho=$1
spans=$2
check_schema=$3
schemas=$4
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need git jq

# Every statistic, with its unit. The inner span counts once in the total, and is a span of its own.
ends_with 0 "$tacho" run -n 6 --name all --metric span:parse --metric span:parse:count \
    --metric span:parse:mean --metric span:parse:p50 --metric span:step=1:p50 --metric span:step=1:p99 \
    --metric span:step=1:max --metric span:step=1:total --metric stage:load.read_us \
    --metric stage:load.read_us:total --metric stage:load.read_us:count --metric stage:load.calls:max \
    --metric latency:wall:p99 --metric latency:login:total -- "$spans"
says "span:parse:total"
says "99.00 us"
says "recording: 102 spans in each run cost about"
says "(estimated: "
run="tacho-out/all/latest/run.json"
holds "$run" '.samples[0].metrics == {"span:parse:total": 2002727, "span:parse:count": 2,
    "span:parse:mean": 1006363.5, "span:parse:p50": 1006363.5, "span:step=1:p50": 50500,
    "span:step=1:p99": 99000, "span:step=1:max": 100000, "span:step=1:total": 5050000,
    "stage:load.read_us:p50": 25000, "stage:load.read_us:total": 100000,
    "stage:load.read_us:count": 4, "stage:load.calls:max": 4, "latency:wall:p99": 99000,
    "latency:login:total": 16000}'
holds "$run" '.costs.spans_per_run == 102 and .costs.span_cost_ns > 0 and .costs.events_per_run == 4
    and .costs.event_cost_ns > 0 and .costs.latencies_per_run == 102 and .costs.latency_cost_ns > 0'
jq -c . "$run" | "$check_schema" "$schemas" >out 2>&1 || fail "run.json: $(cat out)"
"$tacho" report -f prometheus tacho-out/all >out || fail "no Prometheus"
says 'tacho_metric_span_parse_total_seconds{name="all",stat="median"} 0.002'

# A name that does not occur is an error that lists the recorded names.
ends_with 1 "$tacho" run -n 2 --metric span:prase -- "$spans"
says "metric 'span:prase:total': run 1 recorded no 'prase'; its spans are parse and step=1"
ends_with 1 "$tacho" run -n 2 --metric stage:load.sync_us -- "$spans"
says "its stages of events are load.calls, load.read_us and load.write_us"
ends_with 1 "$tacho" run -n 2 --metric latency:logout -- "$spans"
says "its latencies are wall, kernel and login"
ends_with 1 "$tacho" run -n 2 --metric span:parse -- true
says "run 1 recorded no spans; TACHO_SPAN of <tacho/trace.h> records them"

# +5 % in a span that is a tenth of the wall time: FAIL by the span, PASS by wall time. The wall times
# are made up: 18 ms that vary by 1 %, and the span.
"$tacho" run -q -n 20 --name old --name new --metric span:parse -c "$spans 0" -c "$spans 5" \
    >out 2>&1 || fail "tacho run failed: $(cat out)"
for side in old new; do
    file=tacho-out/$side/latest/run.json
    jq --argjson step "$([ $side = old ] && echo 5 || echo 8)" '.samples |= map(.wall_ns =
        (18000000 * (1 + 0.01 * ((.run * $step % 13) / 13 - 0.5)) | floor) +
        .metrics["span:parse:total"])' "$file" >made.json && cp made.json "$file"
done
ends_with 2 "$tacho" compare -t span:parse=3% -t wall=3% --json tacho-out/old tacho-out/new
cp out spans.json
holds spans.json '[.rows[] | select(.verdict) | {(.metric): .verdict}] | add |
    .["span:parse:total"] == "FAIL" and .wall == "PASS"'
holds spans.json '[.notes[] | select(contains("recording: 102 spans"))] | length == 1'
"$check_schema" "$schemas" <spans.json >out 2>&1 || fail "the verdict: $(cat out)"

# Runs that were made without the metric still have their recordings.
"$tacho" run -q -n 6 --name a --name b -c "$spans 0" -c "$spans 5" >out 2>&1 ||
    fail "tacho run failed: $(cat out)"
ends_with 4 "$tacho" compare -t span:parse=3% tacho-out/a tacho-out/b
says "if the runs recorded it, add --metric span:parse"
ends_with 2 "$tacho" compare -m span:parse -m latency:wall:p99 -t span:parse=3% tacho-out/a tacho-out/b
says "span:parse:total"
says "latency:wall:p99"
says "102 spans in each run cost about"
ends_with 1 "$tacho" compare -m span:prase tacho-out/a tacho-out/b
says "its spans are parse and step=1"
ends_with 1 "$tacho" compare -m stage:load.read_us:max tacho-out/a tacho-out/b
says "run again with --metric"

# The gate: a budget is enough, and a metric without one is recorded, too.
git init -q gate && cd gate || exit 1
cat >tacho.yaml <<'END'
benches:
  - name: parse
    command: sh prog.sh
    runs: 10
    max_runs: 10
    metrics:
      span:step=1:p99:
    budgets:
      span:parse: {tolerance: 3%}
      stage:load.write_us:total: {tolerance: 3%}
END
echo "exec $spans 0" >prog.sh
git add . && git -c user.name=t -c user.email=t@example.org commit -qm first
echo "exec $spans 5" >prog.sh
"$tacho" gate --build true --against HEAD --json >gate.json 2>out
[ $? -eq 2 ] || fail "the gate does not FAIL: $(cat out gate.json)"
holds gate.json '[.rows[] | {(.metric): .verdict}] | add ==
    {"span:parse:total": "FAIL", "stage:load.write_us:total": "PASS"}'
holds gate.json '[.notes[] | select(startswith("parse: recording: 102 spans"))] | length == 1'
holds tacho-out/parse/latest/run.json '.samples[0].metrics["span:step=1:p99"] == 99000'

# The other commit may not record it yet: that is neither a PASS nor a failure.
echo "exec true" >prog.sh
git -c user.name=t -c user.email=t@example.org commit -qam "records nothing"
echo "exec $spans 0" >prog.sh
ends_with 4 "$tacho" gate --build true --against HEAD
says "parse: span:parse:total is new: no earlier run has it, so there is nothing to compare with"
says "NOT JUDGED"
echo "exec true" >prog.sh
ends_with 1 "$tacho" gate --build true --against HEAD
says "run 1 recorded no spans"
cd ..

# A sweep by a span.
ends_with 0 "$tacho" sweep -g percent=1,5,10 -n 3 --metric span:parse --cost span:parse \
    --name swept -- "$spans" '{percent}'
head -1 tacho-out/swept/results.csv >out
says "span:parse:total"
finish
