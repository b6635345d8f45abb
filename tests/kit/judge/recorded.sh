#!/bin/sh
# Values that a program records are judged by compare, gate and baseline: latencies, memory categories and stages of
# events, one value per run.
#   recorded.sh TACHO MODEL CHECK_SCHEMA SCHEMAS
tacho=$1
model=$2
check_schema=$3
schemas=$4
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY

"$tacho" run -q -n 8 -w 1 --name a --name b -c "$model 4000 800 200" -c "$model 4600 800 230" >out 2>&1 ||
    fail "tacho run failed: $(cat out)"

# run.json has one entry per run and fits its schema; the parts are merged as usual.
recorded="tacho-out/b/latest/run.json"
holds $recorded '[.samples[].recorded] | unique | length == 1'
holds $recorded '.samples[7].recorded.kv_cache == 4710400'
holds $recorded '.samples[7].recorded."memory.weights" == 819200'
holds $recorded '.samples[7].recorded."stage:decode.attention_us" | .p50 == 230 and .p99 == 690'
holds $recorded '.samples[7].recorded."stage:decode.kernel_calls" == 12'
holds $recorded '.samples[7].recorded | [.latency, .latency_kernel.p50] ==
    [{"p50": 230001, "p95": 690001, "p99": 690001}, 115000]'
holds $recorded '.latency | [.exact, .wall_ns.n, .wall_ns.p50, .wall_ns.max, .kernel_ns.max] ==
    [true, 40, 230001, 690001, 345000]'
holds $recorded '.samples[7].recorded | has("memory.anon_bytes") | not'
"$check_schema" "$schemas" <$recorded >out 2>&1
[ $? -ne 1 ] || fail "run.json: $(cat out)"
[ "$(wc -l <tacho-out/b/latest/profile.jsonl)" = 40 ] || fail "events of the warm-up are there, or some lost"

# compare: +15 % is found in both, beside metrics that did not change.
"$tacho" compare -t 5% --json tacho-out/a/latest tacho-out/b/latest >both.json
[ $? -eq 2 ] || fail "+15 % is not found: $(cat both.json)"
is both.json kv_cache verdict FAIL
is both.json memory.weights verdict PASS
is both.json stage:decode.attention_us verdict FAIL
is both.json stage:decode.attention_us unit ns
is both.json stage:decode.attention_us a.n 8
is both.json stage:decode.attention_us paired true
is both.json latency verdict FAIL
is both.json latency unit ns
is both.json latency a.median 200001
is both.json latency_kernel verdict FAIL
is both.json stage:decode.mlp.up_us verdict PASS
is both.json stage:decode.kernel_calls verdict null
"$tacho" compare -t memory.kv_cache=20% -t stage:decode.attention_us=20% tacho-out/a/latest \
    tacho-out/b/latest >out 2>&1 || fail "20 % are not allowed: $(cat out)"
says "stage decode.attention_us"
says "PASS"
ends_with 1 "$tacho" compare -t stage:decode.kernel_calls=1% tacho-out/a/latest tacho-out/b/latest
says "--lower-is-better"
ends_with 0 "$tacho" compare -t stage:decode.kernel_calls=1% --lower-is-better stage:decode.kernel_calls \
    tacho-out/a/latest tacho-out/b/latest

# If it is not known which run recorded an event, events are compared one by one, without a verdict.
cp -r tacho-out/a/latest/. old-a
cp -r tacho-out/b/latest/. old-b
for side in a b; do
    jq -c 'del(.samples[].recorded)' tacho-out/$side/latest/run.json >old-$side/run.json
done
"$tacho" compare -t 5% --json old-a old-b >old.json
is old.json stage:decode.attention_us verdict null
is old.json stage:decode.attention_us a.n 40
ends_with 0 "$tacho" compare old-a old-b
says "which run recorded these events is not known"

# After a kill during the runs, the recordings of the complete runs exist.
"$tacho" run -q -n 100000 --name killed -- "$model" 4000 800 200 >/dev/null 2>&1 &
pid=$!
eventually grep -qs '"run":4' tacho-out/killed/latest/samples.jsonl
spawner=$(pgrep -P $pid)
kill -9 $pid
wait $pid 2>/dev/null
eventually dead "$spawner" # it holds the run's lock until it has exited
ends_with 0 "$tacho" report tacho-out/killed/latest
jq -e '(.samples | length) >= 3 and all(.samples[]; .recorded.kv_cache == 4096000)' \
    tacho-out/killed/latest/run.json >/dev/null || fail "$(jq -c .samples tacho-out/killed/latest/run.json)"

# gate and baseline. The command stays the same: a baseline of another one is not used.
printf '#!/bin/sh\nexec %s 4000 800 200\n' "$model" >model.sh
chmod +x model.sh
cat >tacho.yaml <<END
obvious: 1.1x
defaults: {runs: 8, max_runs: 8}
benches:
- name: model
  command: ./model.sh
  budgets:
    memory.kv_cache: {tolerance: 5%, max: 4MiB}
    memory.weights: {tolerance: 5%}
    stage:decode.attention_us: {tolerance: 10%}
    latency: {tolerance: 5%, max: 250us}
END
ends_with 0 "$tacho" baseline save
ends_with 0 "$tacho" baseline show model
says "stage:decode.attention_us:p99"
says "latency:p99"
says "kv_cache"
"$tacho" gate --json >fine.json 2>out || fail "the gate of an unchanged program exited with $?: $(cat out fine.json)"
is fine.json memory.weights verdict PASS
[ "$(jq -r '[.rows[] | select(.metric == "kv_cache") | .verdict] | join(" ")' fine.json)" = "PASS PASS" ] ||
    fail "kv_cache: $(cat fine.json)"
"$check_schema" "$schemas" <fine.json >out 2>&1
[ $? -ne 1 ] || fail "the verdict: $(cat out)"
sed -i 's/4000 800 200/4000 1000 300/' model.sh
"$tacho" gate --json >worse.json 2>out
[ $? -eq 2 ] || fail "a regression does not FAIL: $(cat out worse.json)"
is worse.json memory.weights verdict FAIL
is worse.json stage:decode.attention_us verdict FAIL
[ "$(jq -r '[.rows[] | select(.metric == "latency") | .verdict] | join(" ")' worse.json)" = "FAIL FAIL" ] ||
    fail "latency: $(cat worse.json)"
[ "$(jq -r '[.rows[] | select(.metric == "kv_cache") | .verdict] | join(" ")' worse.json)" = "PASS PASS" ] ||
    fail "kv_cache: $(cat worse.json)"

# Less than before is fine, but not equivalent. A count needs no direction for that.
sed -i 's/4000 1000 300/4000 600 200/' model.sh
ends_with 0 "$tacho" gate
cp tacho.yaml one_sided.yaml
sed -i 's/memory.weights: .*/memory.weights: {tolerance: 5%, equivalent: true}\
    stage:decode.kernel_calls: {tolerance: 10%, equivalent: true}/' tacho.yaml
"$tacho" gate --json >less.json 2>out
[ $? -eq 2 ] || fail "less memory is equivalent: $(cat out less.json)"
is less.json memory.weights verdict FAIL
is less.json memory.weights budget.equivalent true
is less.json stage:decode.kernel_calls verdict PASS
"$check_schema" "$schemas" <less.json >out 2>&1
[ $? -ne 1 ] || fail "the verdict: $(cat out)"
mv one_sided.yaml tacho.yaml
sed -i 's/4000 600 200/4000 1000 300/' model.sh

# The p99 of the events of a run, and a category that was not recorded. The program makes up a time
# that is the same in every run, which the gate doubts.
sed -i 's/1000 300/800 200/' model.sh
sed -i 's/{tolerance: 10%}/{tolerance: 10%, statistic: p99}/
    s/memory.weights: .*/memory.nothing: {tolerance: 5%}/' tacho.yaml
"$tacho" gate --json >p99.json 2>out || fail "p99 exited with $?: $(cat out p99.json)"
is p99.json stage:decode.attention_us statistic p99
is p99.json stage:decode.attention_us verdict WARN
grep -q "it is the same in every run: is it measured?" p99.json || fail "$(cat p99.json)"
grep -q "peak nothing was not measured" p99.json || fail "$(cat p99.json)"
sed -i 's/memory.nothing: .*/memory.nothing: {tolerance: 5%, required: true}/' tacho.yaml
ends_with 2 "$tacho" gate
says "it is required but was not measured"

# A count has no direction of its own.
sed -i 's/memory.nothing: .*/stage:decode.kernel_calls: {tolerance: 5%}/' tacho.yaml
ends_with 1 "$tacho" gate
says "direction"

# A metric with the name of a recorded quantity is a different metric.
for side in c d; do
    ends_with 0 "$tacho" run -q -n 6 --name $side --metric 'kv_cache=v=([0-9]+)' -- sh -c "echo v=$side | tr cd 89"
done
"$tacho" compare --json tacho-out/c/latest tacho-out/d/latest >metric.json
holds metric.json '[.rows[] | select(.metric == "kv_cache" and .title == "kv_cache") | .a.median, .b.median] == [8, 9]'

rm tacho.yaml
# Hundreds of stages, each with three statistics: the saved file can be read.
cat >many.sh <<'END'
i=0
stages='"a":1'
while [ $i -lt 400 ]; do
    stages="$stages,\"s$i\":$i.5"
    i=$((i + 1))
done
hash=$(printf %064d 0)
echo "{\"event\":\"e\",\"commit_sha\":\"abc\",\"env_hash\":\"sha256:$hash\",\"model\":\"m\",\"concurrency\":1,\"shape\":{\"b\":1},\"stage_us\":{$stages},\"graph_enabled\":true,\"runtime_flags\":{},\"source\":\"native\"}" \
    >"$TACHO_RUN_DIR/profile.jsonl"
END
"$tacho" run -q -n 4 --name many -- sh many.sh >/dev/null 2>&1
ends_with 0 "$tacho" baseline save --from tacho-out/many/latest --bench many
ends_with 0 "$tacho" baseline show many
says "stage:e.s399:p99"
finish
