#!/bin/sh
# schema.sh TACHO FOLDER: checks sweep.json and the runs of its cells against their schemas.
set -u
folder=$2
here=$(dirname "$0")
case $here in /*) ;; *) here=$PWD/$here ;; esac
# shellcheck source=SCRIPTDIR/lib.sh
. "$here/lib.sh"
need jq

sweep 1 --grid n=1,2,4,8 --grid m=a,b -n 6 --metric 'v=([0-9]+)' --expect 'n' --cost v -b true \
    --name full -- sh -c '[ {n}{m} != 8b ] && echo {n}'
sweep 0 --grid a=x,y -n 2 --name plain -- true '{a}'
"$tacho" sweep --grid a=1,2 -n 1000 --name killed -- sleep '0.0{a}' >/dev/null 2>&1 &
pid=$!
while [ ! -s tacho-out/killed/cells/a=1/latest/samples.jsonl ]; do sleep 0.01; done
kill -9 $pid
wait $pid 2>/dev/null
cat tacho-out/*/sweep.json tacho-out/*/cells/*/latest/run.json >documents
"$here/../../support/check-schema" "$folder" <documents
