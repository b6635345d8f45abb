#!/bin/sh
# order.sh TACHO: a coin decides the order of each round, the seed decides the coins, and the run
# folder records both.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# Prints a letter for each round of the runs `a` and `b`: which of them was first.
order() {
    jq -r --slurpfile b tacho-out/b/latest/run.json '[.samples, $b[0].samples] | transpose
        | map(if .[0].pair != .[1].pair then error("other rounds")
              elif .[0].start_ns < .[1].start_ns then "a" else "b" end) | add' \
        tacho-out/a/latest/run.json
}

run 0 -n 40 --seed 7 --name a --name b -c true -c 'true 2'
holds a '.order_seed == 7'
holds b '.order_seed == 7'
first=$(order)
expected=$(printf '%s' "$first" | tr -d b | wc -c)
if [ "$expected" -lt 10 ] || [ "$expected" -gt 30 ]; then fail "the coins are not fair: $first"; fi
case $first in
*aaa*bbb* | *bbb*aaa*) ;;
*) fail "the order alternates: $first" ;;
esac
run 0 -n 40 --seed 7 --name a --name b -c true -c 'true 2'
[ "$(order)" = "$first" ] || fail "the same seed gave another order: $first and $(order)"

# Without --seed each measurement has a new seed, which decides the order.
run 0 -n 40 --name a --name b -c true -c 'true 2'
seed=$(jq .order_seed tacho-out/a/latest/run.json)
drawn=$(order)
run 0 -n 40 --seed "$seed" --name a --name b -c true -c 'true 2'
[ "$(order)" = "$drawn" ] || fail "the recorded seed $seed gave another order"
run 0 -n 40 --name a --name b -c true -c 'true 2'
[ "$(jq .order_seed tacho-out/a/latest/run.json)" != "$seed" ] || fail "the same seed was drawn twice"

# One command has no order.
run 0 -n 2 --name one -- true
holds one 'has("order_seed") | not'
