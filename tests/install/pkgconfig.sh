#!/bin/sh
# Builds programs outside the project, in C and C++, against an installed tree by pkg-config.
#
#   pkgconfig.sh PROJECT BUILD-FOLDER CMAKE
set -eu
. "$1/tests/install/lib.sh"
need pkg-config readelf
install_moved

export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
[ "$(pkg-config --modversion tacho)" = "$version" ] || fail "tacho.pc has another version"
case $(pkg-config --cflags --libs tacho) in
*"$scratch/first"*) fail "tacho.pc still names the folder that it was installed in" ;;
esac

# build COMPILER LANGUAGE STANDARD NAME
build()
{
    cflags=$(pkg-config --cflags tacho)
    libs=$(pkg-config --libs tacho)
    static_libs=$(pkg-config --static --libs tacho)
    # shellcheck disable=SC2086  # lists of flags
    "$1" $flags -std="$3" -x "$2" $cflags "$project/tests/install/outside/program.c" -x none \
        -o "$scratch/$4-shared" $libs
    # shellcheck disable=SC2086
    "$1" $flags -std="$3" -x "$2" $cflags "$project/tests/install/outside/program.c" -x none \
        -o "$scratch/$4-static" -Wl,-Bstatic $static_libs -Wl,-Bdynamic
    expect_program "$scratch/$4-shared" shared
    expect_program "$scratch/$4-static" static
}

# libtachokit, which is only a shared library.
# shellcheck disable=SC2046,SC2086  # lists of flags
"$cc" $flags -std=c11 $(pkg-config --cflags tachokit) "$project/tests/install/outside/kit.c" \
    -o "$scratch/kit" $(pkg-config --libs tachokit)
[ "$(LD_LIBRARY_PATH=$prefix/$libdir "$scratch/kit")" = native ] || fail "a program with libtachokit fails"

# shellcheck disable=SC2046,SC2086  # lists of flags
! "$cc" $flags -std=c11 $(pkg-config --cflags tachokit) "$project/tests/install/outside/kit.c" \
    -o "$scratch/kit-static" $(pkg-config --static --libs tachokit) 2>"$scratch/refused" ||
    fail "tachokit links statically, although it is only a shared library"
grep -q 'libtachokit-is-only-a-shared-library' "$scratch/refused" ||
    { cat "$scratch/refused"; fail "the linker does not say that tachokit is only a shared library"; }

build "$cc" c c11 c
if [ -n "$cxx" ]; then
    [ "$cxx" != g++ ] || flags="$flags -Wold-style-cast -Werror"
    build "$cxx" c++ c++17 cxx
fi
