#!/bin/sh
# Programs from packages: the root of the stacks is found in at least 95 of 100 samples.
#
#   real.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/capture.sh"
can_sample "$3/workload"

# expect_rooted LABEL COMMAND...
options=
expect_rooted()
{
    label=$1
    shift
    # shellcheck disable=SC2086  # options are words, or none
    "$tacho" flame --json --folded --label "$label" $options -- "$@" >result.json 2>err.txt || { cat err.txt; fail "cannot profile $label"; }
    percent=$(rooted "flamegraph-$label.folded")
    echo "$label: $percent % rooted; $(sed 's/.*"samples"/"samples"/' result.json)"
    awk -v p="$percent" 'BEGIN { exit !(p >= 95) }' || fail "$label: only $percent % of the stacks have their root"
}

seq 1 400000 >numbers
command -v gzip >/dev/null && expect_rooted gzip gzip -9 -k -f numbers
if command -v sqlite3 >/dev/null; then
    expect_rooted sqlite3 sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c
        where x < 400000) select sum(x * x % 7), count(distinct x % 1000) from c group by x % 97'
fi
if [ -x /usr/bin/python3 ]; then
    expect_rooted python3 /usr/bin/python3 -c 'd = {}
for i in range(1000000): d[i % 1000] = d.get(i % 1000, 0) + i
print(sum(d.values()))'
fi
if command -v make >/dev/null && command -v gcc >/dev/null; then
    mkdir build
    i=0
    while [ $i -lt 8 ]; do
        awk -v n=$i 'BEGIN { print "#include <stdio.h>\n#include <stdlib.h>"
            for (k = 0; k < 60; k++)
                printf "int f%d_%d(int *a, int n)\n{\n    int s = %d;\n    for (int i = 0; i < n; i++)\n        s += a[i] * %d ^ s >> 3;\n    printf(\"%%d\\n\", s);\n    return s;\n}\n", n, k, k, k + 3 }' >build/f$i.c
        i=$((i + 1))
    done
    # shellcheck disable=SC2016  # make's own words
    printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\n%%.o: %%.c\n\tgcc $(O) -g -c $< -o $@\n' >build/Makefile
    expect_rooted make make -s -C build -j2 O=-O1
    # With -O2 this gcc needs more than 16 KB of stack in 4 to 5 of 100 samples, and chance would decide.
    rm build/*.o
    options='--stack-size 32k'
    expect_rooted deep make -s -C build -j2 O=-O2
fi
