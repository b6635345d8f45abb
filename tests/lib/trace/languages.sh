#!/bin/sh
# Checks spans in C and C++ with each installed compiler, and that TACHO_DISABLE removes them.
#
#   languages.sh PROJECT LIBRARY SANITIZED(ON|OFF)
set -eu
. "$1/tests/support/lib.sh"
[ "$3" = OFF ] || skip "a sanitizer's run time is linked in this build"
folder=$(dirname "$2")

cat >"$scratch/spans.c" <<'END'
#include <tacho/tacho.h>
#include <stdio.h>

static int evaluated;

int count(void);
int count(void)
{
    return ++evaluated;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        TACHO_SPAN("outer", "test");
        TACHO_SPAN_ARGS("inner", "test", tacho_i64("i", count()), tacho_text("t", "x"));
        tacho_counter_i64("counter", count());
        uint32_t track = tacho_track("layer");
        tacho_track_instant(track, "at", "test", 0, TACHO_NO_FIELDS);
    }
    printf("%d\n", evaluated);
    return 0;
}
END

# try COMPILER LANGUAGE STANDARD
try()
{
    command -v "$1" >/dev/null || { echo "without $1: not installed"; return; }
    for define in TACHO_ON TACHO_DISABLE; do
        "$1" -x "$2" -std="$3" -O2 -Wall -Wextra -Wpedantic -Werror -D$define \
            -I "$project/include" "$scratch/spans.c" -x none -L "$folder" -ltacho \
            -Wl,-rpath,"$folder" -o "$scratch/spans" || fail "$1 -std=$3 -D$define does not compile"
        rm -f "$scratch/t.json"
        [ "$("$scratch/spans")" = 0 ] || [ $define = TACHO_ON ] || fail "arguments are evaluated with TACHO_DISABLE"
        evaluated=$(TACHO_TRACE_OUT=$scratch/t.json "$scratch/spans")
        [ $define = TACHO_ON ] || { [ "$evaluated" = 0 ] || fail "$1: arguments are evaluated with TACHO_DISABLE"; continue; }
        [ "$evaluated" = 6 ] || fail "$1: evaluated $evaluated times, not 6"
        spans=$(grep -o '"name":"\(inner\|outer\)"' "$scratch/t.json" | wc -l)
        [ "$spans" -eq 6 ] || fail "$1 -std=$3: $spans spans, not 6"
    done
    echo "$1 -std=$3"
}

project=$1
try gcc c c11
try clang c c11
try g++ c++ c++17
try clang++ c++ c++17
