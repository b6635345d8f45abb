#!/bin/sh
# Checks the JSON output of the benchmarks against their schemas.
#
#   test_schema.sh PROJECT BENCH_FLOAT BENCH_JSON BENCH...
set -eu
. "$1/tests/support/lib.sh"

"$2" --quick --rounds 1 --json >"$scratch/lines"
echo '{}' | "$3" --read "one line" --json >>"$scratch/lines"
project=$1
shift 3
for bench; do
    "$bench" --quick --rounds 1 --json >>"$scratch/lines"
done
"$project/tests/support/check-schema" "$project/docs/schemas" <"$scratch/lines"
