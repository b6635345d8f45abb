# shellcheck shell=sh
# Shared by the tests of an installed tree, which source it with PROJECT BUILD-FOLDER CMAKE.
project=$1
build=$2
cmake=$3

. "$project/tests/support/lib.sh"

# cached NAME: prints the value of a variable in CMakeCache.txt of the build folder.
cached()
{
    sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}

version=$(sed -n 's/^#define TACHO_VERSION  *"\(.*\)"/\1/p' "$project/include/tacho/version.h")
libdir=$(cached CMAKE_INSTALL_LIBDIR)
# Programs are built with the same compiler and flags, because they need the sanitizer of the library.
# shellcheck disable=SC2034  # used by those who source this
cc=$(cached CMAKE_C_COMPILER) flags=$(cached CMAKE_C_FLAGS)
case $cc in
*clang*) cxx=clang++ ;;
*) cxx=g++ ;;
esac
command -v "$cxx" >/dev/null || cxx=

# install_moved: installs a tree and moves it to $prefix. Nothing in it may depend on its first place.
install_moved()
{
    "$cmake" --install "$build" --prefix "$scratch/first" >"$scratch/log" ||
        { cat "$scratch/log"; fail "cannot be installed"; }
    prefix=$scratch/moved
    mv "$scratch/first" "$prefix"
    [ -n "$cxx" ] || echo "without C++: no compiler is installed"
}

needs_libtacho()
{
    readelf -d "$1" | grep -q 'NEEDED.*libtacho\.so\.0'
}

# expect_program PROGRAM shared|static: checks that the program runs and is linked that way.
expect_program()
{
    echo "tacho $version, TACHO_EPARSE" >"$scratch/wanted"
    LD_LIBRARY_PATH=$prefix/$libdir "$1" >"$scratch/got" || fail "$1 exited with $?"
    expect_same "what $1 prints" "$scratch/wanted" "$scratch/got"
    if [ "$2" = shared ]; then
        needs_libtacho "$1" || fail "$1 should need libtacho.so.0"
    else
        ! needs_libtacho "$1" || fail "$1 should not need libtacho.so.0"
    fi
}
