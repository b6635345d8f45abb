#!/bin/sh
# Stacks of programs whose start has no unwind tables reach their root: musl's and Go's. The functions of
# a stripped Go program have names.
#
#   starts.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/capture.sh"
can_sample "$3/workload"
command -v musl-gcc >/dev/null || command -v go >/dev/null || skip "neither musl-gcc nor go is installed"

# whole LABEL COMMAND STACK: there are such stacks, none of them truncated, and there is no advice. Code
# that runs before main may be truncated.
whole()
{
    "$tacho" flame --rate 4987 --folded --label "$1" -- "$2" >out.txt 2>err.txt || { cat err.txt; fail "$1"; }
    [ ! -s err.txt ] || { cat err.txt; fail "$1: there is advice"; }
    ! grep "truncated.*$3" "flamegraph-$1.folded" || fail "$1: stacks are truncated"
    grep -q "$3" "flamegraph-$1.folded" || { cat "flamegraph-$1.folded"; fail "$1: there is no $3"; }
}

if command -v musl-gcc >/dev/null; then
    cat >spin.c <<'END'
volatile unsigned long sum;
__attribute__((noinline)) static void spin(unsigned n) { for (unsigned i = 0; i < n; i++) sum += i; }
int main(void) { for (unsigned k = 0; k < 50; k++) spin(1000000 + k); return 0; }
END
    musl-gcc -O2 -static -o musl_static spin.c
    musl-gcc -O2 -o musl_dynamic spin.c
    whole static ./musl_static ';main;spin'
    whole dynamic ./musl_dynamic ';main;spin'
fi
if command -v go >/dev/null; then
    GOCACHE=$scratch/go go build -ldflags='-s -w' -o stripped "$1/tests/kit/flame/busy.go"
    whole stripped ./stripped ';main\.main'
fi
