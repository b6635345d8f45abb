#!/bin/sh
# Without the right to perf events, as an ordinary user: the samplers that need none see what is
# there, and the command says which one was used, why, and what differs.
#
#   norights.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/capture.sh"
refuse=$3/refuse
"$refuse" EPERM true || skip "no seccomp filters here"

# Copies that everybody may read: the build folder may be closed to others.
chmod 755 "$scratch"
for file in "$tacho" "$3"/workload "$3"/workload_static "$3"/libworkload.so "$refuse"; do
    cp "$file" "$scratch/"
done
mkdir -m 777 open
user=
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    user='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all'
fi

# flame LABEL OPTION... -- COMMAND...: folded stacks in open/flamegraph-LABEL.folded
flame()
{
    label=$1
    shift
    # shellcheck disable=SC2086  # several words
    $user "$scratch/refuse" EPERM "$scratch/tacho" flame --folded --force --label "$label" --out open "$@" >out.txt 2>err.txt ||
        { cat out.txt err.txt; fail "$label cannot be captured"; }
}

# says TEXT: the messages contain it
says()
{
    grep -qF -- "$1" err.txt || { cat err.txt; fail "it does not say '$1'"; }
}

# expect LABEL FRAME PERCENT [POINTS]
expect()
{
    near "$1, $2" "$(share "open/flamegraph-$1.folded" "$2")" "$3" "${4:-4}"
}

known()
{
    expect "$1" hot 70
    expect "$1" warm 20
    expect "$1" cool 10
}

# rooted_well LABEL: at least 95 % of the stacks reach main or the start of a thread
rooted_well()
{
    awk -v got="$(rooted "open/flamegraph-$1.folded")" 'BEGIN { exit !(got >= 95) }' ||
        { cat "open/flamegraph-$1.folded"; fail "$1: only $(rooted "open/flamegraph-$1.folded") % of the stacks reach the root"; }
}

flame probe --profiler ptrace -- ./workload shares 20 || skip "ptrace is not allowed here"

# From outside, at a rate at which 4 points are beyond chance, also where others use the CPUs.
rate=4000
for mode in shares threads fork recursion; do
    flame "ptrace-$mode" --profiler ptrace --rate $rate -- ./workload $mode 400
    known "ptrace-$mode"
    rooted_well "ptrace-$mode"
    grep -q '^profiler: ptrace, cpu-time, user code only$' out.txt || { cat out.txt; fail "the profiler is not named"; }
done
flame ptrace-static --profiler ptrace --rate $rate -- ./workload_static shares 400
known ptrace-static
flame ptrace-dlopen --profiler ptrace --rate $rate -- ./workload dlopen 80 ./libworkload.so
expect ptrace-dlopen library_hot 66.7
expect ptrace-dlopen main 100
flame ptrace-exec --profiler ptrace --rate $rate -- sh -c 'env ./workload shares 200; exec ./workload shares 200'
known_share=$(share open/flamegraph-ptrace-exec.folded hot)
awk -v got="$known_share" 'BEGIN { exit !(got > 60 && got < 75) }' || fail "exec and children: hot has $known_share %"
flame ptrace-signal --profiler ptrace --rate $rate -- ./workload signal 200
expect ptrace-signal main 100

# A process that runs already, and keeps running.
$user ./workload shares 100000 &
pid=$!
while ! grep -q workload "/proc/$pid/comm"; do sleep 0.02; done
flame ptrace-pid --duration 1s --pid $pid
says "'ptrace' was taken in place of 'native': no permission to sample"
says 'samples per second of CPU time'
expect ptrace-pid hot 70 10
alive $pid || fail "the process that was profiled is gone"
grep -q '^TracerPid:	0$' "/proc/$pid/status" || fail "it is still traced"
kill $pid
wait $pid || :

# How the command ended is passed on, and its signals reach it.
ended=0
# shellcheck disable=SC2086
$user ./refuse EPERM ./tacho flame --profiler ptrace --rate $rate --pass-status --force --out open -- ./workload fail 40 >out.txt 2>&1 || ended=$?
[ $ended = 7 ] || { cat out.txt; fail "the status is $ended, not 7"; }
# shellcheck disable=SC2086
$user ./refuse EPERM ./tacho flame --profiler ptrace --duration 300ms --json --force --out open -- ./workload shares 1000000 >out.txt 2>&1 || :
grep -q '"signal":15' out.txt || { cat out.txt; fail "a command without end was not terminated"; }
tail -n 1 out.txt >json.txt
mv json.txt out.txt
as_schema

# What needs perf events is refused as before.
# shellcheck disable=SC2086
for option in --off-cpu --kernel --all; do
    command='./workload shares 10'
    [ $option != --all ] || command=
    ! $user ./refuse EPERM ./tacho flame --out open $option --duration 1s $command >out.txt 2>err.txt || fail "$option should not be allowed"
    says 'no permission to sample'
done
