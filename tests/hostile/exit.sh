#!/bin/sh
# Tests the exit of a traced program when its recording or the folder of its trace was removed.
#
#   exit.sh PROJECT TACHO PROGRAM
set -eu
. "$1/tests/support/lib.sh"

# The trace cannot be written: the exit status of the program is the same, and one line names the
# recording.
TACHO_TRACE_OUT=$scratch/block.json "$3" block "$scratch/block.json" 2>"$scratch/said" ||
    fail "the exit status changed"
[ "$(wc -l <"$scratch/said")" -eq 1 ] || fail "not one line: $(cat "$scratch/said")"
recording=$(sed -n "s/.*tacho trace recover \(.*\) -o OUT.*/\1/p" "$scratch/said")
"$2" trace recover -q "$recording" -o "$scratch/again.json" || fail "no recording '$recording'"
grep -q '"name":"work"' "$scratch/again.json" || fail "the recording lacks the span"

# No file may grow, and standard error is a file: the message at exit cannot be written.
(
    ulimit -f 0
    TACHO_TRACE_OUT=$scratch/none.json exec "$3" block "$scratch/none" 2>"$scratch/said"
) || fail "the message at exit changed the status to $?"

# Nobody reads standard error: the same.
mkfifo "$scratch/pipe"
exec 3<>"$scratch/pipe"
exec 4>"$scratch/pipe" 3>&-
TACHO_TRACE_OUT=$scratch/pipe.json "$3" block "$scratch/pipe.json" 2>&4 4>&- ||
    fail "standard error without a reader changed the status to $?"
exec 4>&-

# The recording was removed: the trace is still written, without a message.
mkdir "$scratch/one"
(
    cd "$scratch/one"
    # exec keeps the process id, which is part of the name of the recording, so it is known before.
    TACHO_TRACE_OUT=t.json exec sh -c 'exec "$0" remove "t.json.$$.tacho"' "$3"
) 2>"$scratch/said" || fail "the recording was not where it was expected"
[ ! -s "$scratch/said" ] || fail "said: $(cat "$scratch/said")"
grep -q '"name":"work"' "$scratch/one/t.json" || fail "the trace lacks the span"

# No other user may truncate a recording, because that would kill the program by SIGBUS.
(
    umask 0
    TACHO_TRACE_OUT=$scratch/mode.tacho "$3" block "$scratch/other"
)
[ "$(stat -c %a "$scratch/mode.tacho")" = 644 ] || fail "others may write to a recording"

# The same holds for a recording that is the trace itself.
TACHO_TRACE_OUT=$scratch/r.tacho "$3" remove "$scratch/r.tacho"
"$2" trace summary "$scratch/r.tacho" | grep -q work || fail "the recording lacks the span"
