#!/bin/sh
# Checks that no function or variable is defined in two archives of the project. A linker silently takes
# the first definition that it finds, so a call could reach a function of another folder.
#
#   one_definition.sh PROJECT ARCHIVE...
set -eu
. "$1/tests/support/lib.sh"
shift
need nm

nm --defined-only --extern-only "$@" 2>"$scratch/err" |
    awk '$3 ~ /^(tch|tacho|cli|cmd)_/ { print $3 }' | LC_ALL=C sort >"$scratch/names"
[ -s "$scratch/names" ] || { cat "$scratch/err"; skip "nm reads no names here"; }
twice=$(uniq -d "$scratch/names" | tr '\n' ' ')
[ -z "$twice" ] || fail "defined more than once: $twice"
