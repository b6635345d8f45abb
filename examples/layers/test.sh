#!/bin/sh
# The example writes one file per request, which the strict reader and tacho trace read alike.
#
#   test.sh PROJECT TACHO LAYERS
set -eu
. "$1/tests/support/lib.sh"
"$3" "$scratch/out" >"$scratch/said"
for request in 1 2; do
    file=$scratch/out/request-$request.json
    grep -q "^$file: 3 spans, " "$scratch/said" || fail "$(cat "$scratch/said")"
    "$2" trace summary --json "$file" >"$scratch/summary"
    grep -q '"name":"attention","count":3,' "$scratch/summary" || fail "$(cat "$scratch/summary")"
    grep -q '"args":{"tokens":4,"shape":\[4,4096\]}' "$file" || fail "$(cat "$file")"
done
