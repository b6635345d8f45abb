#!/bin/sh
# count_allocators.sh TACHO: allocations of programs that use jemalloc or mimalloc, linked or preloaded, are
# counted. If the program contains jemalloc, they are not countable. They are never 0.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq c++

# find_library NAME: prints the path of a shared library that the dynamic linker knows.
find_library()
{
    /sbin/ldconfig -p | sed -n "s|.*$1\.so\.[0-9.]* .*=> ||p" | head -n 1
}
jemalloc=$(find_library libjemalloc)
mimalloc=$(find_library libmimalloc)
[ -n "$jemalloc$mimalloc" ] || skip "neither libjemalloc nor libmimalloc is installed"

cat >program.cc <<'END'
#include <cstdlib>
struct alignas(64) wide { char bytes[64]; };
static void *volatile kept;
int main()
{
    void *p;
    for (int i = 0; i < 5; i++) {
        kept = malloc(10);
        free(kept);
    }
    kept = calloc(2, 4);
    kept = realloc(kept, 100);
    free(kept);
    if (posix_memalign(&p, 64, 64) == 0)
        free(p);
    for (int i = 0; i < 3; i++) {
        int *one = new int(i);
        kept = one;
        delete one;
        char *several = new char[10];
        kept = several;
        delete[] several;
        wide *aligned = new wide;
        kept = aligned;
        delete aligned;
    }
}
END
c++ -O0 -std=c++17 -o program program.cc || fail "c++ failed"

# counted NAME: the run has all allocations of the program. libstdc++ makes one malloc() of its own.
counted()
{
    holds "$1" '.counts.allocations | .exact and (.parts |
        (.malloc == 5 or .malloc == 6) and .calloc == 1 and .realloc == 1 and .posix_memalign == 1 and
        .["operator new"] == 6 and .["operator new[]"] == 3)'
    holds "$1" '.counts.allocated_bytes | .exact and .values[0] >= 50 + 8 + 100 + 64 + 3 * (4 + 10 + 64)'
}

for library in $jemalloc $mimalloc; do
    name=$(basename "$library" | sed 's/\.so.*//')
    c++ -O0 -std=c++17 -o "$name" program.cc "$library" || fail "c++ failed with $library"
    run 0 -n 1 --count allocations,allocated-bytes --name "$name" -- "./$name"
    counted "$name"
    run 0 -n 1 --count allocations,allocated-bytes --name "$name-preload" --env "LD_PRELOAD=$library" -- ./program
    counted "$name-preload"
done

if c++ -O0 -std=c++17 -o static program.cc -Wl,-Bstatic -ljemalloc -Wl,-Bdynamic 2>/dev/null; then
    run 0 -n 1 --count allocations --name static -- ./static
    holds static '.counts.allocations | .countable == false and .values == null and (.why_not | test("malloc"))'
fi
