#!/bin/sh
# Checks that every public header compiles alone and when included twice, as C11 and as C++17 (.hpp: as
# C++17 and C++20), with each installed compiler.
#
#   headers.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
include=$1/include

# alone COMPILER LANGUAGE STANDARD SUFFIX
alone()
{
    command -v "$1" >/dev/null || { echo "without $1: not installed"; return; }
    for header in "$include"/tacho/*."$4"; do
        name=tacho/$(basename "$header")
        printf '#include <%s>\n#include <%s>\nextern int probe;\n' "$name" "$name" |
            "$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$include" - ||
            fail "<$name> does not compile alone with $1 -std=$3"
        echo "$1 -std=$3: $name" >>"$scratch/done"
    done
}

alone gcc c c11 h
alone clang c c11 h
alone g++ c++ c++17 h
alone clang++ c++ c++17 h
for standard in c++17 c++20; do
    alone g++ c++ "$standard" hpp
    alone clang++ c++ "$standard" hpp
done
grep c11 "$scratch/done" || fail "no C compiler was found, or no header"
