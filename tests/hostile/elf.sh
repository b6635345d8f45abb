#!/bin/sh
# elf.sh TACHO MUTATE PROGRAM: captures programs whose symbols, debug information and unwind tables are
# damaged. TRIES=N captures (default 20). Each ends in time and draws the profile, or says why not.
set -u
tacho=$1
mutate=$2
program=$3
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
need timeout
cd "$scratch" || exit 1
tries=${TRIES:-20}
drawn=0
hung=0
crashed=0
wrong=0

complain()
{
    echo "program $seed: $1" >&2
    head -n 5 err >&2
}

"$tacho" flame --pass-status --force --out-dir out -- "$program" >log 2>err
ls out/flamegraph-*.svg >/dev/null 2>&1 || skip "no profiler works here: $(cat err)"
seed=${FIRST:-0}
last=$((seed + tries))
while [ "$seed" -lt $last ]; do
    seed=$((seed + 1))
    rm -rf out
    "$mutate" "$seed" "$program" work || fail "cannot change the program"
    chmod +x work
    timeout -k 5 60 "$tacho" flame --pass-status --force --out-dir out -- ./work >log 2>err
    status=$?
    case $status in
    5)
        drawn=$((drawn + 1))
        if ! grep -q '^done$' log || ! tail -n 1 out/flamegraph-*.svg | grep -q '</svg>'; then
            wrong=$((wrong + 1))
            complain "a part is missing"
        fi
        ;;
    124 | 137) hung=$((hung + 1)) && complain "did not end" ;;
    12[89] | 1[3-9]? | 2??) crashed=$((crashed + 1)) && complain "ended by signal $((status - 128))" ;;
    *) [ -s err ] || { wrong=$((wrong + 1)) && complain "gives no reason"; } ;;
    esac
done
echo "$tries captures: $drawn drawn, $hung hung, $crashed crashed, $wrong wrong"
[ $((hung + crashed + wrong)) -eq 0 ]
