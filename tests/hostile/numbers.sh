#!/bin/sh
# numbers.sh TACHO PRELOAD [CASE...|measuring]: makes each allocation of commands that print numbers fail, one after
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
tried=0

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

"$tacho" sweep -q -n 2 --grid a=1,2,3 --name s -- true '{a}' >log || fail "tacho sweep"
cat >hyperfine.json <<'END'
{"results": [{"command": "one", "mean": 1.5, "stddev": 0.1, "median": 1.5, "user": 1.4, "system": 0.1, "min": 1.4,
"max": 1.6, "times": [1.4, 1.5, 1.6], "exit_codes": [0, 0, 0]}]}
END
cat >tacho.yaml <<'END'
defaults: {runs: 6, max_runs: 6}
benches:
- name: steps
  command: echo steps 12
  metrics: {steps: 'steps ([0-9]+)'}
  budgets:
    steps: {tolerance: 5%, direction: lower}
END
"$tacho" baseline save -q >log || fail "tacho baseline save"

# shape FILE: removes what differs from one run to the next, and the warnings about the machine, so that words, the
# places of numbers and bars are compared.
shape()
{
    ! [ -e "$1" ] || sed -E '/^warning: /d; /peak memory of the tree/d; /^ *(→|->)/d; s/[0-9]{8}-[0-9]{6}-[0-9a-f]+//g; s/[-+]?[0-9]+([.:-][0-9]+)*//g; s/[0-9a-f]{6,}//g; s/\b(ns|us|ms|s|KiB|MiB|B)\b//g; s/ +/ /g' "$1" >shape
    ! [ -e "$1" ] || mv shape "$1"
}

# check_shape NAME WORDS...: like check(), for a command that measures.
check_shape()
{
    shape=shape
    check "$@"
    shape=:
}
shape=:

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
    $shape good
    $shape file
    [ ! -e file ] || mv file good.file
    count=$(sort -n log | tail -n 1)
    [ "${count:-0}" -gt 0 ] || fail "$name: no allocation was counted"
    number=0
    lost=0
    while [ $number -lt "$count" ]; do
        number=$((number + 1))
        rm -f file
        LD_PRELOAD=$preload FAIL_ALLOCATION=$number "$tacho" "$@" >got 2>err
        status=$?
        [ $status -eq 0 ] || [ $status -eq 2 ] || continue
        $shape got
        $shape file
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
    tried=$((tried + count))
}

all="compare compare_narrow compare_json compare_html report_html report_md report_json report_csv report_junit
report_prometheus both_html both_md trace events events_compare stats sweep import"
# These measure, so they take long.
[ "$*" != measuring ] || set -- run gate

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
    sweep) check "$1" sweep -q -n 2 --grid a=1,2,3 --name s -- true '{a}' ;;
    import) check_shape "$1" import -o imported hyperfine.json ;;
    run) check_shape "$1" run -n 3 -w 0 --name fresh --metric 'steps=([0-9]+)' -- echo steps 12 ;;
    gate) check_shape "$1" gate --md file ;;
    stats) check "$1" stats numbers ;;
    esac
}

# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $all
for case; do
    one "$case"
done
echo "$tried allocations tried, $wrong wrong"
[ $wrong -eq 0 ] || fail "$wrong times numbers were lost silently"
