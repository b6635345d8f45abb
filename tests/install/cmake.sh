#!/bin/sh
# Builds a project outside of tacho, in C and C++, against an installed tree by find_package(tacho).
#
#   cmake.sh PROJECT BUILD-FOLDER CMAKE
set -eu
. "$1/tests/install/lib.sh"
need readelf ninja
install_moved

{
    "$cmake" -S "$project/tests/install/outside" -B "$scratch/outside" -G Ninja \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCXX="$cxx" \
        -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" &&
        "$cmake" --build "$scratch/outside"
} >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "the outside project does not build"; }

expect_program "$scratch/outside/c_shared" shared
expect_program "$scratch/outside/c_static" static
if [ -n "$cxx" ]; then
    expect_program "$scratch/outside/cxx_shared" shared
    expect_program "$scratch/outside/cxx_static" static
fi
