# shellcheck shell=sh
# Shared by the tests of compare and gate: a scratch folder, and checks.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0

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

# holds FILE FILTER: checks that jq's filter is true.
holds()
{
    jq -e "$2" "$1" >/dev/null || fail "the filter is not true: $2: $(jq -c 'del(.samples)' "$1")"
}

finish()
{
    [ "$failures" -eq 0 ] || exit 1
}
