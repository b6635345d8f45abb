#!/bin/sh
# The example in C++ computes the same with and without a trace, and records every request.
#
#   test.sh PROJECT TACHO PIPELINE
set -eu
. "$1/tests/support/lib.sh"
"$3" >"$scratch/plain"
TACHO_TRACE_OUT=$scratch/t.json TACHO_PROFILE_JSONL=$scratch/events.jsonl "$3" >"$scratch/traced"
for out in plain traced; do
    grep -q '^200 requests, sum 363560100, .* 0 bytes held$' "$scratch/$out" || fail "$out: $(cat "$scratch/$out")"
done
"$2" trace summary --json "$scratch/t.json" >"$scratch/summary"
for wanted in '"name":"load","count":200,' '"name":"reduce","count":200,' '"name":"request 7","count":20,' '"mismatched":0'; do
    grep -q "$wanted" "$scratch/summary" || fail "no $wanted in $(cat "$scratch/summary")"
done
grep -q '"sum":' "$scratch/t.json" || fail "no field of the end of a span"
[ "$(wc -l <"$scratch/events.jsonl")" -eq 200 ] || fail "not 200 events"
"$2" events validate --require request "$scratch/events.jsonl"
