#!/bin/sh
# trace.sh TACHO RECORDER: trace.json contains everything that a program recorded, on the clock of the runs.
set -u
recorder=$2
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

run 0 -n 3 --name recorded --power-source fixed:20 -- "$recorder"
trace="tacho-out/recorded/latest/trace.json"

# has FILTER: jq's filter must be true for the array of events.
has()
{
    jq -e "$1" "$trace" >/dev/null || {
        jq -c '.[]' "$trace" | head -60
        fail "not true: $1"
    }
}

for phase in s f b e i C X; do
    has "[.[] | select(.ph == \"$phase\" and .pid != 0)] | length >= 3"
done
has '[.[] | select(.name == "kernel" and .dur == 1000)] | length == 3'
has '[.[] | select(.name == "queue" and .args.value == 5)] | length == 3'
has '[.[] | select(.name == "load" and .args.value == 0.5)] | length == 3'
has '[.[] | select(.name == "pushed" and .dur == 1000 and .pid != 0)] | length == 3'
has '[.[] | select(.ph == "M" and .args.name == "stream 7")] | length == 3'
has '[.[] | select(.ph == "M" and .args.name == "test_run_recorder")] | length == 3'

# Every event of a program lies within one of the runs; each run has its own process.
# shellcheck disable=SC2016 # jq's variables
has '[.[] | select(.ph == "X" and .pid == 0)] as $runs
     | [.[] | select(.ph != "M" and .pid != 0)] as $events
     | ($runs | length) == 3 and ($events | length) >= 30
     and ($events | all(. as $e | $runs | any(.ts <= $e.ts and $e.ts + ($e.dur // 0) <= .ts + .dur)))
     and ([$events[].pid] | unique | length) == 3'
# Each run has its own arrows. Ids of async spans belong to their process.
has '[.[] | select(.ph == "s") | .id] | unique | length == 3'
has '[.[] | select(.ph == "s" or .ph == "f")] | group_by(.id) | all((map(.pid) | unique | length) == 1)'
has '[.[] | select(.ph == "b" or .ph == "e")] | all(.id2.local == "0x9")'

"$tacho" trace validate "$trace" >out 2>err || fail "the trace is not valid: $(cat out err)"

# In a container every run may have the same pid.
run 0 -n 1 --name once -- "$recorder"
cp tacho-out/once/latest/iter/*/*.tacho same.tacho || fail "there is no recording"
# shellcheck disable=SC2016 # the variable of the run
run 0 -n 3 --name same -- sh -c "cp '$PWD/same.tacho' \"\$TACHO_RUN_DIR/\""
trace="tacho-out/same/latest/trace.json"
has '[.[] | select(.ph == "s") | .pid] | unique | length == 3'
has '[.[] | select(.ph == "M" and .name == "process_name" and .pid != 0)] | length == 3'

# Each run started and ended one recording. What that cost is known, and warned of if it is large.
holds recorded '.costs.recordings_per_run == 1 and (.costs | has("recording_cost_ns"))
    and (any(.warnings[]; .code == "recording-cost")
         == (.costs.recording_cost_ns > 0.01 * .statistics.wall_ns.median))'
says out "recording: 1 recording started and ended in each run"

# Without recording, the program finds no folder, and there is nothing to merge.
run 0 -n 3 --name without --no-record -- "$recorder"
holds without '.plan.no_record and (.costs | has("recordings_per_run") | not)'
for name in trace.json iter; do
    [ ! -e "tacho-out/without/latest/$name" ] || fail "--no-record left $name"
done
# shellcheck disable=SC2016 # the variables of the run
run 0 -n 1 --no-record -- sh -c 'test -z "$TACHO_RUN_DIR$TACHO_TRACE_OUT$FERRUM_TRACE_OUT$TACHO_PROFILE_JSONL"'
run 64 -n 1 --no-record --metric span:outer -- "$recorder"
says err "--metric span:outer:total is recorded by the program, and --no-record lets it record nothing"
