# shellcheck shell=sh
# Functions that the tests of `tacho sweep` share.

# shellcheck source=SCRIPTDIR/../run/lib.sh
. "$(dirname "$0")/../run/lib.sh"

# sweep STATUS OPTIONS...: runs tacho sweep, which must exit with STATUS. Its output is in out and err.
sweep()
{
    want=$1
    shift
    status=0
    "$tacho" sweep "$@" >out 2>err </dev/null || status=$?
    [ "$status" -eq "$want" ] || {
        cat out err
        fail "tacho sweep $* exited with $status, not $want"
    }
}

# is NAME FILTER: jq's FILTER must be true for the sweep.json of NAME.
is()
{
    jq -e "$2" "tacho-out/$1/sweep.json" >/dev/null || {
        jq 'del(.plan)' "tacho-out/$1/sweep.json"
        fail "$1: is not true: $2"
    }
}
