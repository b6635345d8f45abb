#!/bin/sh
# Perfetto's own trace processor finds in what we convert what our summary says, for traces of our
# own recorder and of other tools.
#
#   tools.sh PROJECT TACHO CHILD
set -eu
. "$1/tests/support/lib.sh"
tacho=$2
child=$3

[ -n "${TACHO_REFERENCE_DATA:-}" ] || skip "TACHO_REFERENCE_DATA is not set"
tpq=$TACHO_REFERENCE_DATA/tools/tpq
[ -x "$tpq" ] || skip "there is no $tpq"
need node python3
printf '[{"name":"a","ph":"X","ts":0,"dur":1,"pid":1,"tid":1}]' >"$scratch/one.json"
"$tpq" "$scratch/one.json" "select 1" >"$scratch/try" 2>&1 ||
    skip "tpq does not run: $(tail -1 "$scratch/try")"

# sums FILE: what the trace processor makes of it: name, count, time of finished spans on threads
# and made-up tracks.
sums()
{
    "$tpq" "$1" "select name, count(*) as n, sum(dur) as t from slice
                 where dur >= 0 and not (dur = 0 and name in (select name from slice where dur = 0))
                 group by name order by name" 2>"$scratch/errors" |
        grep -v '^#' | grep . | tail -n +2 || fail "tpq cannot read $1: $(tail -3 "$scratch/errors")"
}

# ours FILE: the same by our summary; spans without length are left out on both sides.
ours()
{
    "$tacho" trace summary --json --top 1000000 "$1" 2>/dev/null | python3 -c '
import json, sys
for row in sorted(json.load(sys.stdin)["rows"], key=lambda r: r["name"].encode()):
    if row["min_ns"] > 0:
        print(row["name"], row["count"], row["total_ns"], sep="\t")'
}

# check FILE WHAT: through each format that the trace processor reads.
check()
{
    ours "$1" >"$scratch/wanted"
    [ -s "$scratch/wanted" ] || fail "$2: our summary has no spans"
    for extension in json json.gz pftrace; do
        out=$scratch/out.$extension
        "$tacho" trace validate --quiet --fix "$1" -o "$out" 2>/dev/null ||
            fail "$2: cannot be written as $extension"
        # As .pftrace, async spans are spans like any other.
        if [ $extension != pftrace ]; then
            ours "$out" >"$scratch/again"
            expect_same "$2 by summary of $extension" "$scratch/wanted" "$scratch/again"
        fi
        sums "$out" >"$scratch/got"
        # Only names that are in both: async spans and those without length are counted elsewhere.
        python3 - "$scratch/wanted" "$scratch/got" "$2 as $extension" <<'END' || exit 1
import sys
def rows(path):
    return {line.split("\t")[0]: line.rstrip("\n").split("\t")[1:] for line in open(path)}
ours, theirs = rows(sys.argv[1]), rows(sys.argv[2])
bad = [n for n in ours if n and theirs.get(n) != ours[n]]
for name in bad[:5]:
    print(f"{sys.argv[3]}: {name!r}: ours {ours[name]}, theirs {theirs.get(name)}", file=sys.stderr)
sys.exit(1 if bad else 0)
END
        lost=$("$tpq" "$out" "select name from stats where value != 0
               and severity in ('error', 'data_loss')" 2>/dev/null | grep -v '^#' | tail -n +2)
        [ -z "$lost" ] || fail "$2 as $extension: lost: $lost"
    done
    echo "checked: $2"
}

# A recording whose process left spans open is timed by its reader, anew each time: once is enough.
TACHO_TRACE_OUT=$scratch/own.tacho "$child" all
"$tacho" trace convert --quiet "$scratch/own.tacho" -o "$scratch/own.pftrace"
check "$scratch/own.pftrace" "our recording"

cat >"$scratch/u.c" <<'END'
static int leaf(int x) { volatile int s = 0; for (int i = 0; i < x * 100; i++) s += i; return s; }
static int mid(int x) { int s = 0; for (int i = 0; i < 3; i++) s += leaf(x + i); return s; }
int main(void) { int s = 0; for (int i = 1; i < 50; i++) s += mid(i); return s == 42; }
END
if command -v uftrace >/dev/null && cc -pg -O0 -o "$scratch/u" "$scratch/u.c" &&
    uftrace record -d "$scratch/uftrace" "$scratch/u" >/dev/null 2>&1; then
    uftrace dump --chrome -d "$scratch/uftrace" >"$scratch/u.json" 2>/dev/null
    check "$scratch/u.json" "uftrace"
else
    echo "left out: uftrace is not installed or cannot record here"
fi

if command -v chromium >/dev/null && timeout 60 chromium --headless --no-sandbox --disable-gpu \
    --no-first-run --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$scratch/profile" --trace-startup=toplevel,cc,ipc --trace-startup-format=json \
    --trace-startup-file="$scratch/chromium.json" --trace-startup-duration=2 \
    --dump-dom 'data:text/html,<p>x' >/dev/null 2>&1 && [ -s "$scratch/chromium.json" ]; then
    "$tacho" trace summary "$scratch/chromium.json" >/dev/null
    check "$scratch/chromium.json" "Chromium"
else
    echo "left out: chromium is not installed or wrote no trace here"
fi
