#!/bin/sh
# The example makes a trace with the times of the lines.
#
#   test.sh PROJECT TACHO IMPORT
set -eu
. "$1/tests/support/lib.sh"
printf 'load io 100 250 1\nno timing\nmatmul gpu - 1.5 2\n' | "$3" "$scratch/t.json" >"$scratch/out"
[ "$(cat "$scratch/out")" = "2 of 3 lines" ] || fail "$(cat "$scratch/out")"
for wanted in '"name":"load","cat":"io","ph":"X","ts":100,"dur":250,"pid":0,"tid":1,"args":{"line":1}' \
    '"name":"matmul","cat":"gpu","ph":"X","ts":[0-9]*,"dur":1500,"pid":0,"tid":2,"args":{"line":3}'; do
    grep -q "$wanted" "$scratch/t.json" || fail "no $wanted in $(cat "$scratch/t.json")"
done
"$2" trace validate "$scratch/t.json" || fail "the trace is not valid"
