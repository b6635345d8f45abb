#!/bin/sh
# What a traced program does at exit when its recording or the way to its trace is gone.
#
#   exit.sh PROJECT TACHO PROGRAM
set -eu
. "$1/tests/support/lib.sh"

# The trace cannot be written: the program exits as it would, one line names the recording.
TACHO_TRACE_OUT=$scratch/block.json "$3" block "$scratch/block.json" 2>"$scratch/said" ||
    fail "the exit status changed"
[ "$(wc -l <"$scratch/said")" -eq 1 ] || fail "not one line: $(cat "$scratch/said")"
recording=$(sed -n "s/.*tacho trace recover \(.*\) -o OUT.*/\1/p" "$scratch/said")
"$2" trace recover -q "$recording" -o "$scratch/again.json" || fail "no recording '$recording'"
grep -q '"name":"work"' "$scratch/again.json" || fail "the recording lacks the span"

# The recording was removed: the trace is written all the same, and nothing is said.
mkdir "$scratch/one"
(
    cd "$scratch/one"
    # exec: the recording is named after the process, whose id is known beforehand then.
    TACHO_TRACE_OUT=t.json exec sh -c 'exec "$0" remove "t.json.$$.tacho"' "$3"
) 2>"$scratch/said" || fail "the recording was not where it was expected"
[ ! -s "$scratch/said" ] || fail "said: $(cat "$scratch/said")"
grep -q '"name":"work"' "$scratch/one/t.json" || fail "the trace lacks the span"

# Nobody else may truncate a recording, which would end the program by SIGBUS.
(
    umask 0
    TACHO_TRACE_OUT=$scratch/mode.tacho "$3" block "$scratch/other"
)
[ "$(stat -c %a "$scratch/mode.tacho")" = 644 ] || fail "others may write to a recording"

# So is a recording that is the trace itself.
TACHO_TRACE_OUT=$scratch/r.tacho "$3" remove "$scratch/r.tacho"
"$2" trace summary "$scratch/r.tacho" | grep -q work || fail "the recording lacks the span"
