#!/bin/sh
# Captures for minutes on all cores: memory does not grow, and every sample is drawn or counted as
# lost.
#
#   soak.sh PROJECT TACHO WORKLOAD-FOLDER [SECONDS]
set -eu
seconds=${4:-600}
cpu_seconds=$((2 * seconds * $(nproc)))
. "$1/tests/kit/flame/capture.sh"
programs=$3
can_sample "$programs/workload"

# One busy process per core, and short-lived ones all the time.
cat >load.sh <<END
i=0
busy=
while [ \$i -lt $(nproc) ]; do
    $programs/workload threads 100000000 &
    busy="\$busy \$!"
    i=\$((i + 1))
done
trap 'kill \$busy; wait; times >times.txt; exit 0' TERM
while :; do
    $programs/workload recursion 1
done
END
"$tacho" flame --json --user --rate 997 --label soak --folded --duration "${seconds}s" -- sh load.sh >result.json 2>err.txt &
pid=$!
sleep $((seconds / 5))
early=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
sleep $((seconds * 3 / 5))
late=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
wait $pid || :
cat err.txt result.json
echo "resident: $early kB after a fifth of the time, $late kB after four fifths"
[ "$late" -lt 131072 ] || fail "$late kB are more than 128 MB"
[ "$late" -lt $((early + early / 4 + 4096)) ] || fail "memory grew from $early to $late kB"

# There is one sample per 1/997 s of CPU time in user code.
samples=$(sed 's/.*"samples":\([0-9]*\).*/\1/' result.json)
lost=$(sed 's/.*"lost":\([0-9]*\).*/\1/' result.json)
expected=$(sed -n '2s/^\([0-9]*\)m\([0-9.]*\)s.*/\1 \2/p' times.txt | awk '{ printf "%d", 997 * (60 * $1 + $2) }')
[ $((samples + lost)) -gt $((expected * 9 / 10)) ] || fail "$samples samples and $lost lost, of $expected"
total=$(awk '{ n += $NF } END { print n }' flamegraph-soak.folded)
[ "$total" = "$samples" ] || fail "$samples samples were taken and $total drawn"
echo "$samples samples, $lost lost, $expected expected"
