#!/bin/sh
# report.html in headless Chromium: browser.mjs, with what it needs.
#
#   browser.sh PROJECT TACHO
set -eu
# shellcheck source=SCRIPTDIR/../../support/lib.sh
. "$1/tests/support/lib.sh"
need node
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "chromium is not installed"
cd "$scratch"
"$2" run -q -n 20 --name chart --power fixed:20 --metric 'n=([0-9]+)' -- \
    sh -c 'echo 7; sleep 0.05' >/dev/null
# A flamegraph of 42 levels: higher than its frame on the screen, lower than a page.
printf '%s 1\n' "p$(printf ';f%s' $(seq 40))" |
    "$2" flame draw -q --label x --out tacho-out/chart/latest
"$2" report -q tacho-out/chart/latest >/dev/null
node "$1/tests/kit/report/browser.mjs" "$chromium" "$scratch" "$scratch/tacho-out/chart/latest/report.html"

"$2" sweep -q -n 2 --range n=10:100000:log10 --grid k=1,2 --along n --cost steps --name grid \
    --metric 'steps=([0-9]+)' -- expr '{n}' '*' '{k}' >/dev/null
node "$1/tests/kit/report/sweep.mjs" "$chromium" "$scratch" "$scratch/tacho-out/grid/report.html"
