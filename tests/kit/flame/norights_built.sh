#!/bin/sh
# Captures programs that sanitizers, g++ and rustc build, as an ordinary user without the right to perf
# events. The preloaded sampler gives the right shares, or ptrace is used where it cannot work.
#
#   norights_built.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/refused_user.sh"

flame probe --profiler ptrace -- ./workload shares 20 || skip "ptrace is not allowed here"

# Built by the compilers that are here. A sanitizer checks each access, so its shares differ.
build()
{
    out=$1
    shift
    "$@" -g -D_GNU_SOURCE -I "$project/tests/kit/flame" -o "$out" "$project/tests/kit/flame/hostile_signals.c" -pthread 2>build.txt ||
        { echo "not built: $*"; return 1; }
}
for compiler in gcc clang; do
    build "asan-$compiler" $compiler -O2 -fsanitize=address || continue
    flame "asan-$compiler" -- "./asan-$compiler" work 4000
    grep -q '^done$' out.txt || { cat out.txt err.txt; fail "asan, $compiler: the program failed"; }
    grep -q '^profiler: preload,' out.txt || { cat out.txt; fail "asan, $compiler: another profiler was used"; }
    expect "asan-$compiler" hot 70 6
done
if build tsan clang -O2 -fsanitize=thread; then
    flame tsan -- ./tsan work 4000
    says "profiler 'ptrace' is used instead of 'native': "
    says "; not 'preload', because 'tsan' runs under ThreadSanitizer"
fi
if command -v g++ >/dev/null; then
    g++ -O2 -g -o busy_cxx "$project/tests/kit/flame/busy.cpp" || fail "g++"
    flame cxx -- ./busy_cxx
    grep -q '^profiler: preload,' out.txt || { cat out.txt; fail "C++: another profiler was used"; }
    sed -i 's/[^;]*::\(cxx_[a-z]*\)/\1/g' open/flamegraph-cxx.folded
    expect cxx cxx_hot 70 5
    expect cxx cxx_warm 30 5
    rooted_well cxx
fi
if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
    rustc -O -g -o busy_rust "$project/tests/kit/flame/busy.rs" 2>build.txt || { cat build.txt; fail "rustc"; }
    flame rust -- ./busy_rust
    grep -q '^profiler: preload,' out.txt || { cat out.txt; fail "Rust: another profiler was used"; }
    expect rust busy::rust_hot 70 5
    expect rust busy::rust_warm 30 5
else
    echo "not tested: Rust, because there is no rustc"
fi
command -v go >/dev/null || echo "not tested: Go, because there is no go; a static program is tested instead"
