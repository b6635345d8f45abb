#!/bin/sh
# Tests that run.json is read and written again as the same bytes: files of this version with everything that a run
# can record, and the stored file of an earlier build.
#
#   rewrite.sh TACHO REWRITE RECORDER GOLDEN IMPORTED
set -eu

tacho=$1 rewrite=$2 recorder=$3 golden=$4 imported=$5
# shellcheck source=SCRIPTDIR/../../support/lib.sh
. "$(dirname "$0")/../../support/lib.sh"
cd "$scratch"

# same FOLDER: fails unless run.json is written again as it is.
same()
{
    "$rewrite" "$1" >again.json || fail "'$1' cannot be read"
    cmp "$1/run.json" again.json || fail "'$1/run.json' is written differently"
}

mkdir golden
cp "$golden" golden/run.json
same golden
# Fractions of a nanosecond, a sample without user time, several values in one process, aggregates, exact metrics.
mkdir imported
cp "$imported" imported/run.json
same imported

run()
{
    "$tacho" run -q "$@" >/dev/null || fail "tacho run $* failed"
}

run --name plain -n 7 --label k=1 --label k=2 --label j='"x"' --work-per-run 3MB -- true
same tacho-out/plain/latest
# No run of these commands succeeds, so tacho exits with a status of its own.
"$tacho" run -q --name failing --name killed -n 3 --allow-nonzero --seed 7 --timeout 60s -c "sh -c 'exit 3'" -c "sh -c 'kill -9 \$\$'" >/dev/null 2>&1 || :
same tacho-out/failing/latest
same tacho-out/killed/latest
printf '{ "a": [1.50, "\\u0061"] }\n' >config.json
run --name printed -n 4 --config config.json --metric 'x=x=([0-9.e-]+)' --metric 'all:y=y=([0-9]+)' \
    --env TOKEN=secret --setup true --cleanup true -- sh -c 'echo x=1e-3 y=1 y=2'
same tacho-out/printed/latest
run --name recorded -n 3 --metric span:outer:count --metric span:pushed --trace -- "$recorder"
same tacho-out/recorded/latest
run --name server -n 2 --server 'echo ready; exec sleep 100' --ready ready -- true
same tacho-out/server/latest
printf 'timestamp_us,source,watts,joules\n1,a,10,1\n200000000,a,20,2000\n' >power.csv
run --name power -n 2 --power-source replay:power.csv --measure-idle 200ms -- sleep 0.01
same tacho-out/power/latest
run --name layouts --layouts 2 --relink true -- true
same tacho-out/layouts/latest
run --name counted -n 2 --count syscalls,faults -- true
same tacho-out/counted/latest
