#!/bin/sh
# Checks that docs/conformance.md names every case of tests/conformance/.
#
#   listed.sh PROJECT
set -eu

cd "$1"
cases=$(sed -n 's/^    CASE(\([a-z0-9_]*\)),$/\1/p' tests/conformance/*.c | LC_ALL=C sort)
[ -n "$cases" ] || {
    echo "tests/conformance: no cases were found"
    exit 1
}
bad=0
for case in $cases; do
    grep -qwF "$case" docs/conformance.md || {
        echo "docs/conformance.md: the case $case is not in a table"
        bad=1
    }
done
exit $bad
