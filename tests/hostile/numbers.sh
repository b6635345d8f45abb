#!/bin/sh
# numbers.sh TACHO PRELOAD [CASE...]: makes each allocation of commands that print numbers fail, one after
# the other. The whole output is that of a command whose allocations succeed, or the exit status is not 0.
set -u
tacho=$1
preload=$2
shift 2
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
cd "$scratch" || exit 1
unset TACHO_RUN_DIR TACHO_TRACE_OUT TACHO_PROFILE_JSONL
wrong=0

# shellcheck disable=SC2016 # the measured shell expands the variable
for side in old new; do
    "$tacho" run -q -n 8 -w 0 --name $side -o out --metric 'steps=([0-9]+)' --metric 'time=t([0-9]+)' \
        --work-per-run 5items -- sh -c 'echo steps 12; echo t7
        echo "{\"stage\": 1}" >"$TACHO_RUN_DIR/profile.1.jsonl"' >log || fail "tacho run"
done
i=0
while [ $i -lt 40 ]; do
    i=$((i + 1))
    echo "{\"event\":\"step\",\"total_us\":$((i * 7)),\"read_us\":$i,\"write_us\":$((i * 3))}"
done >events.jsonl
seq 1 500 >numbers
awk 'BEGIN {
    print "["
    for (i = 0; i < 60; i++)
        printf "{\"name\":\"span %d\",\"cat\":\"c%d\",\"ph\":\"X\",\"ts\":%d,\"dur\":9,\"pid\":1,\"tid\":%d},\n",
            i % 9, i % 4, i * 10, i % 3
    print "{\"name\":\"end\",\"ph\":\"X\",\"ts\":900,\"dur\":1,\"pid\":1,\"tid\":1}]"
}' >trace.json

# check NAME WORDS...: runs tacho with these words once without a fault and once for each allocation.
check()
{
    name=$1
    shift
    rm -f log file
    LD_PRELOAD=$preload FAIL_ALLOCATION_LOG=log FAIL_ALLOCATION=0 "$tacho" "$@" >good 2>err
    wanted=$?
    [ $wanted -eq 0 ] || [ $wanted -eq 2 ] || fail "$name exits with $wanted: $(cat err)"
    [ -s good ] || [ -s file ] || fail "$name prints nothing"
    [ ! -e file ] || mv file good.file
    count=$(sort -n log | tail -n 1)
    number=0
    lost=0
    while [ $number -lt "$count" ]; do
        number=$((number + 1))
        rm -f file
        LD_PRELOAD=$preload FAIL_ALLOCATION=$number "$tacho" "$@" >got 2>err
        status=$?
        [ $status -eq 0 ] || [ $status -eq 2 ] || continue
        cmp -s good got && [ $status -eq $wanted ] && { [ ! -e good.file ] || cmp -s good.file file; } && continue
        lost=$((lost + 1))
        [ $lost -gt 1 ] || {
            echo "$name: other output when allocation $number of $count fails:"
            diff good got | cut -c 1-200 | head -n 6
            cat err
        }
    done
    rm -f good.file
    echo "$name: $lost of $count allocations lose something"
    wrong=$((wrong + lost))
}

all="compare compare_narrow compare_json compare_html report_html report_md report_json report_csv report_junit
report_prometheus both_html both_md trace events events_compare stats"

one()
{
    case $1 in
    compare) check "$1" compare -t 5% out/old out/new ;;
    compare_narrow) check "$1" compare --width 70 out/old out/new ;;
    compare_json) check "$1" compare --json -t 5% out/old out/new ;;
    compare_html) check "$1" compare -t 5% --html file out/old out/new ;;
    report_*) check "$1" report -f "${1#report_}" -o - out/old ;;
    both_*) check "$1" report -f "${1#both_}" -o - out/old out/new ;;
    trace) check "$1" trace summary trace.json ;;
    events) check "$1" events summary events.jsonl ;;
    events_compare) check "$1" events compare events.jsonl events.jsonl ;;
    stats) check "$1" stats numbers ;;
    esac
}

# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $all
for case; do
    one "$case"
done
[ $wrong -eq 0 ] || fail "$wrong times numbers were lost silently"
