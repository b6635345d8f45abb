#!/bin/sh
# Captures as an ordinary user without the right to perf events. The samplers that do not need it
# give the right shares, and the command says which sampler was used, why, and what differs.
#
#   norights.sh PROJECT TACHO WORKLOAD-FOLDER [exact]
#
# exact: shares within 4 points, for which the programs work four times as long and must run alone.
set -eu
. "$1/tests/kit/flame/refused_user.sh"
less=4
# These programs work for less than 0.1 s, and a tracer that gets no CPU for 20 ms gives all that time to one place.
points=30
if [ "${4:-}" = exact ]; then
    less=1
    points=4
fi

known()
{
    expect "$1" hot 70
    expect "$1" warm 20
    expect "$1" cool 10
}

# rounds MODE ROUNDS: divides the rounds among the threads or processes of a mode
rounds()
{
    case $1 in
    threads) echo $(($2 / 3 / less)) ;;
    fork) echo $(($2 / 2 / less)) ;;
    *) echo $(($2 / less)) ;;
    esac
}

flame probe --profiler ptrace -- ./workload shares 20 || skip "ptrace is not allowed here"

# By ptrace, at a rate at which chance cannot explain 4 points.
rate=4000
for mode in shares threads fork recursion; do
    flame "ptrace-$mode" --profiler ptrace --rate $rate -- ./workload $mode "$(rounds $mode 400)"
    known "ptrace-$mode"
    rooted_well "ptrace-$mode"
    grep -q '^profiler: ptrace, cpu-time, user code only$' out.txt || { cat out.txt; fail "the profiler is not named"; }
done
flame ptrace-static --profiler ptrace --rate $rate -- ./workload_static shares "$(rounds shares 400)"
known ptrace-static
flame ptrace-dlopen --profiler ptrace --rate $rate -- ./workload dlopen $((80 / less)) ./libworkload.so
expect ptrace-dlopen library_hot 66.7
expect ptrace-dlopen main 100 4
flame ptrace-exec --profiler ptrace --rate $rate -- sh -c "env ./workload shares $((200 / less)); exec ./workload shares $((200 / less))"
# The shells count, too.
near "exec and children, hot" "$(share open/flamegraph-ptrace-exec.folded hot)" 67 $((points + 15))
flame ptrace-signal --profiler ptrace --rate $rate -- ./workload signal $((200 / less))
expect ptrace-signal main 100 4

# Each signal stops the program, but its handler, which does nothing, has no time. A tracer that waited for a CPU
# gives all of that time to one place, which may be the handler, so one of three captures must be free of it.
for _ in 1 2 3; do
    flame ptrace-many --profiler ptrace --rate 997 -- ./hostile_signals many $((8000 / less))
    grep -q '^done$' out.txt || { cat out.txt err.txt; fail "many: the program failed"; }
    handled=$(share open/flamegraph-ptrace-many.folded on_signal)
    [ "${handled%.*}" -ge 3 ] || break
done
near "ptrace-many, on_signal" "$handled" 0 3
expect ptrace-many main 100

# A process that runs already, and keeps running.
$user ./workload shares 100000 &
pid=$!
while ! grep -q workload "/proc/$pid/comm"; do sleep 0.02; done
flame ptrace-pid --duration 1s --pid $pid # at 250 samples per second of CPU time, of which it may get little
says "profiler 'ptrace' is used instead of 'native': no permission to sample"
says 'samples per second of CPU time'
expect ptrace-pid hot 70 40
alive $pid || fail "the process that was profiled is gone"
grep -q '^TracerPid:	0$' "/proc/$pid/status" || fail "it is still traced"
kill $pid
wait $pid || :

# How the command ended is passed on, and its signals reach it.
ended=0
# shellcheck disable=SC2086
$user ./refuse EPERM ./tacho flame --profiler ptrace --rate $rate --pass-status --force --out-dir open -- ./workload fail 40 >out.txt 2>&1 || ended=$?
[ $ended = 7 ] || { cat out.txt; fail "the status is $ended, not 7"; }
for profiler in preload ptrace; do
    for rounds in 0 100; do # without a sample, and with samples
        ended=0
        # shellcheck disable=SC2086
        $user ./refuse EPERM ./tacho flame --profiler $profiler --pass-status --force --out-dir open -- ./workload crash $rounds >out.txt 2>err.txt ||
            ended=$?
        [ $ended = 139 ] || { cat out.txt err.txt; fail "$profiler: the status after a crash is $ended, not 139"; }
        says "'./workload' was killed by signal 11"
    done
done
endless="./workload shares 1000$$" # no other process has this name
for duration in $durations; do
    status=0
    # shellcheck disable=SC2086
    $user ./refuse EPERM ./tacho flame --profiler ptrace --duration "$duration" --json --force --out-dir open -- $endless >out.txt 2>&1 || status=$?
    grep -q 'profiler produced no output' out.txt || break
done
[ "$status" = 0 ] || { cat out.txt; fail "a command that was stopped after --duration counts as failed"; }
grep -q '"exit_status":null,"signal":null' out.txt || { cat out.txt; fail "a status is given for a command that was stopped"; }
! pgrep -f "$endless" >/dev/null || fail "a command without end was not terminated"
tail -n 1 out.txt >json.txt
mv json.txt out.txt
as_schema

# The preloaded sampler is used without being requested.
for mode in shares threads fork recursion; do
    flame "preload-$mode" -- ./workload $mode "$(rounds $mode 1000)"
    known "preload-$mode"
    rooted_well "preload-$mode"
    grep -q '^profiler: preload, cpu-time, user code only$' out.txt || { cat out.txt; fail "the profiler is not named"; }
    says "profiler 'preload' is used instead of 'native': no permission to sample"
    says 'samples per second of CPU time; time in the kernel counts as time of the code that called it'
done
flame preload-dlopen -- ./workload dlopen $((200 / less)) ./libworkload.so
expect preload-dlopen library_hot 66.7
expect preload-dlopen main 100 4
flame preload-jit --per-thread -- ./workload jit "$(rounds jit 1000)"
expect preload-jit main 100 4

# The preloaded sampler disturbs no program: each does all of its work.
for mode in use block mask fork exec; do
    flame "hostile-$mode" -- ./hostile_signals $mode $((10000 / less))
    grep -q '^done$' out.txt || { cat out.txt err.txt; fail "$mode: the program failed"; }
    grep -q '^profiler: preload,' out.txt || fail "$mode: another profiler was used"
    expect "hostile-$mode" hot 70 $((points + 1))
    expect "hostile-$mode" warm 20 $((points + 1))
    rooted_well "hostile-$mode"
done
expect hostile-mask work_in_handler 50 $((points + 1))
for mode in close small; do
    flame "hostile-$mode" -- ./hostile_signals $mode $((4000 / less))
    grep -q '^done$' out.txt || { cat out.txt err.txt; fail "$mode: the program failed"; }
    rooted_well "hostile-$mode"
done

# If the object cannot be used, the tracer is, and a message says why.
flame static -- ./workload_static shares $((300 / less))
says "; not 'preload', because 'workload_static' is linked statically"
cp hostile_signals set_uid
chmod u+s set_uid
flame set_uid -- ./set_uid work $((3000 / less))
says "; not 'preload', because 'set_uid' is a set-uid program"
# shellcheck disable=SC2086
! $user ./refuse EPERM ./tacho flame --profiler preload --out-dir open -- ./workload_static shares 10 >out.txt 2>err.txt || fail "a static program was captured by preload"
says "'workload_static' is linked statically; use --profiler ptrace"
flame script -- sh -c "./workload shares $((400 / less)); exec ./workload shares $((400 / less))"
grep -q '^profiler: preload,' out.txt || fail "a shell: another profiler was used"
expect script hot 70 $((points + 2))

# Options that need perf events are refused.
# shellcheck disable=SC2086
for option in --off-cpu --kernel --all; do
    command='./workload shares 10'
    [ $option != --all ] || command=
    ! $user ./refuse EPERM ./tacho flame --out-dir open $option --duration 1s $command >out.txt 2>err.txt || fail "$option should not be allowed"
    says 'no permission to sample'
done
