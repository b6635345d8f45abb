#!/bin/sh
# preload.sh TACHO PROGRAM: the preloaded sampler changes neither the work nor the status of programs that
# signals could disturb, and a missing profile has the right reason.
set -u
tacho=$1
program=$2
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
cd "$scratch" || exit 1

# profile MODE: sets $status and writes `log`
profile()
{
    status=0
    in_time "$tacho" flame --profiler preload --pass-status --force --out-dir "$1" -- "$program" "$1" >log 2>&1 || status=$?
    grep -q '^done$' log || { cat log; fail "$1: the program did not complete its work"; }
    [ $status = 5 ] || { cat log; fail "$1: the status is $status, not 5"; }
}

for mode in scratch scratch-thread traced-call; do
    profile $mode
    ls "$mode"/flamegraph-*.svg >/dev/null || { cat log; fail "$mode: there is no flamegraph"; }
done
profile blocked
grep -q "because the program blocks the sampler's signal" log || { cat log; fail "blocked: the reason is wrong"; }
profile traced
# A sample may have been taken before the call. Both are right.
grep -q 'called ptrace(PTRACE_TRACEME)' log || { cat log; fail "traced: the reason is wrong"; }
