#!/bin/sh
# The preloaded sampler calls no function of the program but weak ones, whichever compiler builds it:
# an intercepted memcpy() in its handler would abort a program under AddressSanitizer.
#
#   sampler_object.sh PROJECT TACHO WORKLOAD-FOLDER OBJECT COMPILE-OPTIONS LINK-OPTIONS LEVELS
set -eu
. "$1/tests/kit/flame/capture.sh"
need nm
printf '%s\n' __errno_location __register_atfork dlsym pthread_atfork >weak

# check NAME OBJECT: it needs the weak symbols and no others
check()
{
    nm -D --undefined-only "$2" | awk '$1 == "w" { print $2 } $1 != "w" { print "strong: " $2 }' | LC_ALL=C sort >undefined
    expect_same "$1, undefined symbols" weak undefined
    ! nm -D --defined-only "$2" | grep -E ' mem(cpy|set)$' || fail "$1: the program would use our memcpy() or memset()"
}

check "the object of this build" "$4"
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "not tested: $compiler is not installed"; continue; }
    for level in $7; do
        mkdir -p "$compiler$level"
        # shellcheck disable=SC2086  # several words
        $compiler $5 $level -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -I "$1/src" -shared $6 \
            -o "$compiler$level/tacho-sampler.so" "$1"/src/kit/flame/preload/*.c || fail "$compiler $level"
        check "$compiler $level" "$compiler$level/tacho-sampler.so"
    done
    if ! $compiler -O2 -g -fsanitize=address -D_GNU_SOURCE -I "$1/tests/kit/flame" -pthread -o "asan-$compiler" \
        "$1/tests/kit/flame/hostile_signals.c" 2>build.txt; then
        echo "not tested: $compiler has no AddressSanitizer"
        continue
    fi
    for mode in use block work; do
        TACHO_PRELOAD_DIR=$scratch/$compiler-O2 "$tacho" flame --profiler preload --folded --force --label asan \
            -- "./asan-$compiler" $mode 2000 >out.txt 2>&1 || { cat out.txt; fail "$compiler, $mode"; }
        grep -q '^done$' out.txt || { cat out.txt; fail "$compiler, $mode: the program failed"; }
        grep -q ';hot[; ]' flamegraph-asan.folded || { cat flamegraph-asan.folded; fail "$compiler, $mode: hot was not sampled"; }
    done
done
