#!/bin/sh
# On a CPU that the samplers without perf events do not support, they say so when asked for by name,
# and where perf events are refused the message names both.
#
#   no_samplers.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/capture.sh"
for profiler in preload ptrace; do
    ! "$tacho" flame --profiler $profiler -- "$3/workload" shares 10 >out.txt 2>err.txt || fail "$profiler works"
    grep -qF "$profiler: it is not supported on this CPU" err.txt || { cat err.txt; fail "$profiler: the CPU is not named"; }
done
"$3/refuse" EPERM true || skip "no seccomp filters here"
! "$3/refuse" EPERM "$tacho" flame -- "$3/workload" shares 10 >out.txt 2>err.txt || fail "there is a profiler"
grep -q 'no permission to sample' err.txt || { cat err.txt; fail "the reason is missing"; }
