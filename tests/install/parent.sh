#!/bin/sh
# Builds a project that contains tacho, by add_subdirectory() and by FetchContent, and has targets with the names
# of our examples. It gets libtacho alone, and `cmake --install` installs its own files only, or with
# TACHO_INSTALL the library, too.
#
#   parent.sh PROJECT CMAKE COMPILER
set -eu
. "$1/tests/support/lib.sh"
project=$1
cmake=$2
cc=$3
need ninja

mkdir "$scratch/parent"
cat >"$scratch/parent/CMakeLists.txt" <<'END_OF_LISTS'
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES C)
if(FETCH)
    include(FetchContent)
    FetchContent_Declare(tacho SOURCE_DIR ${TACHO})
    FetchContent_MakeAvailable(tacho)
else()
    add_subdirectory(${TACHO} tacho)
endif()
foreach(name IN ITEMS service gate import attention salvage events layers)
    add_executable(${name} ${TACHO}/tests/install/outside/program.c)
    target_link_libraries(${name} PRIVATE tacho::tacho)
endforeach()
add_executable(static ${TACHO}/tests/install/outside/program.c)
target_link_libraries(static PRIVATE tacho::tacho_static)
install(TARGETS service static)
get_property(options DIRECTORY PROPERTY COMPILE_OPTIONS)
if(options OR TACHO_COMMAND OR TACHO_EXAMPLES OR TACHO_TESTS)
    message(FATAL_ERROR "tacho changes the project that contains it")
endif()
END_OF_LISTS

# build NAME OPTION...: builds and installs the parent in $scratch/NAME and $scratch/NAME-usr.
build()
{
    name=$1
    shift
    {
        "$cmake" -S "$scratch/parent" -B "$scratch/$name" -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS=-O0 \
            -DTACHO="$project" -DCMAKE_INSTALL_PREFIX="$scratch/$name-usr" -DCMAKE_INSTALL_LIBDIR=lib "$@" &&
            "$cmake" --build "$scratch/$name" &&
            "$cmake" --install "$scratch/$name"
    } >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; fail "the parent with $name does not build"; }
    "$scratch/$name/service" >"$scratch/out" || fail "the parent's program exits with $?"
    "$scratch/$name-usr/bin/static" >"$scratch/out" || fail "the installed static program exits with $?"
}

build subfolder
[ "$(cd "$scratch/subfolder-usr" && find . -type f | sort | tr '\n' ' ')" = "./bin/service ./bin/static " ] ||
    fail "the parent installs files that are not its own"
build fetched -DFETCH=ON -DTACHO_INSTALL=ON
LD_LIBRARY_PATH=$scratch/fetched-usr/lib "$scratch/fetched-usr/bin/service" >"$scratch/out" ||
    fail "the installed program exits with $?"
[ ! -e "$scratch/fetched-usr/bin/tacho" ] || fail "the command is installed, which the parent did not ask for"
