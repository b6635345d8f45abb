#!/bin/sh
# What the benchmarks print with --json is as their schemas say.
#
#   test_schema.sh PROJECT BENCH_FLOAT BENCH_JSON BENCH_RUN
set -eu
. "$1/tests/support/lib.sh"

"$2" --quick --rounds 1 --json >"$scratch/lines"
echo '{}' | "$3" --read "one line" --json >>"$scratch/lines"
"$4" --quick --rounds 1 --json >>"$scratch/lines"
"$1/tests/support/check-schema" "$1/docs/schemas" <"$scratch/lines"
