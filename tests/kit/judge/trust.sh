#!/bin/sh
# On a machine with a disturbing neighbour on every CPU: of 200 gates in which nothing changed at most
# 5 % FAIL, and a slow-down of the size that 'tacho calibrate' printed FAILs in at least 80 of 100.
#   trust.sh TACHO SPIN NEIGHBOUR SANITIZED
#
# The plan is fixed. For a quick try, TRUST_GATES and TRUST_SLOW make it shorter, with the same shares.
tacho=$1
spin=$2
neighbour=$3
sanitized=$4
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
gates=${TRUST_GATES:-200}
slow=${TRUST_SLOW:-100}

skip()
{
    echo "$*" >&2
    exit 77
}

[ "$sanitized" != ON ] || skip "skipped: a sanitizer slows every run, and the gates take an hour"
command -v git >/dev/null || skip "skipped: there is no git"
command -v jq >/dev/null || skip "skipped: there is no jq"

cpu_ms=2
cat >tacho.yaml <<END
defaults: {runs: 10, max_runs: 20, warmup: 0}
benches:
  - name: spin
    command: $spin @ms
    budgets: {wall: {tolerance: 0.01%, min_effect: 0.01%}}
END
echo $cpu_ms >ms
printf 'tacho-out\nout\n*.json\n' >.gitignore
{ git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -qm one; } || fail "no repository"

pids=
for i in $(seq "$(nproc)"); do
    "$neighbour" "$i" &
    pids="$pids $!"
done
# shellcheck disable=SC2086 # one word per process
trap 'kill $pids; rm -rf "$dir"' EXIT

# gate NAME: runs the gate and counts a FAIL in $fails.
gate()
{
    "$tacho" gate -q --against HEAD --build true >out 2>&1
    got=$?
    case $got in
    0) ;;
    2) fails=$((fails + 1)) ;;
    *) fail "gate $1 exited with $got: $(cat out)" ;;
    esac
    rm -rf tacho-out
}

"$tacho" calibrate --bench spin --time 60s --json >seen.json || fail "no calibration: $(cat seen.json)"
change=$(jq '.occasions[0].metrics[0].detectable_changes[] | select(.runs == 20) | .change' seen.json)
jq -c '.occasions[0] | {pairs, false_fails, metrics}' seen.json
rm -rf tacho-out

fails=0
i=0
while [ $i -lt "$gates" ] && [ "$failures" -eq 0 ]; do
    i=$((i + 1))
    gate "$i with nothing changed"
done
echo "nothing changed: $fails of $gates gates FAIL"
[ $((20 * fails)) -le "$gates" ] || fail "$fails of $gates gates FAIL with nothing changed"

# The start of the process, about half a millisecond, is not part of its own CPU time.
awk -v ms=$cpu_ms -v change="$change" 'BEGIN { printf "%.4f\n", ms + change * (ms + 0.5) }' >ms
fails=0
i=0
while [ $i -lt "$slow" ] && [ "$failures" -eq 0 ]; do
    i=$((i + 1))
    gate "$i with a slow-down"
done
echo "slower by $change: $fails of $slow gates FAIL"
[ $((5 * fails)) -ge $((4 * slow)) ] || fail "a slow-down of $change FAILs in $fails of $slow gates only"
finish
