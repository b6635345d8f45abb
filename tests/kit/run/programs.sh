#!/bin/sh
# programs.sh TACHO: programs of all kinds, each measured correctly or refused with the right message.
# shellcheck disable=SC2016 # the programs' shells expand what is in single quotes
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

run 0 -n 5 -- true
holds true '.state == "complete" and .stopped == "runs" and (.samples | length) == 5'
holds true '[.samples[].run] == [1, 2, 3, 4, 5] and ([.samples[].exit_status] | add) == 0'
holds true '.samples | all(.wall_ns > 0 and .max_rss_bytes > 0 and .minor_faults > 0)'
says out 'wall time'
says out "report: tacho-out/true/"
[ -s tacho-out/true/latest/report.html ] || fail "there is no report"
[ ! -e tacho-out/true/latest/samples.jsonl ] || fail "the log of the samples is left"
[ ! -e tacho-out/true/latest/iter ] || fail "folders of the runs are left"

run 0 -n 3 -- sleep 0.1
holds sleep '.samples | all(.wall_ns >= 1e8 and .user_ns < 5e7)'

# Programs that fail, are killed, do not exist, or are not programs.
run 1 -n 5 -- sh -c 'echo one two >&2; exit 7'
says err "failed with status 7"
says err "one two"
holds sh '.state == "failed" and .stopped == "failed" and .samples[0].exit_status == 7'
run 7 -n 5 --pass-status -- sh -c 'exit 7'
run 1 -n 3 --pass-status --timeout 100ms -- sh -c 'trap "exit 0" TERM; sleep 5 & wait' # no success, whatever it ends with
run 1 -n 4 --allow-nonzero -- sh -c 'exit 7'
holds sh '(.samples | length) == 4 and .warnings[0].code == "failed"'
run 1 -n 2 -- sh -c 'kill -9 $$'
says err "killed by signal 9"
holds sh '.samples[0].signal == 9 and .samples[0].exit_status == 137'
run 1 -- /no/such/program
says err "cannot run '/no/such/program': No such file or directory"
[ ! -e tacho-out/program ] || fail "a program that is not there left a folder"
run 1 -- no-such-program-at-all
says err "is it installed and on PATH?"
echo text >plain
run 1 -- ./plain
says err "Permission denied"
printf '\177ELF nonsense' >broken
chmod +x broken
run 1 -n 1 -- ./broken
says err "cannot run './broken'"

# Time limits: a program that exits on SIGTERM, and one that ignores it.
run 1 -n 1 --timeout 200ms -- sleep 20
says err "killed by --timeout"
holds sleep '.stopped == "timeout" and .samples[0].timed_out and .samples[0].signal == 15'
for limit in 200ms 2s 20s; do # on a busy machine the program may need more time to ignore the signal
    rm -f deaf
    run 1 -n 1 --timeout $limit -- sh -c 'trap "" TERM; : >deaf; sleep 60; sleep 60'
    [ ! -e deaf ] || break
done
holds sh '.samples[0].timed_out and .samples[0].signal == 9 and .samples[0].wall_ns > 1.1e9'

# Daemons are reported, and tacho does not wait for them.
daemon='echo x=1; sleep 97 & echo $! >>daemons; exit 0'
run 0 -n 2 -- sh -c "$daemon"
holds sh '(.samples | all(.left_running)) and .warnings[0].code == "left-running"'
holds sh '.samples | all(.wall_ns < 90e9)'
# A metric is not read from a file that they can print into.
run 0 -n 1 --command-output shared --metric 'x=x=([0-9]+)' -- sh -c "$daemon"
run 1 -n 2 --command-output shared --metric 'x=x=([0-9]+)' -- sh -c "$daemon"
says err "an earlier run left processes running that may print into 'shared'"
xargs kill <daemons

# Input and output.
run 0 -n 2 -- cat
head -c 300000 /dev/zero | tr '\0' x >big
run 0 -n 3 --input big --command-output copy -- cat
[ "$(wc -c <copy)" -eq 900000 ] || fail "the output of three runs is $(wc -c <copy) bytes"
run 0 -n 2 --command-output inherit -- echo to be seen
[ "$(grep -c 'to be seen' out)" -ge 2 ] || fail "--command-output inherit did not pass the output through"
run 0 -n 2 -- sh -c 'yes | head -c 100000000'
run 0 -n 2 --metric 'n=^([0-9]+)$' -- sh -c 'yes | head -c 100000000; echo; echo 42'
holds sh '[.samples[].metrics.n] == [42, 42]'

# Metrics: the last match, every match, no match.
run 0 -n 3 --metric 'v=v=([0-9.]+)' --metric 'all:each=v=([0-9.]+)' --metric gone=nothing \
    -- echo v=1.5 v=2.5
holds echo '.samples[1].metrics == {"v": 2.5, "each": [1.5, 2.5], "gone": null}'
holds echo '.statistics.each.n == 3 and .statistics.each.values == 6 and .statistics.v.median == 2.5'
holds echo '[.warnings[].code] | index("no-metric") != null'
for text in 1e400 -1e400 nan inf 0x10 1,234.5; do
    run 0 -n 2 --metric 'v=v=(.*) tok' -- echo "v=$text tok"
    holds echo '.samples[1].metrics.v == null and .statistics.v == null'
    says out "metric 'v' matched '$text', which is not a finite number; it has no value in 2 of 2 runs"
done

# An expression that would take minutes and gigabytes; a run.json that would take gigabytes.
run 64 -n 1 --metric 'a=((((a{1,200}){1,200}){1,200}){1,200})' -- true
says err "the expression is too large"
run 1 -n 1 --server 'echo up; sleep 9' --ready '(((u{1,200}){1,200}){1,200})' -- true
says err "the expression is too large"

# SIGTERM stops a search that would take forever.
"$tacho" run -n 1 --metric 'x=(a*)(a*)(a*)\1\2\3b' -- sh -c 'head -c 4000 /dev/zero | tr "\0" a' >out 2>err &
searching=$!
until [ "$(pgrep -c -P $searching)" -ge 2 ]; do # the spawner and the search
    alive $searching || fail "the search stopped: $(cat out err)"
    sleep 0.01
done
kill -TERM $searching
status=0
wait $searching || status=$?
[ "$status" -eq 143 ] || fail "a search stopped by SIGTERM exits with $status: $(cat err)"

mkdir large
jq -nc '{schema: "tacho.run.v1", name: "x", command: {line: "x"}, state: "complete",
    metrics: [range(50000) | {name: "m\(.)"}], samples: [range(5000) | {wall_ns: 1}]}' >large/run.json
status=0
"$tacho" report -f csv large >out 2>err || status=$?
[ "$status" -eq 1 ] || fail "a run.json of 50,000 metrics exited with $status"
says err "more than 64 metrics"

# Folder, environment, CPUs, addresses, work, labels, configuration.
mkdir -p deep/er
printf '{"a": 1.0, "b": [true]}' >config.json
run 0 -n 2 --cwd deep/er --env COLOUR=blue --cpu 0 --no-aslr --work-per-run 10things --label k=v \
    --config config.json --command-output seen -- \
    sh -c 'pwd; echo $COLOUR; grep Cpus_allowed_list /proc/self/status; cat /proc/self/personality'
says seen "$(cd deep/er && pwd -P)"
says seen blue
grep -q 'Cpus_allowed_list:.0$' seen || fail "--cpu 0 had no effect"
grep -q '^00040000$' seen || fail "--no-aslr had no effect"
holds sh '.work == {"amount": 10, "unit": "things"} and .labels.k == "v"'
holds sh '.config.document == {"a": 1, "b": [true]} and (.config.sha256 | length) == 64'
holds sh '.statistics.throughput.median > 0'
holds sh '.plan.cpus == "0" and .plan.no_aslr'

# Hooks.
run 0 -n 3 -w 2 --setup 'echo s >>log' --prepare 'echo p >>log' --conclude 'echo c >>log' \
    --cleanup 'echo e >>log' -- sh -c 'echo run >>log'
[ "$(tr -d '\n' <log)" = "sprunc$(printf 'prunc%.0s' 1 2 3 4)e" ] || fail "the order was: $(tr '\n' ' ' <log)"
run 1 -n 3 --prepare 'exit 3' -- true
says err "--prepare failed"

# Variables that a program gets, and files that it writes.
run 0 -n 2 -- sh -c 'echo "{}" >"$TACHO_PROFILE_JSONL"
    printf "sample_id,wall_time_us,kernel_time_us,seq_len\n1,2,3,4\n" >"$TACHO_RUN_DIR/latency.$$.csv"'
[ "$(wc -l <tacho-out/sh/latest/profile.jsonl)" -eq 2 ] || fail "events were not merged"
[ "$(wc -l <tacho-out/sh/latest/latency.csv)" -eq 3 ] || fail "latencies were not merged"
echo '{"kv": "fp8", "pages": [16]}' >config.json
run 0 -n 1 --name variables --config config.json --label model=llama --label concurrency=4 --command-output variables -- \
    sh -c 'env | grep ^TACHO_ | sort'
for line in TACHO_PROFILE_MODEL=llama TACHO_PROFILE_CONCURRENCY=4 TACHO_PROFILE_ENV_HASH=sha256: \
    'TACHO_PROFILE_RUNTIME_FLAGS_JSON={"kv":"fp8","pages":[16]}' TACHO_TRACE_OUT=/ /iter/0001/profile.jsonl; do
    says variables "$line"
done
FERRUM_PROFILE_MODEL=mine FERRUM_TRACE_OUT=x.json run 0 -n 1 --name variables --command-output variables --env \
    TACHO_PROFILE_JSONL=mine.jsonl -- sh -c 'env | grep ^TACHO_ | sort'
! grep -E 'MODEL=[^m]|TRACE_OUT|iter.*jsonl' variables || fail "a variable that the user set was overridden"
run 0 -n 1 --command-output variables -- env
says variables TACHO_PROFILE_MODEL=env
run 0 -n 2 --power-source fixed:50 -- sleep 0.1
holds sleep '.power.source == "fixed" and (.samples | all(.energy_j > 4.9))'
holds sleep '([.samples[].energy_j] | add) < 50e-9 * (.ended_unix_ns - .started_unix_ns)'
[ "$(wc -l <tacho-out/sleep/latest/memory.csv)" -ge 2 ] || fail "memory was not polled"

# A server: ready by its output, measured, stopped; and one that never becomes ready.
run 0 -n 3 --name served --server 'echo $$ >served; echo "now up"; exec sleep 98.7' --ready 'up$' -- \
    sleep 0.05
holds served '.server.ready_s > 0 and .server.peak_rss_bytes > 100000 and .plan.ready == "up$"'
says tacho-out/served/latest/server.log "now up"
! alive "$(cat served)" || fail "the server outlives the runs"
run 0 -n 3 --name served --power-source fixed:50 --server 'echo up; while :; do :; done' --ready up -- \
    sleep 0.3
holds served '.server.energy_j > 0 and .server.energy_j < 50e-9 * (.ended_unix_ns - .started_unix_ns)'
[ "$(wc -l <tacho-out/served/latest/server-power.csv)" -ge 2 ] || fail "the server's power was not polled"
says out "server: ready after"
# What the server used during each run is a metric like the command's.
holds served '.samples | all(.server_cpu_ns > 0 and .server_rss_bytes > 100000 and .server_energy_j > 0)'
says out "CPU time of the server"
"$tacho" compare tacho-out/served/latest tacho-out/served/latest >out 2>&1 || fail "compare: $(cat out)"
says out "CPU time of the server"
run 64 -n 1 --server 'sleep 9' --server 'sleep 8' --ready up -- true
says err "one server serves all commands"
run 1 -n 1 --server 'sleep 9' --ready up --ready-timeout 100ms -- true
says err "not ready ('up') after 0.1 s"
says err "--ready-timeout"
run 1 -n 3 --name served --server 'exit 3' --ready up -- true
says err "exited before it was ready"
run 1 -n 100000 --name served --server 'echo up; sleep 0.3' --ready up -- sleep 0.05
says err "the server has exited"
run 64 -n 1 --server x -- true
run 1 -n 1 --server 'sleep 5' --ready '(' -- true

# Flamegraphs of the command and of the server, whose child does the work. If the kernel allows no
# sampling, that is reported and the other outputs are written.
status=0
"$tacho" run -n 2 --name drawn --flame --server 'echo up; (while :; do :; done); true' --ready up -- \
    sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' >out 2>err || status=$?
if [ "$status" -eq 0 ]; then
    says tacho-out/drawn/latest/flamegraph-drawn-server.svg ", 100%)" # of samples, or of microseconds without perf events
    says tacho-out/drawn/latest/report.html "flamegraph-drawn-server.svg"
    [ -s tacho-out/drawn/latest/flamegraph-drawn-server.folded ] || fail "the stacks of the server are missing"
    [ ! -e tacho-out/drawn/latest/iter ] || fail "the extra runs left a folder"
    # Messages of the profiler are warnings of the run.
    if command -v python3 >/dev/null; then
        run 0 -n 1 --flame --name python -- python3 -c 'sum(i * i for i in range(1000000))'
        holds python '.warnings | any(.code == "flamegraph" and (.text | test("Python functions")))'
        "$tacho" sweep -q --repeat 1 --flame --name cells -g n=1000000 -- \
            python3 -c 'sum(i * i for i in range({n}))' >out 2>err || fail "sweep --flame: $(cat out err)"
        find tacho-out/cells/cells -name run.json -exec jq -e '.warnings | any(.code == "flamegraph")' {} + >/dev/null ||
            fail "a cell has no warning of the profiler"
    fi
else
    says err "no flamegraph of the server"
fi
holds drawn '.samples | length == 2'

# A trace has one span per run.
run 0 -n 3 --trace -- true
[ "$(jq '[.[] | select(.ph == "X")] | length' tacho-out/true/latest/trace.json)" -eq 3 ] || fail "there is not one span per run"
