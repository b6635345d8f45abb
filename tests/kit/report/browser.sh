#!/bin/sh
# Opens report.html in headless Chromium and runs browser.mjs on it.
#
#   browser.sh PROJECT TACHO
set -eu
# shellcheck source=SCRIPTDIR/../../support/lib.sh
. "$1/tests/support/lib.sh"
need node
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "chromium is not installed"
cd "$scratch"
"$2" run -q -n 20 --name chart --power-source fixed:20 --metric 'n=([0-9]+)' -- \
    sh -c 'echo 7; sleep 0.05' >/dev/null
# A flamegraph of 42 levels is higher than its frame on the screen and lower than a page.
printf '%s 1\n' "p$(printf ';f%s' $(seq 40))" |
    "$2" flame draw -q --label x --out-dir tacho-out/chart/latest
"$2" report -q tacho-out/chart/latest >/dev/null
node "$1/tests/kit/report/browser.mjs" "$chromium" "$scratch" "$scratch/tacho-out/chart/latest/report.html"

# A few runs are drawn one after the other, and not joined.
"$2" run -q -n 4 --name few -- sleep 0.05 >/dev/null
grep -q 'class="line a filled"' tacho-out/few/latest/report.html || fail "few runs are not drawn one after the other"
[ "$(grep -o 'class="line a filled" d="[^"]*' tacho-out/few/latest/report.html | tr -cd Z | wc -c)" -eq 4 ] ||
    fail "the memory of several runs is joined"

"$2" sweep -q -n 32 --range n=10:100000:log10 --grid k=1,2 --along n --cost steps --name grid \
    --metric 'steps=([0-9]+)' -- expr '{n}' '*' '{k}' >/dev/null
node "$1/tests/kit/report/sweep.mjs" "$chromium" "$scratch" "$scratch/tacho-out/grid/report.html"

# A planted picture whose script attacks the page.
printf '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' >picture.svg
cat >flamegraph-planted.svg <<END
<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><script><![CDATA[
const tried = (f) => { try { f(); return "done"; } catch (e) { return e.name; } };
const said = { ran: true, read: tried(() => top.document.title), lead: tried(() => { top.location = "about:blank"; }),
  window: tried(() => { if (!open("about:blank")) throw new Error("x"); }) === "done", loaded: false };
fetch("data:text/plain,x").then(() => { said.loaded = true; }, () => {}).finally(() => parent.postMessage(said, "*"));
]]></script></svg>
END
"$2" run -q -n 2 --name planted -- true >/dev/null
folder=$scratch/tacho-out/planted/latest
cp flamegraph-planted.svg picture.svg "$folder"
"$2" report -f html -o "$folder/report.html" "$folder" >/dev/null
node "$1/tests/kit/report/planted.mjs" "$chromium" "$scratch" "$folder/report.html"
