#!/bin/sh
# Tests <tacho/tacho.hpp> with each installed C++ compiler in C++17 and C++20, with and without
# exceptions, and with TACHO_DISABLE, which records nothing.
#
#   cplusplus.sh PROJECT LIBRARY TACHO SANITIZED(ON|OFF)
set -eu
. "$1/tests/support/lib.sh"
[ "$4" = OFF ] || skip "a sanitizer's run time is linked in this build"
project=$1
folder=$(dirname "$2")
tacho=$3

# build COMPILER STANDARD FLAG...: makes $scratch/program.
build()
{
    compiler=$1
    standard=$2
    shift 2
    way="$compiler -std=$standard $*"
    "$compiler" -std="$standard" "$@" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$project/include" \
        "$project/tests/abi/cplusplus.cc" -L "$folder" -ltacho -Wl,-rpath,"$folder" -o "$scratch/program" ||
        fail "$way does not compile"
}

# run NAME=VALUE...: runs the program with these variables.
run()
{
    rm -f "$scratch"/*.json*
    env "$@" "$scratch/program" "$scratch/own.jsonl" || fail "$way fails with $*"
    grep -q '"event":"own"' "$scratch/own.jsonl" || fail "$way: no event in own.jsonl"
}

# recorded COUNT TEXT: checks that the trace has COUNT lines with the text.
recorded()
{
    count=$(grep -o -- "$2" "$scratch/t.json" | wc -l)
    [ "$count" -eq "$1" ] || { cat "$scratch/t.json"; fail "$way: $count of '$2', not $1"; }
}

check_trace()
{
    recorded 3 '"name":"site","cat":"test"'
    recorded 3 '"name":"macro"'
    recorded 1 '"args":{"i":2,"size":4,"half":0.5,"yes":true}'
    recorded 1 '"args":{"i":2,"b":true}'
    recorded 3 '"name":"layer 7","cat":"test"[^}]*"args":{"text":"a\\"","shape":\[32, *4096\]}'
    recorded 1 '"name":"layer 7!!!!*"'
    recorded 1 '"args":{"path":"/index","status":200}'
    recorded 1 '"name":"again"'
    recorded 1 '"n":9223372036854775808'
    "$tacho" trace validate "$scratch/t.json" || fail "$way: the trace is not valid"
}

# Links a file with TACHO_DISABLE and one without it. Only the second one records.
cat >"$scratch/silent.cc" <<'END'
#include <tacho/tacho.hpp>
void silent();
void silent()
{
    tacho::span span("silent", "test");
}
END
cat >"$scratch/heard.cc" <<'END'
#include <tacho/tacho.hpp>
void silent();
int main()
{
    tacho::span span("heard", "test");
    silent();
}
END
mix()
{
    way="$1, one file with TACHO_DISABLE"
    "$1" -std=c++17 -DTACHO_DISABLE -I "$project/include" -c "$scratch/silent.cc" -o "$scratch/silent.o"
    "$1" -std=c++17 -I "$project/include" "$scratch/silent.o" "$scratch/heard.cc" -L "$folder" -ltacho \
        -Wl,-rpath,"$folder" -o "$scratch/mixed"
    TACHO_TRACE_OUT="$scratch/t.json" "$scratch/mixed"
    recorded 1 '"name":"heard"'
    recorded 0 '"name":"silent"'
}

# try COMPILER STANDARD
try()
{
    command -v "$1" >/dev/null || { echo "without $1: not installed"; return; }
    for flags in -O2 "-O0 -fno-exceptions -fno-rtti"; do
        # shellcheck disable=SC2086  # a list of flags
        build "$1" "$2" $flags
        run TACHO_OFF=1
        run TACHO_TRACE_OUT="$scratch/t.json" TACHO_PROFILE_JSONL="$scratch/global.jsonl"
        check_trace
        grep -q '"shape":{"batch":32},"stage_us":{"model":12.5},"graph_enabled":true' "$scratch/global.jsonl" ||
            fail "$way: no event in global.jsonl"
    done
    build "$1" "$2" -O1 -DTACHO_DISABLE
    run TACHO_TRACE_OUT="$scratch/t.json"
    recorded 0 '"ph":"X"'
    [ "$2" != c++17 ] || mix "$1"
    echo "$1 -std=$2" >>"$scratch/done"
}

for standard in c++17 c++20; do
    try g++ "$standard"
    try clang++ "$standard"
done
[ -e "$scratch/done" ] || skip "no C++ compiler is installed"
cat "$scratch/done"
