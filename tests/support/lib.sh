# shellcheck shell=sh
# What the shell tests share; sourced by them. 77 is "skipped" for ctest.

skip()
{
    echo "skipped: $*"
    exit 77
}

fail()
{
    echo "failed: $*" >&2
    exit 1
}

need()
{
    for tool; do
        command -v "$tool" >/dev/null || skip "$tool is not installed"
    done
}

# expect_same NAME WANTED-FILE GOT-FILE: shows the difference when there is one.
expect_same()
{
    diff -u --label "$1, wanted" --label "$1, got" "$2" "$3" || fail "$1 differs"
}

# An empty folder in $scratch, without blanks in its name, that goes when the test ends.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tacho-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
