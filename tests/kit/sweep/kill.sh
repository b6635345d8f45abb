#!/bin/sh
# kill.sh TACHO: a sweep that is killed and gone on with has the cells of one that was not.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# The program tells what it is for; its own events show whether a killed run leaves some behind.
cat >prog <<'END'
#!/bin/sh
echo "$1 $2" >>"$LOG"
echo "{\"$1\":$2,\"log\":\"$LOG\"}" >"$TACHO_PROFILE_JSONL"
echo "value $(($1 * 10 + $2))"
sleep 0.01
END
chmod +x prog

# begin NAME: the sweep. It becomes tacho, so that its process can be killed.
cat >begin <<'END'
#!/bin/sh
exec "$TACHO" sweep --grid a=1,2,3 --grid b=1,2 --baseline './prog 0 0' --repeat 7 \
    --metric 'v=value ([0-9]+)' --name "$1" -- ./prog '{a}' '{b}' >out 2>err </dev/null
END
chmod +x begin
TACHO=$tacho
export TACHO

# await LINES: until the program was run so often.
await()
{
    tries=0
    until [ -e "$LOG" ] && [ "$(wc -l <"$LOG")" -ge "$1" ]; do
        tries=$((tries + 1))
        [ $tries -lt 1000 ] || fail "the sweep does not go on: $(cat err)"
        sleep 0.01
    done
}

# What does not depend on the clock: cells, runs, rounds, hashes, metrics.
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

# Killed at several places; whatever was under way is made again, and nothing else is.
LOG=$PWD/parts
for runs in 3 11 20 34; do
    ./begin parts &
    pid=$!
    await $runs
    kill -9 $pid
    wait $pid 2>/dev/null
    for cell in tacho-out/parts/cells/*/*/; do # as a kill right after they were opened leaves them
        touch "$cell.stdout" "$cell.stderr"
    done
done
./begin parts || fail "going on failed: $(cat err)"
lasting parts >got
cmp -s want got || {
    diff want got
    fail "the sweep that was killed has other cells"
}
ran=$(wc -l <"$LOG")
{ [ "$ran" -ge 49 ] && [ "$ran" -le 53 ]; } ||
    fail "4 kills made $ran runs of 49: more than those under way were made again"

# A polite end writes what there is, and the same line goes on.
LOG=$PWD/polite
./begin polite &
pid=$!
await 10
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "an interrupted sweep did not end with 130"
says err "the same command line goes on"
is polite '.state == "interrupted" and any(.cells[]; .state == "partial")'
[ -s tacho-out/polite/report.html ] || fail "there is no report of what was done"
./begin polite || fail "going on failed: $(cat err)"
lasting polite >got
cmp -s want got || fail "the sweep that was interrupted has other cells"

# A log that a kill cut in the middle of a line is mended; the cell has all its runs.
LOG=$PWD/cut
./begin cut &
pid=$!
await 20
kill -9 $pid
wait $pid 2>/dev/null
printf '{"run":3,"wall_' >>"tacho-out/cut/cells/a=1_b=1/latest/samples.jsonl"
./begin cut || fail "going on failed: $(cat err)"
lasting cut >got
cmp -s want got || fail "the sweep with a cut log has other cells"

# Two at once: the second is told.
LOG=$PWD/both
"$tacho" sweep --grid a=1,2 -n 200 --name both -- sleep '0.0{a}' >/dev/null 2>&1 &
pid=$!
until [ -e tacho-out/both/cells/a=1/latest ]; do sleep 0.01; done
sweep 1 --grid a=1,2 -n 200 --name both -- sleep '0.0{a}'
says err "another tacho sweep is at work"
kill $pid
wait $pid 2>/dev/null
true
