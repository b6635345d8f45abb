#!/bin/sh
# Checks that the example in the comment of <tacho/event.h> compiles unchanged, in C11 and in C++17, and writes one
# valid event.
#
#   example.sh PROJECT LIBRARY TACHO
set -eu
. "$1/tests/support/lib.sh"
include=$1/include
library=$2
tacho=$3

{
    echo '#include <tacho/event.h>'
    # The first indented block of the first comment.
    sed -n '/^ \*     /,/^ \*$/{ /^ \*$/q; s/^ \*     //p }' "$include/tacho/event.h"
    echo 'int main() { return report(12500.0); }'
} >"$scratch/example.c"
grep -q TACHO_EVENT "$scratch/example.c" || fail "there is no example in the header"

# try COMPILER LANGUAGE STANDARD
try()
{
    command -v "$1" >/dev/null || { echo "without $1: not installed"; return; }
    "$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
        -I "$include" "$scratch/example.c" -x none "$library" \
        -Wl,-rpath,"$(dirname "$library")" -o "$scratch/example" ||
        fail "the example does not compile with $1 -std=$3"
    "$scratch/example" || fail "the example fails when events are off"
    TACHO_PROFILE_JSONL=$scratch/$1.jsonl "$scratch/example" || fail "the example fails with $1"
    "$tacho" events validate --require unified_prof "$scratch/$1.jsonl" ||
        fail "the event of the example is not valid"
    echo "$1 -std=$3" >>"$scratch/done"
}

try gcc c c11
try clang c c11
try g++ c++ c++17
try clang++ c++ c++17
cat "$scratch/done" || fail "no compiler was found"
