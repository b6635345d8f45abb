#!/bin/sh
# Captures as an ordinary user and, when root runs it, as root.
#
#   rights.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/capture.sh"
can_sample "$3/workload"
uid=$(id -u)
user=
if [ "$uid" -eq 0 ]; then
    need setpriv
    user='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all'
    "$tacho" flame --folded --label root --out-dir "$scratch" -- "$3/workload" shares 100 >out.txt 2>&1 || { cat out.txt; fail "as root"; }
    ! grep -q 'user code only' out.txt || fail "root has no kernel frames"
fi

# A copy that everybody may read: the build folder may be closed to others.
chmod 755 "$scratch"
cp "$tacho" "$3/workload" "$scratch/"
mkdir "$scratch/open"
chmod 777 "$scratch/open"
user()
{
    $user "$@"
}

level=$(cat /proc/sys/kernel/perf_event_paranoid)
if [ "$level" -gt 2 ]; then
    ! user "$scratch/tacho" flame --profiler native --out-dir open -- "$scratch/workload" shares 100 2>err.txt || fail "it should not be allowed"
    grep -q "kernel.perf_event_paranoid is $level; run 'sudo sysctl kernel.perf_event_paranoid=2'" err.txt ||
        { cat err.txt; fail "the message does not say what to run"; }
    exit 0
fi
user "$scratch/tacho" flame --folded --label user --out-dir open -- "$scratch/workload" threads 100 >out.txt 2>&1 ||
    { cat out.txt; fail "as an ordinary user"; }
near "ordinary user, hot" "$(share open/flamegraph-user.folded hot)" 70 $points
near "ordinary user, thread_main" "$(share open/flamegraph-user.folded thread_main)" 100 3
# The rings of an ordinary user are small, so on a busy machine some samples are lost.
awk '/^samples: / { gsub(/,/, ""); if ($4 > $2 / 10) exit 1 }' out.txt || { cat out.txt; fail "too many samples were lost"; }
if [ "$level" -eq 2 ]; then
    grep -q 'user code only' out.txt || fail "no message says that kernel frames are missing"
    ! user "$scratch/tacho" flame --kernel --out-dir open -- "$scratch/workload" 2>err.txt || fail "--kernel should not be allowed"
    grep -q "no permission to sample the kernel: kernel.perf_event_paranoid is 2" err.txt || { cat err.txt; fail "--kernel"; }
    ! user "$scratch/tacho" flame --all --duration 100ms --out-dir open 2>err.txt || fail "--all should not be allowed"
    grep -q "sysctl kernel.perf_event_paranoid=0" err.txt || { cat err.txt; fail "--all"; }
fi
chmod 555 "$scratch/open"
! user "$scratch/tacho" flame --out-dir open -- "$scratch/workload" shares 10 2>err.txt || fail "it wrote to a folder without permission"
grep -q 'failed to write flamegraph SVG to open/flamegraph-workload.svg: cannot write to its folder: Permission denied' err.txt || { cat err.txt; fail "closed folder"; }
chmod 777 "$scratch/open" # so that it can be removed
! user "$scratch/tacho" flame -p 1 --out-dir "$scratch" --duration 100ms 2>err.txt || fail "it sampled a process of root"
grep -q '^tacho: ' err.txt || fail "there is no message about root's process"

# Only root may sample where threads wait.
[ "$uid" -eq 0 ] || exit 0
"$tacho" flame --off-cpu --folded --label off -- "$3/workload" sleep 200 >out.txt 2>&1 || { cat out.txt; fail "--off-cpu"; }
near "off-CPU, sleeper" "$(share flamegraph-off.folded sleeper)" 95 $points
# Two programs on one CPU take it from each other.
cpu=$(awk '/^Cpus_allowed_list/ { split($2, list, /[,-]/); print list[1] }' /proc/self/status)
# shellcheck disable=SC2016 # the variable of the inner shell
taskset -c "$cpu" "$tacho" flame --off-cpu --folded --label cpu -- sh -c '"$0" shares 300 & "$0" shares 300; wait' "$3/workload" >out.txt 2>&1 ||
    { cat out.txt; fail "--off-cpu on one CPU"; }
grep -q '^workload;.*;\[waiting for a CPU\]_\[k\] [0-9]' flamegraph-cpu.folded || { cat flamegraph-cpu.folded; fail "no program waited for the CPU"; }
grep -q '>waiting for a CPU<' flamegraph-cpu.svg || fail "the colour has no legend"
"$tacho" flame --all --duration 300ms --folded --label all >out.txt 2>&1 || { cat out.txt; fail "--all"; }
"$tacho" flame --kernel --folded --label kernel -- dd if=/dev/zero of=/dev/null bs=1 count=300000 >out.txt 2>&1 || { cat out.txt; fail "--kernel"; }
! sed '/^#/d; s/ [0-9]*$//' flamegraph-kernel.folded | grep -v '_\[k\]$' || fail "--kernel has user frames"
"$tacho" flame --user --folded --label user -- dd if=/dev/zero of=/dev/null bs=1 count=300000 >out.txt 2>&1 || { cat out.txt; fail "--user"; }
! grep '_\[k\]' flamegraph-user.folded || fail "--user has kernel frames"
