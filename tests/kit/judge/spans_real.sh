#!/bin/sh
# A real change of +5 % in spans that are a tenth of the wall time: FAIL by their median, which a busy
# machine hardly moves; no FAIL by wall time, of which the change is half a percent.
#   spans_real.sh TACHO SPANS_REAL
tacho=$1
real=$2
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

"$tacho" run -q -n 60 --name old --name new --metric span:parse:p50 -c "$real 0" -c "$real 5" >out 2>&1 ||
    fail "tacho run failed: $(cat out)"
"$tacho" compare -t span:parse:p50=2% -t wall=3% --json tacho-out/old tacho-out/new >said 2>out
jq -c '.rows[] | select(.verdict) | [.metric, .a.median, .b.median, .ratio.estimate, .ratio.low, .ratio.high, .verdict]' said
jq -e '[.rows[] | select(.verdict) | {(.metric): .verdict}] | add | .["span:parse:p50"] == "FAIL"
    and (.wall == "PASS" or .wall == "INCONCLUSIVE")' said >/dev/null || fail "$(cat said)"
finish
