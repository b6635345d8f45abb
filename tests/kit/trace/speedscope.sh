#!/bin/sh
# speedscope, an independent viewer, shows the traces that tacho converts. This runs speedscope.mjs with
# the npm package it needs. TACHO_SHOTS names a folder for screenshots.
#
#   speedscope.sh PROJECT TACHO CHILD
set -eu
. "$1/tests/support/lib.sh"
need node npm
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "chromium is not installed"
(cd "$scratch" && npm install --silent --no-fund --no-audit speedscope@1 >npm.log 2>&1) ||
    skip "npm cannot fetch speedscope: $(tail -n 1 "$scratch/npm.log")"
TACHO_TRACE_OUT=$scratch/own.tacho "$3" all
"$2" trace slice --quiet --track worker "$scratch/own.tacho" -o "$scratch/worker.tacho"
for to in array.json zipped.json.gz stacks.folded; do
    "$2" trace convert --quiet "$scratch/worker.tacho" -o "$scratch/$to" 2>/dev/null
done
"$2" trace convert --quiet --form object "$scratch/worker.tacho" -o "$scratch/object.json"
node "$1/tests/kit/trace/speedscope.mjs" "$chromium" "$scratch" "$scratch/node_modules/speedscope"
