# shellcheck shell=sh
# shellcheck disable=SC2154 # lib.sh sets $scratch; the script that sources this sets $tacho and $project
# Functions that compare Perfetto's own trace processor with tacho's summary. Source this after lib.sh.
# $tacho is the command, $project the folder of the sources.

[ -n "${TACHO_REFERENCE_DATA:-}" ] ||
    skip "TACHO_REFERENCE_DATA is not set, it names the folder of tools/tpq; kit.trace.perfetto and kit.trace.convert test without it"
tpq=$TACHO_REFERENCE_DATA/tools/tpq
[ -x "$tpq" ] || skip "there is no $tpq"
need node python3
printf '[{"name":"a","ph":"X","ts":0,"dur":1,"pid":1,"tid":1}]' >"$scratch/one.json"
"$tpq" "$scratch/one.json" "select 1" >"$scratch/try" 2>&1 ||
    skip "tpq does not run: $(tail -1 "$scratch/try")"

# ask FILE SQL...: prints the answers of the trace processor, without its remarks.
ask()
{
    "$tpq" "$@" 2>"$scratch/errors" | grep -v '^#' | grep . ||
        fail "tpq cannot read $1: $(tail -3 "$scratch/errors")"
}

# agree FILE WHAT [length]: checks that the summary of the file and the trace processor agree on every name.
agree()
{
    # Write to a file, because output through a pipe is truncated when tpq exits.
    "$tpq" "$1" "select id, ifnull(parent_id, -1) as p, dur,
        replace(replace(ifnull(name, ''), char(10), ' '), char(9), ' ') as n from slice" \
        >"$scratch/slices.all" 2>"$scratch/errors" ||
        fail "tpq cannot read $1: $(tail -3 "$scratch/errors")"
    grep -v '^#' "$scratch/slices.all" | tail -n +2 >"$scratch/slices"
    bounds=
    [ -z "${3:-}" ] || bounds=$(ask "$1" "select start_ts, end_ts from trace_bounds" | tail -1)
    orphans=$(ask "$1" "select ifnull(sum(value), 0) as n from stats
        where name = 'track_hierarchy_missing_uuid'" | tail -1)
    "$tacho" trace summary --json --top 1000000 "$1" >"$scratch/summary" 2>"$scratch/errors" ||
        fail "$2: $(cat "$scratch/errors")"
    python3 "$project/tests/kit/trace/agree.py" "$scratch/summary" "$scratch/slices" "$bounds" \
        "$orphans" "$2" || exit 1
}

# others FILE: prints the number of counters, their sum, and the number of flows.
others()
{
    ask "$1" "select count(*) as counters, sum(value) as total from counter" \
        "select count(*) as flows from flow"
}

# ours FILE: prints the spans of tacho's summary; spans without length are left out on both sides.
ours()
{
    "$tacho" trace summary --json --top 1000000 "$1" 2>/dev/null | python3 -c '
import json, sys
for row in sorted(json.load(sys.stdin)["rows"], key=lambda r: r["name"].encode()):
    if row["min_ns"] > 0:
        print(row["name"], row["count"], row["total_ns"], sep="\t")'
}

# check FILE WHAT: compares through each format that the trace processor reads, and through a recording.
check()
{
    ours "$1" >"$scratch/wanted"
    [ -s "$scratch/wanted" ] || fail "$2: our summary has no spans"
    rm -f "$scratch/others"
    for extension in json json.gz pftrace tacho; do
        out=$scratch/out.$extension
        if [ $extension = tacho ]; then
            "$tacho" trace validate --quiet --fix "$1" -o "$out" 2>"$scratch/why" ||
                fail "$2: $(cat "$scratch/why")"
            out=$scratch/back.json
            "$tacho" trace validate --quiet --fix "$scratch/out.tacho" -o "$out" 2>/dev/null ||
                fail "$2: the recording cannot be read"
        else
            "$tacho" trace validate --quiet --fix "$1" -o "$out" 2>/dev/null ||
                fail "$2: cannot be written as $extension"
        fi
        ours "$out" >"$scratch/again"
        expect_same "$2 by summary of $extension" "$scratch/wanted" "$scratch/again"
        agree "$out" "$2 as $extension"
        others "$out" >"$scratch/others.now"
        [ -e "$scratch/others" ] || cp "$scratch/others.now" "$scratch/others"
        expect_same "$2 as $extension: counters and flows" "$scratch/others" "$scratch/others.now"
        lost=$("$tpq" "$out" "select name from stats where value != 0
               and severity in ('error', 'data_loss')" 2>/dev/null | grep -v '^#' | tail -n +2)
        [ -z "$lost" ] || fail "$2 as $extension: lost: $lost"
    done
    echo "checked: $2"
}
