#!/bin/sh
# processes.sh TACHO: no process of a run outlives tacho, whichever of its processes is killed.
set -u
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
need setsid pgrep
cd "$scratch" || exit 1
unset TACHO_RUN_DIR TACHO_TRACE_OUT TACHO_PROFILE_JSONL

# gone WHAT FILE: waits until the processes that wrote their pids to the file have exited.
gone()
{
    while read -r process; do
        tries=0
        while alive "$process"; do
            tries=$((tries + 1))
            [ $tries -lt 200 ] || fail "$1: process $process of $2 outlives tacho"
            sleep 0.05
        done
    done <"$2"
}

# A command with a child in its group and one in a session of its own.
cat >tree.sh <<'END'
echo $$ >>"$1"
sleep 97 &
echo $! >>"$1"
setsid sh -c 'echo $$ >>"$0"; exec sleep 97' "$1" &
wait
END

# tacho is killed: the spawner kills the command and the processes that left its group.
"$tacho" run -n 2 --name a -- sh tree.sh a.pids >/dev/null 2>&1 &
pid=$!
await a.pids 3
kill -9 $pid
wait $pid 2>/dev/null
gone "kill -9 of tacho run" a.pids

# The spawner is killed: the kernel kills the command, and tacho kills its orphaned descendants.
"$tacho" run -n 2 --name b -- sh tree.sh b.pids >/dev/null 2>b.err &
pid=$!
await b.pids 3
kill -9 "$(pgrep -P $pid)"
wait $pid
[ $? -eq 1 ] || fail "a run without its spawner did not fail"
grep -q "the spawner has exited" b.err || fail "nothing says that the spawner was killed"
gone "kill -9 of the spawner" b.pids

# tacho is killed during a hook.
"$tacho" run -n 2 --name c --prepare 'sh tree.sh c.pids' -- true >/dev/null 2>&1 &
pid=$!
await c.pids 3
kill -9 $pid
wait $pid 2>/dev/null
gone "kill -9 during --prepare" c.pids

# A timeout also kills processes that left the group, so there is nothing to warn about.
"$tacho" run -n 1 --name d --timeout 0.5s -i -- sh tree.sh d.pids >/dev/null 2>d.err
await d.pids 3
gone "--timeout" d.pids
! grep -qi "left" d.err || fail "a warning about what was killed: $(cat d.err)"

# A server is stopped together with the processes that left its group.
# shellcheck disable=SC2016 # the command's own expansion
"$tacho" run -q -n 1 --name s --server 'echo ready; exec sh tree.sh s.pids' --ready ready -- \
    sh -c 'until [ -e s.pids ] && [ "$(wc -l <s.pids)" -ge 3 ]; do sleep 0.01; done' >/dev/null 2>s.err ||
    fail "a run with a server failed: $(cat s.err)"
gone "the end of --server" s.pids

# watch is killed.
"$tacho" watch -- sh tree.sh e.pids >/dev/null 2>&1 &
pid=$!
await e.pids 3
kill -9 $pid
wait $pid 2>/dev/null
gone "kill -9 of tacho watch" e.pids

# watch finishes: it also kills processes that ignore SIGTERM or have a session of their own.
"$tacho" watch --duration 1s -- sh -c "trap '' TERM; exec sh tree.sh g.pids" >/dev/null 2>&1
await g.pids 3
gone "watch --duration" g.pids

# flame is killed.
"$tacho" flame --out f -- sh tree.sh f.pids >/dev/null 2>f.err &
pid=$!
tries=0
until [ -e f.pids ] && [ "$(wc -l <f.pids)" -ge 3 ]; do
    alive $pid || skip "tacho flame cannot sample here: $(cat f.err)"
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "f.pids never had 3 lines"
    sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null
gone "kill -9 of tacho flame" f.pids

# tacho run is killed while it samples for a flamegraph, in the run after the measured one.
"$tacho" run -q -n 1 --name h --flame -- sh -c '[ ! -e first ] || exec sh tree.sh h.pids; touch first' \
    >/dev/null 2>&1 &
pid=$!
await h.pids 3
kill -9 $pid
wait $pid 2>/dev/null
gone "kill -9 of tacho run --flame" h.pids
