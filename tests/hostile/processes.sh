#!/bin/sh
# processes.sh TACHO: no process of a run outlives tacho, whichever of its processes is killed.
set -u
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
need setsid pgrep git
cd "$scratch" || exit 1
unset TACHO_RUN_DIR TACHO_TRACE_OUT TACHO_PROFILE_JSONL

# gone WHAT FILE: waits until the processes that wrote their pids to the file have exited.
gone()
{
    while read -r process; do
        eventually dead "$process" || fail "$1: process $process of $2 outlives tacho"
    done <"$2"
}

# A command with a child in its group, one in a session of its own, and a daemon: its parent has
# exited.
cat >daemon.sh <<'END'
setsid sh -c 'echo $$ >>"$0"; exec sleep 97' "$1" >/dev/null 2>&1 &
END
cat >tree.sh <<'END'
sh daemon.sh "$1"
echo $$ >>"$1"
sleep 97 &
echo $! >>"$1"
setsid sh -c 'echo $$ >>"$0"; exec sleep 97' "$1" &
wait
END

# kill_both_ways NAME COMMAND...: kills tacho, then in another try the keeper of its program.
kill_both_ways()
{
    name=$1
    shift
    "$@" "$name-1.pids" >/dev/null 2>&1 &
    pid=$!
    await "$name-1.pids" 4
    kill -9 $pid
    wait $pid 2>/dev/null
    gone "kill -9 of tacho with $name" "$name-1.pids"
    "$@" "$name-2.pids" >/dev/null 2>"$name.err" &
    pid=$!
    await "$name-2.pids" 4
    kill -9 "$(pgrep -P $pid -x tacho-keeper)"
    gone "kill -9 of the keeper of $name" "$name-2.pids"
    wait $pid
}

# tacho is killed: the spawner kills the command and the processes that left its group.
"$tacho" run -n 2 --name a -- sh tree.sh a.pids >/dev/null 2>&1 &
pid=$!
await a.pids 4
kill -9 $pid
wait $pid 2>/dev/null
gone "kill -9 of tacho run" a.pids

# The spawner is killed: the kernel kills the command, and tacho kills its orphaned descendants.
"$tacho" run -n 2 --name b -- sh tree.sh b.pids >/dev/null 2>b.err &
pid=$!
await b.pids 4
kill -9 "$(pgrep -P $pid)"
wait $pid
[ $? -eq 1 ] || fail "a run without its spawner did not fail"
grep -q "the spawner has exited" b.err || fail "nothing says that the spawner was killed"
gone "kill -9 of the spawner" b.pids

# Hooks and builds.
hook()
{
    exec "$tacho" run -n 2 --name c --prepare "sh tree.sh $1" -- true
}
kill_both_ways hook hook
git init -q repository
printf 'benches:\n  - name: b\n    command: "true"\n' >repository/tacho.yaml
build()
{
    cd repository && exec "$tacho" gate --build "cd '$scratch' && sh tree.sh $1"
}
kill_both_ways build build

# A daemon that a hook left is killed with tacho, but lives on after a run that finishes.
"$tacho" run -n 1 --name i --setup 'sh daemon.sh i.pids' -- sh tree.sh j.pids >/dev/null 2>&1 &
pid=$!
await i.pids 1
await j.pids 4
kill -9 $pid
wait $pid 2>/dev/null
gone "kill -9 after --setup" i.pids
gone "kill -9 after --setup" j.pids
"$tacho" run -q -n 1 --name k --setup 'sh daemon.sh k.pids' -- true >/dev/null 2>&1
await k.pids 1
alive "$(cat k.pids)" || fail "a daemon of --setup was killed by a run that finished"
kill "$(cat k.pids)"

# A timeout also kills processes that left the group, so there is nothing to warn about. A busy machine may
# need more than half a second to start them.
for limit in 0.5s 5s 50s; do
    rm -f d.pids
    "$tacho" run -n 1 --name d --timeout $limit -i -- sh tree.sh d.pids >/dev/null 2>d.err
    ! has_lines d.pids 4 || break
done
has_lines d.pids 4 || fail "the command did not start its processes"
gone "--timeout" d.pids
! grep -qi "left" d.err || fail "a warning about what was killed: $(cat d.err)"

# A server is stopped together with the processes that left its group.
# shellcheck disable=SC2016 # the command's own expansion
"$tacho" run -q -n 1 --name s --server 'echo ready; exec sh tree.sh s.pids' --ready ready -- \
    sh -c 'until [ -e s.pids ] && [ "$(wc -l <s.pids)" -ge 4 ]; do sleep 0.01; done' >/dev/null 2>s.err ||
    fail "a run with a server failed: $(cat s.err)"
gone "the end of --server" s.pids

# A server, when tacho or its keeper is killed.
server()
{
    exec "$tacho" run -n 1 --name t --server "echo ready; exec sh tree.sh $1" --ready ready -- \
        sh -c "until [ -e $1 ] && [ \$(wc -l <$1) -ge 4 ]; do sleep 0.05; done; sleep 1"
}
kill_both_ways server server

watch()
{
    exec "$tacho" watch -- sh tree.sh "$1"
}
kill_both_ways watch watch

# watch finishes: it also kills processes that ignore SIGTERM or have a session of their own.
for limit in 0.5s 5s 50s; do
    rm -f g.pids
    "$tacho" watch --duration $limit -- sh -c "trap '' TERM; exec sh tree.sh g.pids" >/dev/null 2>&1
    ! has_lines g.pids 4 || break
done
has_lines g.pids 4 || fail "the watched command did not start its processes"
gone "watch --duration" g.pids

# Each profiler that tacho has itself.
for profiler in native ptrace preload; do
    # shellcheck disable=SC2016 # the command's own expansion
    if ! "$tacho" flame --profiler "$profiler" --force --out-dir probe -- \
        sh -c 'while [ $((i += 1)) -lt 300000 ]; do :; done' >/dev/null 2>probe.err; then
        echo "not tested: $profiler: $(cat probe.err)"
        continue
    fi
    flame()
    {
        exec "$tacho" flame --profiler "$profiler" --force --out-dir f -- sh tree.sh "$1"
    }
    kill_both_ways $profiler flame
done

# tacho run is killed while it samples for a flamegraph, in the run after the measured one.
"$tacho" run -q -n 1 --name h --flame -- sh -c '[ ! -e first ] || exec sh tree.sh h.pids; touch first' \
    >/dev/null 2>&1 &
pid=$!
await h.pids 4
kill -9 $pid
wait $pid 2>/dev/null
gone "kill -9 of tacho run --flame" h.pids
