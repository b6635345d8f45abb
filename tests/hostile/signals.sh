#!/bin/sh
# signals.sh TACHO: sends signals to commands at moments that differ, TRIES=N of them (default 12). No process
# that they started survives, no temporary file stays, except after SIGKILL, and earlier results can be read.
set -u
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
need setsid git
cd "$scratch" || exit 1
unset TACHO_RUN_DIR TACHO_TRACE_OUT TACHO_PROFILE_JSONL
most=${TRIES:-12}
# shellcheck disable=SC3045 # no core files, where the shell knows that limit
ulimit -c 0 2>/dev/null
lost=0
crashed=0
wrong=0

# Each process of a command writes its number to the file `pids`.
cat >work.sh <<'END'
echo $$ >>pids
setsid sh -c 'echo $$ >>pids; exec sleep 0.2' >/dev/null 2>&1 &
i=0
while [ $i -lt 2000 ]; do i=$((i + 1)); done
wait
END
printf 'benches:\n- {name: b, command: sh work.sh, runs: 20, max_runs: 20}\n' >tacho.yaml
awk 'BEGIN {
    print "["
    for (i = 0; i < 100000; i++)
        printf "{\"name\":\"a\",\"ph\":\"X\",\"ts\":%d,\"dur\":5,\"pid\":1,\"tid\":%d},\n", i, i % 7
    print "{\"name\":\"e\",\"ph\":\"X\",\"ts\":1e9,\"dur\":1,\"pid\":1,\"tid\":1}]"
}' >in.json
"$tacho" run -q -n 2 -w 0 --name earlier -- true >/dev/null || fail "tacho run"

# start NUMBER: starts a command in place of this process.
start()
{
    case $(($1 % 6)) in
    0) exec "$tacho" run -n 20 -w 0 --name r -- sh work.sh ;;
    1) exec "$tacho" sweep -n 5 --grid a=1,2,3 --name "s$1" -- sh work.sh '{a}' ;;
    2) exec "$tacho" gate ;;
    3) exec "$tacho" flame --force --out-dir f -- sh work.sh ;;
    4) exec "$tacho" watch --csv "w$1" -- sh work.sh ;;
    5) exec "$tacho" trace convert in.json -o out.json ;;
    esac
}

complain()
{
    echo "try $try, SIG$signal: $1" >&2
    head -n 3 err >&2
}

# all_gone: returns whether all processes of the command have exited.
all_gone()
{
    while read -r process; do
        ! alive "$process" || return 1
    done <pids
}

try=0
while [ $try -lt "$most" ]; do
    case $((try / 6 % 4)) in
    0) signal=TERM ;;
    1) signal=KILL ;;
    2) signal=HUP ;;
    3) signal=QUIT ;;
    esac
    : >pids
    start $try >/dev/null 2>err &
    pid=$!
    sleep "0.$(printf %03d $((try * 37 % 500)))"
    kill -"$signal" $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$?
    eventually all_gone || { lost=$((lost + 1)) && complain "a process survives"; }
    case $status in
    139 | 134 | 135 | 136) crashed=$((crashed + 1)) && complain "ended by signal $((status - 128))" ;;
    esac
    left=$(find . -name '.?*.tmp')
    [ -z "$left" ] || [ "$signal" = KILL ] || { wrong=$((wrong + 1)) && complain "left $left"; }
    [ -z "$left" ] || find . -name '.?*.tmp' -exec rm {} +
    "$tacho" report -f json -o - tacho-out/earlier/latest | grep -q '"schema"' || {
        wrong=$((wrong + 1))
        complain "an earlier result cannot be read"
    }
    try=$((try + 1))
done
echo "$most signals: $lost with survivors, $crashed crashed, $wrong wrong"
[ $((lost + crashed + wrong)) -eq 0 ]
