#!/bin/sh
# growth.sh TACHO: finds the growth of programs whose work is known, and --expect checks it.
#
# The programs count their steps, so the test does not depend on a clock.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq awk

cat >work.awk <<'END'
# prog LAW N: does the work and prints the number of steps, including 500 that do not depend on N.
BEGIN {
    for (i = 0; i < 500; i++) steps++
    if (LAW == "log") for (i = N; i > 1; i /= 2) for (j = 0; j < 40; j++) steps++
    if (LAW == "n") for (i = 0; i < N; i++) steps++
    if (LAW == "nlogn") for (i = N; i > 1; i /= 2) for (j = 0; j < N; j++) steps++
    if (LAW == "n2") for (i = 0; i < N; i++) for (j = 0; j < N; j++) steps++
    if (LAW == "n3") for (i = 0; i < N; i++) for (j = 0; j < N; j++) for (k = 0; k < N; k++) steps++
    print "steps " steps
}
END
sweep 0 --grid law=1,log,n,nlogn --range n=16:16384:log4 --grid x=0 -n 2 --cost steps --along n \
    --metric 'steps=steps ([0-9]+)' --name large -- awk -v 'LAW={law}' -v 'N={n}' -v 'X={x}' -f work.awk
is large '[.growth.fits[].best] == ["1","log n","n","n log n"]'
is large '.growth.fits[2].exponent == 1 and .growth.along == "n" and .growth.cost == "steps"'
sweep 0 --grid law=n2,n3 --grid n=4,8,16,32,64,96 -n 2 --cost steps \
    --metric 'steps=steps ([0-9]+)' --name steep -- awk -v 'LAW={law}' -v 'N={n}' -f work.awk
is steep '[.growth.fits[].best] == ["n^2","n^3"] and [.growth.fits[].exponent] == [2,3]'
is steep 'all(.growth.fits[]; .models | any(.r2 > 0.999999))'
says out "O(n^3), R2 1.0000"

# --expect exits with 0 if it holds and with 2 if not.
check()
{
    want=$1
    law=$2
    shift 2
    sweep "$want" --range n=16:16384:log4 -n 2 --cost steps --metric 'steps=steps ([0-9]+)' \
        --name "expect-$law" "$@" -- awk -v "LAW=$law" -v 'N={n}' -f work.awk
}
check 0 nlogn --expect 'n log n'
check 2 nlogn --expect 'n^2'
says err "does not grow as expected"
check 2 nlogn --expect 'n'
check 0 nlogn --expect '<= n^2'
check 2 nlogn --expect '<= log n'
check 0 n --expect 'O(n)'
check 2 n --expect '1'
check 0 log --expect 'log n'
check 0 1 --expect '1'
check 2 1 --expect 'n'
is expect-log '.growth.expected == "log n" and .growth.fits[0].as_expected'

# A fit that is impossible is an error.
sweep 64 --grid n=a,b -n 2 --expect n --name text -- true '{n}'
says err "needs a parameter whose values are all numbers above 0"
sweep 4 --grid n=1,2,3 -n 2 --expect n --name few -- true '{n}'
says out "too few values"
says err "NOT JUDGED: a fit needs 4 or more values"
