#!/bin/sh
# Checks that recordings of every version so far are read, and that `tacho trace info --json` prints what it always
# printed for them.
#
#   frozen.sh PROJECT TACHO
set -eu
. "$1/tests/support/lib.sh"
need gzip
data=$1/tests/lib/trace/data
cd "$scratch"
for version in 1 2; do
    name=recording-v$version
    gzip -dc "$data/$name.tacho.gz" >"$name.tacho"
    "$2" trace info --json "$name.tacho" >"$name.json"
    expect_same "trace info of version $version" "$data/$name.info.json" "$name.json"
    "$2" trace recover -q "$name.tacho" -o trace.json
    for wanted in '500 "ph":"X"' '1 "name":"never ends"' '100 "name":"kernel"' \
        '100 "name":"pushed"' '200 "name":"arrow"' '200 "name":"request"' '100 "name":"whole"' \
        '1 "name":"all of it"' '1 "name":"worker"'; do
        count=$(grep -o "${wanted#* }" trace.json | wc -l)
        [ "$count" -eq "${wanted%% *}" ] || fail "version $version: $count of ${wanted#* }"
    done
    # Events that name a process of their own are not shown as the recorded process's.
    "$2" trace recover -q "$name.tacho" -o trace.pftrace
    "$2" trace convert -q trace.pftrace -o back.json
    for file in trace.json back.json; do
        count=$(grep -o '"name":"pushed"[^{]*"pid":0,' "$file" | wc -l)
        [ "$count" -eq 100 ] || fail "version $version: $count of 100 pushed events in $file"
    done
done
