#!/bin/sh
# Traces made by other tools: tacho's summary and Perfetto's own trace processor agree on every name, in
# the file itself if the trace processor can read it, and in the files that tacho converts.
#
#   foreign.sh PROJECT TACHO uftrace|lttng|chromium|perfetto|clang|node
set -eu
. "$1/tests/support/lib.sh"
project=$1
tacho=$2
. "$1/tests/kit/trace/tpq.sh"

from_uftrace()
{
    need uftrace cc
    cat >"$scratch/u.c" <<'END'
static int leaf(int x) { volatile int s = 0; for (int i = 0; i < x * 100; i++) s += i; return s; }
static int mid(int x) { int s = 0; for (int i = 0; i < 3; i++) s += leaf(x + i); return s; }
int main(void) { int s = 0; for (int i = 1; i < 50; i++) s += mid(i); return s == 42; }
END
    cc -pg -O0 -o "$scratch/u" "$scratch/u.c"
    uftrace record -d "$scratch/uftrace" "$scratch/u" >"$scratch/why" 2>&1 ||
        skip "uftrace cannot record here: $(tail -1 "$scratch/why")"
    uftrace dump --chrome -d "$scratch/uftrace" >"$scratch/u.json" 2>/dev/null
    check "$scratch/u.json" "uftrace"
    grep -q '^leaf	147	' "$scratch/wanted" || fail "uftrace: not 147 calls of leaf"
}

# chromium_trace FILE OPTION...: makes Chromium trace its own start.
chromium_trace()
{
    need chromium
    file=$1
    shift
    timeout 60 chromium --headless --no-sandbox --disable-gpu --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$scratch/profile" --trace-startup-file="$file" --trace-startup-duration=2 \
        "$@" --dump-dom 'data:text/html,<p>x' >"$scratch/why" 2>&1 || true
    [ -s "$file" ] || skip "chromium wrote no trace here: $(tail -1 "$scratch/why")"
}

from_chromium()
{
    chromium_trace "$scratch/chromium.json" --trace-startup=toplevel,cc,ipc --trace-startup-format=json
    check "$scratch/chromium.json" "Chromium"
}

# Perfetto's own format: clocks of sequences count steps and are tied to the clock of the trace by snapshots.
from_perfetto()
{
    chromium_trace "$scratch/chromium.pftrace" --trace-startup
    agree "$scratch/chromium.pftrace" "Chromium's Perfetto trace" length
    "$tacho" trace convert --quiet "$scratch/chromium.pftrace" -o "$scratch/chromium.json" ||
        fail "Chromium's Perfetto trace cannot be converted"
    agree "$scratch/chromium.json" "Chromium's Perfetto trace as JSON"
}

# Templates instantiate each other, so spans of one name are nested.
from_clang()
{
    need clang++
    printf '#include <map>\n#include <regex>\nint main() { std::map<int, int> m; std::regex r("a+");
        return (int)m.size() + std::regex_match("aa", r); }\n' >"$scratch/t.cpp"
    (cd "$scratch" && clang++ -ftime-trace -c t.cpp -o t.o) >"$scratch/why" 2>&1 ||
        skip "clang++ cannot compile here: $(tail -1 "$scratch/why")"
    agree "$scratch/t.json" "clang -ftime-trace" length
    check "$scratch/t.json" "clang -ftime-trace"
}

from_node()
{
    (cd "$scratch" && node --trace-event-categories v8,node,node.async_hooks,node.perf -e '
        const fs = require("fs");
        let n = 0;
        const t = setInterval(() => {
            fs.readFile("/etc/passwd", () => {});
            if (++n > 20) clearInterval(t);
        }, 2)') >"$scratch/why" 2>&1
    [ -s "$scratch/node_trace.1.log" ] || skip "node wrote no trace: $(tail -1 "$scratch/why")"
    agree "$scratch/node_trace.1.log" "node" length
    check "$scratch/node_trace.1.log" "node"
    grep -q '^FSREQCALLBACK	' "$scratch/wanted" || fail "node: there are no async spans"
}

# Two threads make one span per step and an instant in every tenth step.
lttng_program()
{
    cat >"$scratch/demo.h" <<'END'
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER demo
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./demo.h"
#if !defined(DEMO_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define DEMO_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(demo, step_begin, LTTNG_UST_TP_ARGS(int, n, const char *, text),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, n, n) lttng_ust_field_string(text, text)))
LTTNG_UST_TRACEPOINT_EVENT(demo, step_end, LTTNG_UST_TP_ARGS(void), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(demo, mark, LTTNG_UST_TP_ARGS(int, n),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, n, n)))
#endif
#include <lttng/tracepoint-event.h>
END
    cat >"$scratch/demo.c" <<'END'
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "demo.h"
#include <pthread.h>
static void *work(void *unused)
{
    for (int i = 0; i < 500; i++) {
        lttng_ust_tracepoint(demo, step_begin, i, "quote\" brace{ comma, back\\slash");
        if (i % 10 == 0)
            lttng_ust_tracepoint(demo, mark, i);
        lttng_ust_tracepoint(demo, step_end);
    }
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    return pthread_join(thread, 0);
}
END
    cc -I "$scratch" -o "$scratch/demo" "$scratch/demo.c" -llttng-ust -lpthread -ldl \
        2>"$scratch/why" || skip "no program with tracepoints can be built (package liblttng-ust-dev)"
}

from_lttng()
{
    need lttng lttng-sessiond babeltrace2 cc
    lttng_program
    # This daemon belongs to the test, runs in its own folder, and exits with the test.
    LTTNG_HOME=$scratch/home
    export LTTNG_HOME
    mkdir "$LTTNG_HOME"
    if ! lttng list >/dev/null 2>&1; then
        lttng-sessiond --no-kernel >/dev/null 2>&1 &
        daemon=$!
        trap 'kill "$daemon" 2>/dev/null; wait "$daemon" 2>/dev/null; rm -rf "$scratch"' EXIT
    fi
    for i in 1 2 3 4 5 6 7 8 9 10; do
        lttng list >/dev/null 2>&1 && break
        [ "$i" -lt 10 ] || skip "lttng-sessiond does not start here"
        sleep 0.5
    done
    {
        lttng create "tacho-$$" --output "$scratch/lttng" && lttng enable-event -u 'demo:*' &&
            lttng add-context -u -t vpid -t vtid -t procname && lttng start &&
            "$scratch/demo" && lttng destroy
    } >"$scratch/why" 2>&1 || skip "lttng cannot record here: $(tail -1 "$scratch/why")"
    babeltrace2 "$scratch/lttng" >"$scratch/lttng.txt"
    check "$scratch/lttng.txt" "LTTng by babeltrace2"
    grep -q '^step	1000	' "$scratch/wanted" || fail "LTTng: not 1000 steps"
    instants=$(ask "$scratch/out.json" "select count(*) as n from slice where name = 'mark'" | tail -1)
    [ "$instants" = 100 ] || fail "LTTng: $instants marks, not 100"
    args=$(ask "$scratch/out.json" "select sum(a.int_value) as n from slice s join args a
           using (arg_set_id) where s.name = 'step' and a.key = 'args.n'" | tail -1)
    [ "$args" = 249500 ] || fail "LTTng: the arguments add up to $args, not 249500"
    babeltrace2 --clock-date "$scratch/lttng" | gzip >"$scratch/dated.gz"
    ours "$scratch/dated.gz" >"$scratch/again"
    expect_same "LTTng with dates, gzip" "$scratch/wanted" "$scratch/again"
}

"from_$3"
