#!/bin/sh
# The example writes a trace of its own and one for each worker, and a log that tacho reads. Clients wait
# longer than requests take.
#
#   test.sh PROJECT TACHO SERVICE
set -eu
. "$1/tests/support/lib.sh"
"$3" "$scratch" >"$scratch/out" 2>"$scratch/err" || fail "it fails: $(cat "$scratch/err")"
[ "$(grep -c '^worker: 64 requests, handled in .* arena: at most 256 KiB$' "$scratch/out")" -eq 2 ] ||
    fail "not two workers in $(cat "$scratch/out")"
grep -q '^clients: ' "$scratch/out" || fail "no clients in $(cat "$scratch/out")"
grep -q '^power: ' "$scratch/out" || fail "no word about power in $(cat "$scratch/out")"
"$2" stats --json "$scratch/service.hlog" >"$scratch/stats" || fail "tacho stats does not read service.hlog"
for trace in "$scratch"/service.*.json; do
    "$2" trace summary --json "$trace" | grep -q '"name":"request","count":68,' || fail "no 68 requests in $trace"
done
