#!/bin/sh
# The --json output of `tacho trace` matches its schema, for each format that is read.
#
#   schemas.sh PROJECT TACHO CHILD
set -eu
. "$1/tests/support/lib.sh"
tacho=$2
TACHO_TRACE_OUT=$scratch/own.tacho "$3" all
cp "$1/tests/cli/trace/full.json" "$1/tests/cli/trace/cut.json" "$scratch"
printf '{"ph":"i","ts":1,"name":"a"}\n{"ph":"E","ts":-1}\n{"ph":"O"}\n{"ph":"X","ts":1}\n' >"$scratch/lines.json"
cd "$scratch"
for to in pftrace json.gz csv folded; do
    "$tacho" trace convert --quiet own.tacho -o "own.$to" 2>/dev/null
done
for file in own.tacho own.pftrace own.json.gz own.csv own.folded full.json cut.json lines.json; do
    "$tacho" trace info --json "$file"
    for by in name category track; do
        "$tacho" trace summary --json --by $by --top 3 "$file" 2>/dev/null
    done
    "$tacho" trace validate --json "$file" || [ $? -eq 2 ]
    "$tacho" trace compare --json own.tacho "$file" 2>/dev/null
done >all.json
[ "$(wc -l <all.json)" -eq 48 ] || fail "$(wc -l <all.json) documents, not 48"
for schema in info file summary validate compare; do
    grep -q "\"schema\":\"tacho.trace.$schema.v1\"" all.json || fail "there is no trace.$schema.v1"
done
"$1/tests/support/check-schema" "$1/docs/schemas" <all.json
