#!/bin/sh
# Runs speedscope.mjs, speedscope's importer on our files, with the npm package that it needs.
#
#   speedscope.sh PROJECT TACHO
set -eu
. "$1/tests/support/lib.sh"
need node npm
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "chromium is not installed"
(cd "$scratch" && npm install --silent --no-fund --no-audit speedscope@1 >npm.log 2>&1) ||
    skip "npm cannot fetch speedscope: $(tail -n 1 "$scratch/npm.log")"
node "$1/tests/kit/flame/speedscope.mjs" "$chromium" "$2" "$scratch" "$scratch/node_modules/speedscope"
