#!/bin/sh
# allocations.sh TACHO PRELOAD [SCENARIO...]: makes allocations of tacho fail one after the other. See
# fault_lib.sh. MOST=N limits them to N per scenario, spread over all allocations (default 60).
set -u
# shellcheck source=SCRIPTDIR/fault_lib.sh
. "$(dirname "$0")/fault_lib.sh"
preload=$2
shift 2
most=${MOST:-60}

# The words before a command whose allocation fails, up to the number of the allocation; 0: none fails.
by="env LD_PRELOAD=$preload FAIL_ALLOCATION_LOG=$scratch/log FAIL_ALLOCATION"

scenario()
{
    rm -f log
    # shellcheck disable=SC2086 # words
    prepare "$1" $by=0 || return
    count=$(sort -n log | tail -n 1)
    [ "${count:-0}" -gt 0 ] || fail "no allocation was counted"
    # shellcheck disable=SC2013 # one word per line
    for number in $(awk -v n="$count" -v most="$most" 'BEGIN {
            for (i = 0; i < n && i < most; i++)
                print n <= most ? i + 1 : 1 + int(i * (n - 1) / (most - 1))
        }'); do
        label="$1, allocation $number of $count fails"
        rm -f log
        # shellcheck disable=SC2086 # words
        inject "$1" $by="$number"
        ! grep -q failed log || judge "$1"
    done
}

all_scenarios "$@"
