#!/bin/sh
# Profiles a program with a known profile, built and run in many ways, with tacho and, if requested,
# with perf: shares are right, every leaf has a name, and both agree.
#
#   proof.sh PROJECT TACHO WORKLOAD-FOLDER [perf]
set -eu
. "$1/tests/kit/flame/capture.sh"
programs=$3
can_sample "$programs/workload"
export HOME="$scratch"

rate=4987 # a sample comes every so often in every part of the work: 3 points are far beyond chance
profilers=native
if [ "${4:-}" = perf ]; then # nothing else runs then
    points=3
    need perf
    profilers="native perf"
fi

# profile PROFILER LABEL OPTION COMMAND...: folded stacks in PROFILER-LABEL.folded
profile()
{
    profiler=$1 label=$2 option=$3
    shift 3
    # shellcheck disable=SC2086  # an option is one or two words, or none
    "$tacho" flame --profiler "$profiler" --rate $rate --folded --force --label "$profiler-$label" $option \
        -- "$@" >out.txt 2>&1 || { cat out.txt; fail "$profiler cannot profile $*"; }
    mv "flamegraph-$profiler-$label.folded" "$profiler-$label.folded"
    [ -s "flamegraph-$profiler-$label.svg" ] || fail "$profiler drew nothing of $label"
    ! awk '{ sub(/ [0-9]+$/, ""); sub(/.*;/, "") } $0 == "[unknown]"' "$profiler-$label.folded" | grep -q . ||
        fail "$profiler: $label has leaves without a name"
}

# expect PROFILER-LABEL FRAME PERCENT: all or nothing does not depend on other processes
expect()
{
    case $3 in
    0 | 100) near "$1, $2" "$(share "$1.folded" "$2")" "$3" 3 ;;
    *) near "$1, $2" "$(share "$1.folded" "$2")" "$3" $points ;;
    esac
}

known()
{
    expect "$1" hot 70
    expect "$1" warm 20
    expect "$1" cool 10
}

for p in $profilers; do
    profile "$p" shares '' "$programs/workload" shares 100
    known "$p-shares"
    expect "$p-shares" main 100

    profile "$p" recursion '' "$programs/workload" recursion 100
    known "$p-recursion"
    grep -q 'recurse;recurse;recurse;recurse;recurse;recurse;recurse;recurse;recurse;recurse' "$p-recursion.folded" ||
        fail "$p: recursion is not deep"

    profile "$p" threads '' "$programs/workload" threads 40
    known "$p-threads"
    expect "$p-threads" thread_main 100

    profile "$p" fork '' "$programs/workload" fork 50
    known "$p-fork"

    profile "$p" dlopen '' "$programs/workload" dlopen 20 "$programs/libworkload.so"
    expect "$p-dlopen" library_hot 66.7
    expect "$p-dlopen" library_warm 33.3
    expect "$p-dlopen" main 100

    profile "$p" inlined '' "$programs/workload" inlined 100
    expect "$p-inlined" inlined_hot 70
    expect "$p-inlined" inlined_middle 70
    expect "$p-inlined" warm 20
    grep -q 'outer;inlined_middle_\[i\];inlined_hot_\[i\]' "$p-inlined.folded" || fail "$p: inlined frames are missing"

    profile "$p" fp '--call-graph fp' "$programs/workload_fp" recursion 100
    known "$p-fp"
    expect "$p-fp" main 100

    HOME=$scratch/$p # perf finds names in the folder where it keeps all that it has seen
    profile "$p" stripped '' "$programs/workload_stripped" shares 100
    if [ "$p" = native ]; then
        hot=$(nm "$programs/workload" | awk '$3 == "hot" { sub(/^0*/, "", $1); print $1 }')
        expect "$p-stripped" "workload_stripped+0x$hot" 70
    else
        expect "$p-stripped" '[workload_stripped]' 100
    fi
done

# The debug file of a stripped program, found by its .gnu_debuglink.
profile native debuglink '' "$programs/workload_linked" shares 100
known native-debuglink

profile native no-inline --no-inline "$programs/workload" inlined 100
expect native-no-inline outer 100
expect native-no-inline inlined_hot 0
profile native source --source "$programs/workload" inlined 40
grep -q 'outer:workload.c:[0-9]*;inlined_middle:workload.c:[0-9]*_\[i\];' native-source.folded ||
    fail "source lines are missing"
profile native signal '' "$programs/workload" signal 40
grep -q 'main;in_signal_\[i\];raiser;.*;on_signal;' native-signal.folded || grep -q 'raiser;.*;on_signal;' native-signal.folded ||
    fail "unwinding stopped at the frame of a signal"
expect native-signal main 100
profile native jit --per-thread "$programs/workload" jit 300
expect native-jit 'compiled code' 100
expect native-jit main 100
rm -f "/tmp/perf-$(sed -n 's|^workload-\([0-9]*\)/.*|\1|p' native-jit.folded | head -n 1).map"
profile native thread --per-thread "$programs/workload" threads 30
[ "$(sed 's/;.*//' native-thread.folded | sort -u | grep -c '^workload-[0-9]*/[0-9]*$')" -ge 3 ] ||
    fail "threads are not separate"

case $profilers in
*perf*)
    for label in shares recursion threads fork inlined fp; do
        for frame in hot warm cool; do
            [ "$label-$frame" != inlined-hot ] || frame=inlined_hot
            near "native and perf, $label, $frame" "$(share "native-$label.folded" $frame)" \
                "$(share "perf-$label.folded" $frame)" 3
        done
    done
    ;;
esac
