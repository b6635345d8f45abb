#!/bin/sh
# counts_exact.sh TACHO N: all N counted runs of programs in C, C++ and Rust are equal.
set -u
runs=$2
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq cc
counts=syscalls,allocations,allocated-bytes,faults
command -v valgrind >/dev/null && counts=$counts,instructions

cat >c.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char *volatile p[1000];
    for (int i = 0; i < 1000; i++)
        p[i] = malloc((size_t)i + 1);
    for (int i = 0; i < 1000; i++)
        free(p[i]);
    return puts("done") < 0;
}
END
cat >cplusplus.cc <<'END'
#include <iostream>
#include <map>
#include <string>
#include <vector>
struct alignas(64) wide { char bytes[64]; };
int main()
{
    std::map<int, std::string> m;
    for (int i = 0; i < 500; i++)
        m[i * 7 % 509] = std::string(100, 'x');
    std::vector<wide> v(10);
    std::cout << m.size() + v.size() << "\n";
}
END
cat >rust.rs <<'END'
use std::collections::BTreeMap;
fn main() {
    let mut m = BTreeMap::new();
    for i in 0..500u64 { m.insert(i * 7 % 509, format!("x{}", i)); }
    println!("{}", m.len());
}
END

# equal NAME: all counts of ./NAME must be exact. One run of ten may have one more page fault: the kernel maps
# the neighbouring pages of a file together, but skips a page that is locked, as while another process maps it.
equal()
{
    run 0 -n 1 --count "$counts" --count-runs "$runs" -- "./$1"
    holds "$1" "(.counts | length) == $(echo "$counts" | tr ',' '\n' | wc -l) and
        (.counts | map((.values | length) == $runs) | all) and
        (.counts | del(.faults) | map(.exact) | all)"
    holds "$1" ".counts.faults.values as \$v | [\$v[] | select(. != (\$v | min))] | length <= ($runs + 9) / 10"
}

cc -O1 -o c c.c || fail "the C program cannot be built"
equal c
holds c '.counts.allocations.parts.malloc == 1001' # one is of puts()
if command -v valgrind >/dev/null; then
    # What a counted program sees of valgrind is the same in every run, without a process id.
    run 0 -n 1 --count instructions --count-runs 2 -- cp /proc/self/maps maps
    [ -s maps ] || fail "no counted run wrote its maps"
    # Newer versions of valgrind show the program no maps of their own, so that there is nothing to find.
    ! grep vgdb maps || fail "the maps of a counted run have the process id of valgrind"
fi
if command -v g++ >/dev/null; then
    g++ -O1 -std=c++17 -o cplusplus cplusplus.cc || fail "the C++ program cannot be built"
    equal cplusplus
    holds cplusplus '.counts.allocations.parts["operator new"] >= 1001'
else
    echo "C++ is not tried: g++ is not installed"
fi
if rustc --version >/dev/null 2>&1; then
    rustc -O -o rust rust.rs 2>err || fail "the Rust program cannot be built: $(cat err)"
    equal rust
else
    echo "Rust is not tried: rustc is not installed"
fi
