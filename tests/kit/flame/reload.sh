#!/bin/sh
# Captures a program that runs two libraries in turn at one address: each sample belongs to the file
# that was mapped when it was taken.
#
#   reload.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/refused_user.sh"
cp "$3"/reload "$3"/libreload_a.so "$3"/libreload_b.so .

# check PROFILER MODE ROUNDS: half of the work is in each library, and hardly a sample is charged to
# the other one; on a busy machine the sampler may lose its CPU between mappings and sample
check()
{
    name=$1-$2-$refused
    flame "$name" --profiler "$1" --rate 997 -- ./reload "$2" "$3" ./libreload_a.so ./libreload_b.so
    folded=open/flamegraph-$name.folded
    wrong=$(awk '
        { total += $NF }
        /;turn_a;.*hot_b/ || /;turn_b;.*hot_a/ { wrong += $NF }
        END { printf "%.1f\n", 100 * wrong / total }' "$folded")
    a=$(share "$folded" hot_a) b=$(share "$folded" hot_b)
    echo "$name: hot_a $a %, hot_b $b %, in the wrong library $wrong %"
    awk -v a="$a" -v b="$b" -v wrong="$wrong" 'BEGIN { exit !(a >= 25 && b >= 25 && wrong <= 10) }' ||
        { cat "$folded"; fail "$name: hot_a has $a %, hot_b $b %, and $wrong % are in the wrong library"; }
}

profilers=preload
# shellcheck disable=SC2086  # several words
if $user ./tacho flame --profiler ptrace --out-dir open -- ./workload shares 20 >probe.txt 2>&1; then
    profilers='preload ptrace'
else
    echo "not tested: ptrace, which is not allowed here"
fi
for mode in library mapping; do
    status=0
    ./reload $mode 2 ./libreload_a.so ./libreload_b.so || status=$?
    [ $status != 77 ] || { echo "not tested: $mode, because the addresses differ here"; continue; }
    [ $status = 0 ] || fail "reload $mode: status $status"
    for profiler in $profilers; do
        refused=EPERM
        check "$profiler" $mode 100
        refused=OLD
        check "$profiler" $mode 50
    done
done
