#!/bin/sh
# The gate runs suspects again before it says FAIL, and warns of tolerances too small to see. The
# programs print numbers, so that every verdict is certain.
#   fresh.sh TACHO CHECK_SCHEMA SCHEMAS
tacho=$1
check=$2
schemas=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

# prog NAME: counts its runs, and prints the line of the file NAME for this run. The last line is for all
# later runs. A line "fail" makes it fail.
cat >prog <<'END'
#!/bin/sh
n=$(cat "count-$1" 2>/dev/null || echo 0)
n=$((n + 1))
echo $n >"count-$1"
value=$(sed -n "${n}p" "$1")
[ -n "$value" ] || value=$(tail -n 1 "$1")
[ "$value" != fail ] || exit 3
echo "v $value"
END
chmod +x prog
cat >tacho.yaml <<'END'
defaults: {runs: 6, max_runs: 6, warmup: 0, metrics: {v: 'v ([0-9.]+)'}, budgets: {v: {tolerance: 10%, direction: lower}}}
benches:
  - {name: one, command: ./prog one}
  - {name: two, command: ./prog two}
END

# values NAME LINE...: sets what the next runs of a bench print.
values()
{
    name=$1
    shift
    printf '%s\n' "$@" >"$name"
    rm -f "count-$name"
}

# runs NAME: prints how many runs the last gate made of a bench.
runs()
{
    jq '.samples | length' "tacho-out/$1/latest/run.json"
}

values one 100
values two 100
ends_with 0 "$tacho" baseline save -q

# --- It FAILs again; only the suspect is run again ---
values one 200
values two 100
ends_with 2 "$tacho" gate --json-file gate.json
says "one: run again before FAIL, in a fresh block of 6 runs, which alone decides: it FAILs"
[ "$(runs one)" = 12 ] || fail "the suspect has $(runs one) runs, not 12"
[ "$(runs two)" = 6 ] || fail "a bench that is not a suspect has $(runs two) runs, not 6"
[ "$(jq -c '[.rows[] | [.bench, .verdict, .b.n]]' gate.json)" = '[["one","FAIL",6],["two","INCONCLUSIVE",6]]' ] ||
    [ "$(jq -c '[.rows[] | [.bench, .verdict, .b.n]]' gate.json)" = '[["one","FAIL",6],["two","PASS",6]]' ] ||
    fail "rows: $(jq -c .rows gate.json)"
[ "$(jq '.rows[0].largest_change' gate.json)" = null ] || fail "a FAIL names a largest change"
[ "$(jq '.rows[1] | .largest_change == .ratio.high - 1' gate.json)" = true ] || fail "a row does not name the end of its interval: $(jq -c '.rows[1]' gate.json)"

# --- It does not FAIL again: INCONCLUSIVE, by the fresh runs ---
values one 200 200 200 200 200 200 100
values two 100
ends_with 0 "$tacho" gate --json-file gate2.json
says "it does not FAIL"
says "FAIL at first, with +100.0 % in 6 runs; not confirmed by 6 fresh ones"
holds gate2.json '.rows[0] | [.verdict, .b.median] == ["INCONCLUSIVE", 100]'

# --- It cannot be run again ---
values one 200 200 200 200 200 200 200 fail
ends_with 1 "$tacho" gate --json-file gate3.json
says "it could not be run again"
[ "$(jq -r .verdict gate3.json)" = "NOT JUDGED" ] || fail "verdict: $(jq -r .verdict gate3.json)"

# --- In pairs, with a maximum, and a calibration that says which tolerance is too small ---
if command -v git >/dev/null; then
    cat >tacho.yaml <<'END'
defaults: {runs: 10, max_runs: 40, warmup: 0, metrics: {v: 'v ([0-9.]+)'}}
benches:
  - {name: one, command: ./prog one, budgets: {v: {tolerance: 3%, direction: lower, max: 150}}}
END
    # Values from 85 to 115 without an order (S. K. Park and K. W. Miller, 1988).
    awk 'BEGIN { for (x = 1; n++ < 600;) { x = x * 16807 % 2147483647; print 85 + x % 31 } }' >one
    rm -rf count-one tacho-out
    printf 'tacho-out\n.tacho\ncount-*\n*.json\nout\n' >.gitignore
    { git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -qm one; } || fail "no repository"
    ends_with 0 "$tacho" calibrate -q --bench one -n 60
    # compare names the tolerance, too.
    "$tacho" run -q -n 12 -o pair --metric 'v=v ([0-9.]+)' --name one --name other -c './prog one' -c './prog one' >out 2>&1 ||
        fail "no runs to compare: $(cat out)"
    "$tacho" compare -t v=3% --lower-is-better v pair/one pair/other >out 2>&1
    says "note: this machine can detect"
    says "with 12 runs; the tolerance is 3 %: expect INCONCLUSIVE, or allow"
    says "runs (tacho run -n"
    "$tacho" compare -t v=500% --lower-is-better v pair/one pair/other >out 2>&1
    grep -q "this machine can detect" out && fail "a large tolerance is named: $(cat out)"
    rm -rf pair
    ends_with 0 "$tacho" gate --against HEAD --build true
    says "one: this machine can detect"
    says "with 40 runs; the tolerance is 3 %: expect INCONCLUSIVE, or allow"
    ends_with 0 "$tacho" gate -q --against HEAD --build true
    if grep -q "this machine can detect" out; then fail "it warns despite --quiet"; fi
    values one 200
    ends_with 2 "$tacho" gate --against HEAD --build true --json-file gate4.json
    says "in a fresh block of 40 pairs, which alone decides: it FAILs"
    [ "$(jq -c '[.rows[] | [.budget.kind, .verdict, .b.n]]' gate4.json)" = '[["ratio","FAIL",40],["max","FAIL",40]]' ] ||
        fail "rows: $(jq -c '[.rows[] | [.budget.kind, .verdict, .b.n]]' gate4.json)"
    [ "$(runs one)" = 50 ] || fail "$(runs one) runs, not 50"
    # What only looks worse is a suspect, too: 8 of 10 pairs have a p of 5.5 %. Fresh pairs alone decide.
    mv tacho.yaml kept.yaml
    sed 's/budgets: .*/budgets: {v: {tolerance: 0%, direction: lower}}}/' kept.yaml >tacho.yaml
    values one 100
    { git add one && git -c user.name=t -c user.email=t@t commit -qm even; } || fail "no second commit"
    values one 110 110 110 110 90.909 110 90.909 110 110 110 120
    ends_with 2 "$tacho" gate --against HEAD --build true --json-file gate5.json
    says "one: run again before FAIL, in a fresh block of 40 pairs, which alone decides: it FAILs"
    holds gate5.json '.rows[0] | [.verdict, .b.n, .b.median] == ["FAIL", 40, 120]'
    values one 110 110 110 110 90.909 110 90.909 110 110 110 100
    ends_with 0 "$tacho" gate --against HEAD --build true --json-file gate6.json
    says "which alone decides: it does not FAIL"
    says "suspect at first, with +10.0 % in 10 runs; not confirmed by 40 fresh ones"
    holds gate6.json '.rows[0] | [.verdict, .b.n, .b.median] == ["INCONCLUSIVE", 40, 100]'
    mv kept.yaml tacho.yaml
    # Neither a calibration of another command nor a changed one is used.
    sed -i 's|./prog one|./prog  one|' tacho.yaml
    "$tacho" gate --against HEAD --build true >out 2>&1
    says "its calibration is of another command"
    sed -i 's/"noise":/"noise":1/' .tacho/calibration/one/*.json
    "$tacho" gate --against HEAD --build true >out 2>&1
    says "does not match its seal"
else
    for i in 4 5 6; do
        cp gate.json gate$i.json
    done
fi

checked=0
jq -c . gate.json gate2.json gate3.json gate4.json gate5.json gate6.json | "$check" "$schemas" >out 2>&1 || checked=$?
[ $checked -eq 0 ] || [ $checked -eq 77 ] || fail "$(cat out)"
finish
