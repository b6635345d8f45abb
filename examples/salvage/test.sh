#!/bin/sh
# The example reads what is whole in files that end in the middle, and a recording of a killed process.
#
#   test.sh PROJECT TACHO SALVAGE SERVICE
set -eu
. "$1/tests/support/lib.sh"
cd "$scratch"
TACHO_TRACE_OUT=spans.tacho "$4" . >/dev/null 2>&1
for name in one two; do
    TACHO_PROFILE_JSONL=p.jsonl "$2" events emit $name
done
printf '{"event":"torn","commit_sha":null,"env_h' >>p.jsonl
head -c -20 service.hlog >cut.hlog
head -n 1 "$1/tests/cli/witness/a.jsonl" >w.witness.jsonl
"$3" spans.tacho p.jsonl service.hlog cut.hlog w.witness.jsonl >out 2>err || fail "it fails: $(cat out err)"
cat out
grep -q '^spans.tacho: written to spans.pftrace$' out || fail "no spans in $(cat out)"
"$2" trace validate spans.pftrace || fail "the trace is not valid"
grep -q '^p.jsonl: 2 events, 1 lines without one, 1 torn$' out || fail "no events in $(cat out err)"
grep -q '^service.hlog: 1 histograms, [1-9]' out || fail "no histogram in $(cat out)"
grep -q '^cut.hlog: 0 histograms, 0 values' out || fail "a truncated histogram in $(cat out)"
grep -q '^w.witness.jsonl: 1 entries, not closed' out || fail "no witness in $(cat out)"
