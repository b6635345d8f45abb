# shellcheck shell=sh
# Shared by the tests of `tacho run`: $tacho, a temporary folder, and checks of run.json.

tacho=$1
# shellcheck source=SCRIPTDIR/../../support/lib.sh
. "$(dirname "$0")/../../support/lib.sh"
cd "$scratch" || exit 1
unset NO_COLOR COLUMNS TACHO_RUN_DIR TACHO_TRACE_OUT TACHO_PROFILE_JSONL

# run STATUS OPTIONS...: tacho run must exit with STATUS. Its output is in out and err.
run()
{
    want=$1
    shift
    status=0
    "$tacho" run "$@" >out 2>err </dev/null || status=$?
    [ "$status" -eq "$want" ] || {
        cat out err
        fail "tacho run $* exited with $status, not $want"
    }
}

# says FILE TEXT: the file must contain the text.
says()
{
    grep -qF -- "$2" "$1" || {
        cat "$1"
        fail "'$2' is not in $1"
    }
}

# holds NAME FILTER: jq's filter must be true for the run.json of the latest run of NAME.
holds()
{
    jq -e "$2" "tacho-out/$1/latest/run.json" >/dev/null || {
        jq 'del(.statistics)' "tacho-out/$1/latest/run.json"
        fail "$1: not true: $2"
    }
}

# gone WHAT PID...: waits until none of the processes is running.
gone()
{
    what=$1
    shift
    for process; do
        eventually dead "$process" || fail "$what still runs after tacho"
    done
}

# pids FILE COUNT: waits until that many processes wrote their pid to it, and prints them.
pids()
{
    await "$1" "$2"
    cat "$1"
}
