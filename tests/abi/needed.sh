#!/bin/sh
# Checks that libtacho needs no library but the C library.
#
#   needed.sh PROJECT LIBRARY SANITIZED(ON|OFF)
set -eu
. "$1/tests/support/lib.sh"
need readelf
[ "$3" = OFF ] || skip "a sanitizer's run time is linked in this build"

readelf -d "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$scratch/needed"
grep -q '^libc\.' "$scratch/needed" || fail "libc is not needed: is $2 a shared library?"
! grep -Ev '^(libc\.|ld-linux)' "$scratch/needed" || fail "libtacho needs more than libc"
