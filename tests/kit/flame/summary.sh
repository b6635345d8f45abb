#!/bin/sh
# The output of --json conforms to its schema.
#
#   summary.sh PROJECT TACHO
set -eu
. "$1/tests/support/lib.sh"

echo 'main;f 5' >"$scratch/a"
echo 'main;f 5 6' >"$scratch/both"
{
    "$2" flame draw "$scratch/a" --json -o "$scratch/a.svg"
    "$2" flame convert "$scratch/both" --json -o "$scratch/b.pb.gz"
} >"$scratch/lines.json"
"$1/tests/support/check-schema" "$1/docs/schemas" <"$scratch/lines.json"
