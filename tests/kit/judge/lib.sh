# shellcheck shell=sh
# Shared by the tests of compare and gate: a scratch folder, and checks.
set -u
# shellcheck source=SCRIPTDIR/../../support/lib.sh
. "$(dirname "$0")/../../support/lib.sh"
dir=$scratch
cd "$dir" || exit 1
failures=0

# These tests continue after a failure.
fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# ends_with STATUS COMMAND...: checks the exit status; output and messages are in ./out.
ends_with()
{
    wanted=$1
    shift
    "$@" >out 2>&1
    got=$?
    [ "$got" -eq "$wanted" ] || fail "'$*' exited with $got, not $wanted: $(cat out)"
}

# says TEXT: checks that the last command printed it.
says()
{
    grep -qF -- "$1" out || fail "'$1' is not in: $(cat out)"
}

# need TOOL...: skips the test unless all of them are installed.
need()
{
    for tool; do
        command -v "$tool" >/dev/null || {
            echo "skipped: $tool is not installed"
            exit 77
        }
    done
}

# holds FILE FILTER: checks that jq's filter is true. jq before 1.7 is content with an empty file.
holds()
{
    { [ -s "$1" ] && jq -e "$2" "$1" >/dev/null; } || fail "the filter is not true: $2: $(jq -c 'del(.samples)' "$1")"
}

# row FILE METRIC FIELD: prints the field of the metric's row. jq 1.7 prints 208.0 as it is in the file, earlier ones
# as 208; a sum is printed as 208 by all.
row()
{
    jq -r ".rows[] | select(.metric == \"$2\") | .$3 | if type == \"number\" then . + 0 else . end" "$1"
}

# is FILE METRIC FIELD WANTED
is()
{
    [ "$(row "$1" "$2" "$3")" = "$4" ] || fail "$1: $3 of $2 is '$(row "$1" "$2" "$3")', not $4: $(cat "$1")"
}

finish()
{
    [ "$failures" -eq 0 ] || exit 1
}
