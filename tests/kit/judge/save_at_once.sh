#!/bin/sh
# Many processes save baselines at once while one promotes: every occasion is kept.
#   save_at_once.sh TACHO
tacho=$1
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
cat >tacho.yaml <<END
baseline: {keep: 100}
defaults: {runs: 6, max_runs: 6, budgets: {v: {tolerance: 5%, direction: lower}}, metrics: {v: 'v ([0-9]+)'}}
benches: [{name: prog, command: echo v 5}]
END
ends_with 0 "$tacho" baseline save -q -o out-0
file=$(find .tacho -name '*.json')
first=$(jq -r .reference "$file")

# Ten processes measure and save, ten save an existing run, and one promotes over and over.
pids=
for i in 1 2 3 4 5 6 7 8 9 10; do
    "$tacho" baseline save -q -o "out-$i" >"log-$i" 2>&1 &
    pids="$pids $!"
    "$tacho" baseline save --from out-0/prog/latest >"log-from-$i" 2>&1 &
    pids="$pids $!"
    "$tacho" baseline promote prog "$first" >"log-promote-$i" 2>&1 &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid" || fail "a concurrent save failed: $(cat log-*)"
done
[ "$(jq '.occasions | length' "$file")" -eq 21 ] || fail "$(jq '.occasions | length' "$file") occasions are kept, not 21"
[ "$(jq -r .reference "$file")" = "$first" ] || fail "the reference has changed"
[ "$(find .tacho -type f | wc -l)" -eq 1 ] || fail "something is left: $(find .tacho -type f)"

# A gate that saves waits for a lock that another process holds from its reading to its writing.
if command -v flock >/dev/null; then
    flock "$(dirname "$file")" sh -c "cp '$file' kept; sleep 1; cp kept '$file'" &
    pid=$!
    while [ ! -s kept ]; do sleep 0.02; done
    ends_with 0 "$tacho" gate -q --save-baseline
    wait $pid
    [ "$(jq '.occasions | length' "$file")" -eq 22 ] || fail "gate --save-baseline lost an occasion"
fi
finish
