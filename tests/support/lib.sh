# shellcheck shell=sh
# Shared by the shell tests, which source it. ctest takes exit status 77 as "skipped".

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

# $scratch is an empty folder, without blanks in its name, that is removed when the test exits.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tacho-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# with_mounts COMMAND...: runs it where it may mount, in a namespace that ends with it; as an ordinary user, who is
# root there.
with_mounts()
{
    if [ "$(id -u)" -eq 0 ]; then
        unshare -m "$@"
    else
        unshare -rm "$@"
    fi
}

# alive PID: returns whether the process exists and is not a zombie.
alive()
{
    [ -r "/proc/$1/stat" ] && ! grep -q '^[0-9]* (.*) [ZX] ' "/proc/$1/stat" 2>/dev/null
}

dead()
{
    ! alive "$1"
}

# eventually COMMAND...: waits until the command succeeds. Returns 1 after ten minutes, so that a test
# that would wait forever ends. No load of the machine explains such a time.
eventually()
{
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 12000 ] || return 1
        sleep 0.05
    done
}

has_lines()
{
    [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

# await FILE LINES: waits until the file has that many lines.
await()
{
    eventually has_lines "$1" "$2" || fail "$1 never had $2 lines"
}

# in_time COMMAND...: runs the command, which fails with 124 or 137 if it hangs.
in_time()
{
    timeout -k 5 600 "$@"
}
