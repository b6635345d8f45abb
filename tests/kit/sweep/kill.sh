#!/bin/sh
# kill.sh TACHO: a sweep that was killed and continued has the same cells as one that was not killed.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# The program writes down its arguments. Its own events show whether a killed run leaves any.
cat >prog <<'END'
#!/bin/sh
echo "$1 $2" >>"$LOG"
echo "{\"$1\":$2,\"log\":\"$LOG\"}" >"$TACHO_PROFILE_JSONL"
echo "value $(($1 * 10 + $2))"
sleep 0.01
END
chmod +x prog

# begin NAME: runs the sweep. It execs tacho, so its process can be killed.
cat >begin <<'END'
#!/bin/sh
exec "$TACHO" sweep --grid a=1,2,3 --grid b=1,2 --baseline './prog 0 0' --repeat 7 \
    --metric 'v=value ([0-9]+)' --name "$1" -- ./prog '{a}' '{b}' >out 2>err </dev/null
END
chmod +x begin
TACHO=$tacho
export TACHO

# await LINES: waits until the program was run LINES times.
await()
{
    eventually has_lines "$LOG" "$1" || fail "the sweep does not make progress: $(cat err)"
}

# Prints what does not depend on the clock: cells, runs, rounds, hashes, metrics.
lasting()
{
    jq -S '[.baselines[], .cells[]] |
        [.[] | [.cell, .state, .runs, .config_sha256, .measures.v.median]]' \
        "tacho-out/$1/sweep.json"
    for run in "tacho-out/$1"/cells/*/latest/run.json; do
        jq -c '[.name, .state, .stopped, [.samples[] | [.run, .pair, .metrics.v]]]' "$run"
    done
    for events in "tacho-out/$1"/cells/*/latest/profile.jsonl; do
        sed 's/,"log.*//' "$events"
    done
}

LOG=$PWD/whole
export LOG
./begin whole || fail "the sweep failed: $(cat err)"
lasting whole >want
[ "$(wc -l <whole)" -eq 49 ] || fail "there were not 49 runs"

# After kills at several points, only the run in progress is made again.
LOG=$PWD/parts
for runs in 3 11 20 34; do
    ./begin parts &
    pid=$!
    await $runs
    kill -9 $pid
    wait $pid 2>/dev/null
    for cell in tacho-out/parts/cells/*/*/; do # as left by a kill right after they were opened
        touch "$cell.stdout" "$cell.stderr"
    done
done
./begin parts || fail "continuing failed: $(cat err)"
lasting parts >got
cmp -s want got || {
    diff want got
    fail "the killed sweep has different cells"
}
ran=$(wc -l <"$LOG")
{ [ "$ran" -ge 49 ] && [ "$ran" -le 53 ]; } ||
    fail "4 kills made $ran runs of 49: more than those in progress were made again"

# An interrupt writes the results so far, and the same command line continues.
LOG=$PWD/polite
./begin polite &
pid=$!
await 10
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "an interrupted sweep did not exit with 130"
says err "run the same command line to continue"
is polite '.state == "interrupted" and any(.cells[]; .state == "partial")'
[ -s tacho-out/polite/report.html ] || fail "there is no report of the completed runs"
./begin polite || fail "continuing failed: $(cat err)"
lasting polite >got
cmp -s want got || fail "the interrupted sweep has different cells"

# A log that a kill truncated in the middle of a line is repaired. The cell has all its runs.
LOG=$PWD/cut
./begin cut &
pid=$!
await 20
kill -9 $pid
wait $pid 2>/dev/null
printf '{"run":3,"wall_' >>"tacho-out/cut/cells/a=1_b=1/latest/samples.jsonl"
./begin cut || fail "continuing failed: $(cat err)"
lasting cut >got
cmp -s want got || fail "the sweep with a truncated log has different cells"

# A second sweep at the same time gets an error.
LOG=$PWD/both
"$tacho" sweep --grid a=1,2 -n 200 --name both -- sleep '0.0{a}' >/dev/null 2>&1 &
pid=$!
until [ -e tacho-out/both/cells/a=1/latest ]; do sleep 0.01; done
sweep 1 --grid a=1,2 -n 200 --name both -- sleep '0.0{a}'
says err "another tacho sweep is using"
kill $pid
wait $pid 2>/dev/null
true
