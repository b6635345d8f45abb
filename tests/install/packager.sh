#!/bin/sh
# Builds tacho as a distribution does: from an archive without git, in a folder with blanks in its name,
# without a preset, with Debian's hardening flags and link-time optimisation. The build must print no
# warning, and what it installs must work.
#
#   packager.sh PROJECT CMAKE
set -eu
. "$1/tests/support/lib.sh"
project=$1
cmake=$2
need gcc tar
place="$scratch/a packager's folder"

mkdir "$place"
(cd "$project" && scripts/source-files >"$scratch/files" && tar -cf - -T "$scratch/files") |
    tar -xf - -C "$place"

# The flags of dpkg-buildflags in Debian 12.
flags="-g -O2 -fstack-protector-strong -Wformat -Werror=format-security -Wdate-time -D_FORTIFY_SOURCE=2"
{
    "$cmake" -S "$place" -B "$place/b" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DTACHO_TESTS=OFF \
        -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DCMAKE_C_FLAGS="$flags" \
        -DCMAKE_EXE_LINKER_FLAGS=-Wl,-z,relro -DCMAKE_SHARED_LINKER_FLAGS=-Wl,-z,relro \
        -DCMAKE_INSTALL_PREFIX="$place/usr" &&
        "$cmake" --build "$place/b" --parallel 2 &&
        "$cmake" --install "$place/b"
} >"$scratch/log" 2>&1 || { tail -n 60 "$scratch/log"; fail "the archive does not build"; }
! grep -A 8 -i 'warning' "$scratch/log" || fail "the build prints warnings"

version=$(sed -n 's/^#define TACHO_VERSION  *"\(.*\)"/\1/p' "$project/include/tacho/version.h")
tacho=$place/usr/bin/tacho
[ "$("$tacho" --version)" = "tacho $version" ] || fail "tacho --version prints '$("$tacho" --version)'"
(cd "$scratch" && "$tacho" run -q -n 3 -- true) >"$scratch/out" 2>&1 ||
    { cat "$scratch/out"; fail "tacho run -- true fails"; }
[ -s "$scratch/tacho-out/true/latest/report.html" ] || fail "tacho run -- true writes no report"

# A program links the static library without link-time optimisation, or with another compiler.
gcc -fno-use-linker-plugin -I "$place/usr/include" "$project/tests/install/outside/program.c" \
    -o "$scratch/program" "$(find "$place/usr" -name libtacho.a)" -lpthread || fail "libtacho.a does not link"
"$scratch/program" >"$scratch/out" || fail "a program linked with libtacho.a exits with $?"
