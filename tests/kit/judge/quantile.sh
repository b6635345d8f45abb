#!/bin/sh
# tacho compare --quantile: the quantile within each run, one value per run.
#   quantile.sh TACHO MODEL CHECK_SCHEMA SCHEMAS
tacho=$1
model=$2
check_schema=$3
schemas=$4
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
a="tacho-out/a/latest"
b="tacho-out/b/latest"

# Prints 190 values of 100 and 10 from 201 to 210, the last ones FACTOR times as large.
cat >values.sh <<'END'
i=0
while [ $i -lt 200 ]; do
    i=$((i + 1))
    if [ $i -le 190 ]; then echo v=100; else echo v=$(((10 + i) * $1 / 100)); fi
done
echo last=$1
END
"$tacho" run -q -n 8 --name a --name b --metric 'all:v=v=([0-9.]+)' --metric 'last=last=([0-9]+)' \
    -c 'sh values.sh 100' -c 'sh values.sh 150' >out 2>&1 || fail "tacho run failed: $(cat out)"

# The medians are alike, the slow values are not. There is one value per run: eight, not 1600.
ends_with 0 "$tacho" compare -t v=5% --lower-is-better v $a $b
"$tacho" compare --quantile 99 -t v=5% --lower-is-better v --json $a $b >p99.json
[ $? -eq 2 ] || fail "a p99 of +50 % does not FAIL: $(cat p99.json)"
is p99.json v verdict FAIL
is p99.json v statistic p99
is p99.json v a.n 8
is p99.json v a.median 208
is p99.json v b.median 312
is p99.json v ratio.estimate 1.5
is p99.json v paired true
is p99.json last statistic median
is p99.json wall statistic median
[ "$(jq -c .notes p99.json)" = '[]' ] || fail "notes: $(jq -c .notes p99.json)"
"$check_schema" "$schemas" <p99.json >out 2>&1
[ $? -ne 1 ] || fail "the verdict: $(cat out)"
ends_with 0 "$tacho" compare --quantile 95 -t v=5% --lower-is-better v $a $b
says "v, p95"
says PASS
ends_with 2 "$tacho" compare --quantile 95.5% -t v=5% --lower-is-better v $a $b
says "v, p95.5"
ends_with 0 "$tacho" compare --quantile 99 -f csv $a $b
grep -q '^,v,.*,p99,' out || fail "the CSV does not say which quantile: $(cat out)"

# A tolerance for a metric with one value per run is about the runs, whatever the quantile.
ends_with 2 "$tacho" compare --quantile 95 -t last=5% --lower-is-better last $a $b

# With so few values the quantile is an extreme.
ends_with 0 "$tacho" compare --quantile 99.9 $a $b
says "some runs have so few values of v that p99.9 is the largest of them"
ends_with 0 "$tacho" compare --quantile 0.1 $a $b
says "smallest"

# Wrong usage.
for wrong in 0 100 -1 nan p99 ''; do
    ends_with 64 "$tacho" compare --quantile "$wrong" $a $b
    says "--quantile needs a percentage"
done

# Recorded latencies and stages: only the quantiles that a run keeps.
"$tacho" run -q -n 8 --name a --name b -c "$model 40 8 200" -c "$model 40 8 230" >out 2>&1 ||
    fail "tacho run failed: $(cat out)"
"$tacho" compare --quantile 99 -t latency=5% -t stage:decode.attention_us=5% --json $a $b >latency.json
[ $? -eq 2 ] || fail "+15 % of latencies does not FAIL: $(cat latency.json)"
is latency.json latency verdict FAIL
is latency.json latency statistic p99
is latency.json latency a.median 600001
is latency.json stage:decode.attention_us a.median 600000
is latency.json kv_cache statistic median
ends_with 1 "$tacho" compare --quantile 90 $a $b
says "p90 is not known"
says "only the quantiles 50, 95 and 99"
"$tacho" run -q -n 4 --shell --name a --name b --metric 'all:v=v=([0-9.]+)' -c "$model 40 8 200; sh values.sh 100" \
    -c "$model 40 8 230; sh values.sh 100" >out 2>&1 || fail "tacho run failed: $(cat out)"
ends_with 0 "$tacho" compare --quantile 90 $a $b
says "v, p90"
says "p90 of latencies and stages is not compared"
grep -q '^latency' out && fail "p90 of latencies is compared: $(cat out)"
ends_with 1 "$tacho" compare --quantile 90 -t latency=5% $a $b
says "only the quantiles 50, 95 and 99"

# No metric has values to compute a quantile of.
"$tacho" run -q -n 4 --name a --name b -c true -c true >out 2>&1 || fail "tacho run failed: $(cat out)"
ends_with 1 "$tacho" compare --quantile 99 $a $b
says "no metric of both runs has several values per run"
finish
