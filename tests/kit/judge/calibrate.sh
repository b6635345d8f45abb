#!/bin/sh
# tacho calibrate runs a command, or a bench, against itself, and keeps what it found.
#   calibrate.sh TACHO CHECK_SCHEMA SCHEMAS
tacho=$1
check=$2
schemas=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

# A program whose metric comes from a list, so that timing plays no role.
cat >prog <<'END'
#!/bin/sh
n=$(cat count 2>/dev/null || echo 0)
echo $((n + 1)) >count
echo "v $((1000 + (n * 7919 + 13) % 41))"
END
chmod +x prog

# --- A command ---
ends_with 0 "$tacho" calibrate -n 12 --name mine --metric 'v=v ([0-9]+)' --for-metric v -- ./prog
says "12 pairs of 'mine' against itself"
[ "$(jq '.warnings | length' tacho-out/mine-a/latest/run.json)" -eq 0 ] || says "warning"
says "this is the first occasion"
file=$(find .tacho/calibration -name '*.json')
[ "$file" = ".tacho/calibration/mine/$(basename "$file")" ] || fail "the file is $file"
[ -s tacho-out/calibrate-mine.html ] || fail "there is no page"
grep -q 'probability of detection' tacho-out/calibrate-mine.html || fail "the page has no picture"
[ "$(jq '.samples | length' tacho-out/mine-a/latest/run.json)" = 12 ] || fail "not 12 runs of a side"
[ "$(jq -r .group tacho-out/mine-a/latest/run.json)" = "$(jq -r .group tacho-out/mine-b/latest/run.json)" ] ||
    fail "the sides were not interleaved"

# The time limit: at least 10 pairs are always run.
"$tacho" calibrate --time 1ms --json --no-save -o short -- true >short.json || fail "no short calibration"
[ "$(jq '.occasions[0].pairs' short.json)" -ge 10 ] || fail "too few pairs: $(cat short.json)"
[ "$(find .tacho -name '*.json' | wc -l)" -eq 1 ] || fail "--no-save kept it"

# --- A bench, with a build, a setup that works once, and hooks ---
cat >tacho.yaml <<'END'
build: touch built
benches:
  - name: sort
    command: ./prog
    setup: mkdir once
    cleanup: rmdir once
    metrics: {v: 'v ([0-9]+)'}
    budgets:
      v: {tolerance: 5%, direction: lower}
      major_faults: {tolerance: 5%}
END
ends_with 0 "$tacho" calibrate --bench sort -n 10
says "major_faults is not calibrated"
[ -e built ] || fail "it was not built"
ends_with 0 "$tacho" calibrate --bench sort -n 10 --json -q
sorted=$(find .tacho/calibration/sort -name '*.json')
[ "$(jq '.occasions | length' "$sorted")" = 2 ] || fail "$(jq '.occasions | length' "$sorted") occasions are kept, not 2"
[ "$(jq -c '[.occasions[].metrics[].name]' "$sorted")" = '["v","v"]' ] || fail "metrics: $(cat "$sorted")"
# Within an hour they are one occasion.
[ "$(jq '.occasions[1].occasions' "$sorted")" = 1 ] || fail "two within an hour are not one occasion"
ends_with 1 "$tacho" calibrate --bench none
says "there is no bench 'none'"

# --- Files that were changed ---
cp "$sorted" kept
sed -i 's/"noise":[0-9.]*/"noise":0.0001/' "$sorted"
ends_with 1 "$tacho" calibrate --bench sort -n 10 -q
says "does not match its seal"
says "was not changed"
echo '{' >"$sorted"
ends_with 1 "$tacho" calibrate --bench sort -n 10 -q
cp kept "$sorted"

# --- Several processes save at once without losing an occasion ---
pids=
for i in 1 2 3 4 5; do
    "$tacho" calibrate -q -o "out-$i" --name mine -n 10 -- true >"log-$i" 2>&1 &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid" || fail "a concurrent save failed: $(cat log-*)"
done
[ "$(jq '.occasions | length' "$file")" -eq 6 ] || fail "$(jq '.occasions | length' "$file") occasions are kept, not 6"

# --- Names and files are checked before the first run ---
for wrong in '--for-metric nope' '--html prog/x'; do
    # shellcheck disable=SC2086 # two words
    ends_with 1 "$tacho" calibrate -n 10 -o early $wrong -- true
    [ ! -e early ] || fail "'$wrong' is reported after the runs"
    # shellcheck disable=SC2086 # two words
    ends_with 1 "$tacho" calibrate --bench sort -n 10 -o early $wrong
    [ ! -e early ] || fail "'$wrong' is reported after the runs of a bench"
done
ends_with 1 "$tacho" calibrate --for-metric nope -- true
says "there is no metric 'nope'"
ends_with 1 "$tacho" plan --for-metric nope -o early -- true
says "there is no metric 'nope'"
[ ! -e early ] || fail "plan reports an unknown metric after the pilot"

# --- Metrics that cannot be calibrated say why ---
ends_with 1 "$tacho" calibrate -n 10 --name none --metric 'w=w ([0-9]+)' --for-metric w -- true
says "no pair of runs has 'w'"
mkdir counted
echo 'benches: [{name: c, command: "true", budgets: {syscalls: {tolerance: 0}}}]' >counted/tacho.yaml
ends_with 1 "$tacho" calibrate -n 10 -c counted/tacho.yaml --bench c
says "syscalls is not calibrated: it is counted in extra runs"

# --- A command that fails saves nothing ---
ends_with 1 "$tacho" calibrate --name broken -- sh -c 'exit 3'
says "failed with status 3"
[ ! -e .tacho/calibration/broken ] || fail "a failed calibration is kept"

checked=0
jq -c . "$file" "$sorted" short.json | "$check" "$schemas" >out 2>&1 || checked=$?
[ $checked -eq 0 ] || [ $checked -eq 77 ] || fail "$(cat out)"
finish
