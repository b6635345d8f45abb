#!/bin/sh
# Builds and installs libtacho alone where there is nothing but a C compiler: CMake may look for no library and
# no program of another language. A program then links what was installed.
#
#   bare.sh PROJECT CMAKE COMPILER
set -eu
. "$1/tests/support/lib.sh"
project=$1
cmake=$2
cc=$3

# Finds nothing outside of the compiler's own folders, as if no library were installed.
{
    "$cmake" -S "$project" -B "$scratch/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS=-O0 -DTACHO_COMMAND=OFF \
        -DTACHO_EXAMPLES=OFF -DTACHO_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$scratch/usr" -DCMAKE_INSTALL_LIBDIR=lib \
        -DCMAKE_CXX_COMPILER=false -DCMAKE_FIND_ROOT_PATH="$scratch/none" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
        -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY &&
        "$cmake" --build "$scratch/build" --parallel 2 &&
        "$cmake" --install "$scratch/build"
} >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; fail "libtacho alone does not build"; }

(cd "$scratch/usr" && find bin share -type f 2>/dev/null) >"$scratch/more" || true
[ ! -s "$scratch/more" ] || { cat "$scratch/more"; fail "files of the command are installed"; }
for file in lib/libtachokit.so lib/pkgconfig/tachokit.pc; do
    [ ! -e "$scratch/usr/$file" ] || fail "$file belongs to the command, and is installed"
done
"$cc" -I "$scratch/usr/include" "$project/tests/install/outside/program.c" -o "$scratch/program" \
    -L "$scratch/usr/lib" -ltacho -Wl,-rpath,"$scratch/usr/lib" || fail "no program can be linked with libtacho"
"$scratch/program" >"$scratch/out" || fail "a program that uses libtacho exits with $?"
