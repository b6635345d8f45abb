#!/bin/sh
# Exact counts in tacho compare and tacho gate: one call more is a FAIL that names it.
#   counts.sh TACHO COUNTED COUNTED_STATIC CHECK_SCHEMA SCHEMAS
tacho=$1
counted=$2
static=$3
check_schema=$4
schemas=$5
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SERVER_URL CI_JOB_URL

# of NAME COMMAND...: makes a run folder with counts.
of()
{
    name=$1
    shift
    "$tacho" run -q -n 2 --name "$name" --count syscalls,allocations -- "$@" >out 2>&1 ||
        fail "the run $name: $(cat out)"
}

# --- compare ---
of three "$counted" both 3
of four "$counted" both 4
of again "$counted" both 3
of moved "$counted" alloc 4 # one getppid() less, but no other change
of toggle "$counted" toggle
at() { echo "tacho-out/$1/latest"; }

ends_with 0 "$tacho" compare --tolerance syscalls=0 --tolerance allocations=0 "$(at three)" "$(at again)"
says PASS
ends_with 2 "$tacho" compare --tolerance syscalls=0 "$(at three)" "$(at four)"
says "getppid +1"
says "exact"
ends_with 2 "$tacho" compare --tolerance allocations=0 "$(at three)" "$(at four)"
says "malloc +1"
ends_with 0 "$tacho" compare --tolerance allocations=0 "$(at four)" "$(at three)"
ends_with 2 "$tacho" compare --equivalent --tolerance allocations=0.1% "$(at four)" "$(at three)"
ends_with 0 "$tacho" compare --tolerance allocations=50% "$(at three)" "$(at four)"
ends_with 0 "$tacho" compare "$(at three)" "$(at four)"
says "note: system calls: getppid +1"
# An exact count that changed has p = 0, with or without a budget. One that became better has no limit to show.
for budget in '' '--tolerance=syscalls=0'; do
    "$tacho" compare --json ${budget:+"$budget"} "$(at three)" "$(at four)" >out 2>err
    jq -e '.rows[] | select(.metric == "syscalls") | .p == 0 and .p_adjusted == 0' out >/dev/null ||
        fail "p of a changed count with '$budget': $(cat out)"
done
ends_with 0 "$tacho" compare --tolerance allocations=0 "$(at four)" "$(at three)"
grep -q 'allowed' out && fail "a count that became better shows what is allowed: $(cat out)"
# Exact counts are shown with all digits.
of many "$counted" alloc 12345
ends_with 0 "$tacho" compare "$(at many)" "$(at many)"
says "12,345"
of none "$counted" alloc 0
ends_with 2 "$tacho" compare --tolerance allocations=0 "$(at none)" "$(at three)"
grep -q '^allocations .* exact .*FAIL' out || fail "a count of 0 is not exact: $(cat out)"
# A small change is never rounded to 0, and one beyond the tolerance never to the tolerance.
of more "$counted" alloc 12346
ends_with 2 "$tacho" compare --tolerance allocations=0 "$(at many)" "$(at more)"
says "+0.01 %"
of percent "$counted" alloc 12469
ends_with 2 "$tacho" compare --tolerance allocations=1% "$(at many)" "$(at percent)"
says "allocations +1.004 % [exact], allowed +1.0 %"
ends_with 0 "$tacho" compare --json --tolerance syscalls=0 "$(at three)" "$(at again)"
cp out verdict.json
"$check_schema" "$schemas" <verdict.json || fail "the verdict does not match its schema"
jq -e '.rows[] | select(.metric == "syscalls") | .exact and .verdict == "PASS" and .ratio.level == 0' verdict.json \
    >/dev/null || fail "the row of system calls: $(cat verdict.json)"

# A count that varies between runs is judged like a time, and the report says so.
ends_with 0 "$tacho" compare --tolerance syscalls=0 "$(at toggle)" "$(at toggle)"
says "INCONCLUSIVE"
says "it varies between counted runs, so it is judged like a time"

# Counts of another key are not compared, so there is no PASS.
cp -r "$(at three)/" other
jq '.counts.syscalls.key = "another libc"' other/run.json >other.json && mv other.json other/run.json
ends_with 4 "$tacho" compare --tolerance syscalls=0 other "$(at three)"
says "system calls cannot be compared: counted with another libc before"
# A damaged count is an error, and not 0.
jq '.counts.syscalls.values = ["x"]' "$(at three)/run.json" >other/run.json
ends_with 1 "$tacho" compare --tolerance syscalls=0 other "$(at three)"
says "'counts': a number is missing"

# --- gate ---
cp "$counted" program
settings()
{
    cat >tacho.yaml <<END
defaults: {runs: 6, max_runs: 6}
benches:
- name: bench
  command: $1
  budgets: {$2}
END
}

settings './program alloc 12345' 'allocations: {tolerance: 0}, syscalls: {max: 100000}'
ends_with 0 "$tacho" gate # a count without a baseline has all its digits, too
grep -q ' 12,345 .* no baseline' out || fail "a new count is rounded: $(cat out)"
settings './program both 3' 'syscalls: {tolerance: 0}, allocations: {max: 3}'
ends_with 0 "$tacho" gate # a limit needs no baseline
ends_with 0 "$tacho" baseline save
jq -c . .tacho/baselines/bench/*.json | "$check_schema" "$schemas" || fail "the baseline does not match its schema"
ends_with 0 "$tacho" gate
says PASS
settings './program both 3' 'allocations: {max: 2}'
ends_with 2 "$tacho" gate
says FAIL

# The program makes one call more; its command is the same.
settings './wrapper' 'syscalls: {tolerance: 0}'
printf '#!/bin/sh\nexec "%s" both 3\n' "$counted" >wrapper
chmod +x wrapper
ends_with 0 "$tacho" baseline save --replace
ends_with 0 "$tacho" gate
printf '#!/bin/sh\nexec "%s" both 4\n' "$counted" >wrapper
ends_with 2 "$tacho" gate
says "getppid +1"

# A count that cannot be made is not judged, so there is no PASS.
cp "$static" program
settings './program both 3' 'allocations: {max: 3}'
ends_with 4 "$tacho" gate
says "the program is static"
settings './program both 3' 'allocations: {max: 3, required: true}'
ends_with 2 "$tacho" gate
# If another budget passes, the report is WARN and names the count.
rm -r .tacho
settings './program both 3' 'allocations: {max: 3}, wall: {max: 1h}'
ends_with 0 "$tacho" gate
says "note: bench: allocations cannot be judged: the program is static"
grep -qx WARN out || fail "the report with an unjudged budget is not WARN: $(cat out)"
ends_with 3 "$tacho" gate --fail-on-warn

printf 'benches:\n- {name: x, command: "true", count: [cycles]}\n' >tacho.yaml
ends_with 1 "$tacho" gate
says "'count' is a list of instructions"
finish
