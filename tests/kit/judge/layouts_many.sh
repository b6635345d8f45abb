#!/bin/sh
# Counts how often two builds that differ only in 0 to 64 bytes of padding FAIL: in COUNT comparisons
# without layouts, and in COUNT with them. With them at most one in twenty may be a FAIL. Prints a row for
# the table of docs/layouts.md.
#   layouts_many.sh TACHO PROJECT COUNT
tacho=$1
project=$2
count=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

# Links the example once for each step of padding. A relink only has to copy two of these.
for name in main mix fold; do
    cc -O2 -c "$project/examples/layouts/$name.c" -o "$name.o" || exit 1
done
step=0
while [ $step -lt 64 ]; do
    printf '.text\n.skip %d\n.section .note.GNU-stack,"",@progbits\n' $((16 * step + 16)) >pad.s
    cc pad.s main.o mix.o fold.o -o "linked.$step" || exit 1
    step=$((step + 1))
done

# place SIDE STEPS: copies that build.
place()
{
    cp "linked.$(($2 % 64))" "$1.tmp" && mv "$1.tmp" "$1"
}

# judge NAME: counts a FAIL.
judge()
{
    "$tacho" compare -t cpu=0% --min-effect 2% tacho-out/a tacho-out/b >said 2>&1
    case $? in
    2) failed=$((failed + 1)) ;;
    0) ;;
    *) fail "$1: $(cat said)" ;;
    esac
    rm -rf tacho-out
}

# Seeds are multiplied by an odd number: neighbours are far apart. B has `own` steps of 16 bytes more.
cat >relink.sh <<'END'
at=$((TACHO_LAYOUT_SEED * 37 + $2))
cp "linked.$((at % 64))" a.tmp && mv a.tmp a
cp "linked.$(((at + $1) % 64))" b.tmp && mv b.tmp b
END

plain=0
i=0
failed=0
while [ $i -lt "$count" ]; do
    place a $((i * 11))
    place b $((i * 11 + i % 5))
    "$tacho" run -q -n 12 --name a --name b -c ./a -c ./b >out 2>&1 || fail "without: $(cat out)"
    judge without
    i=$((i + 1))
done
plain=$failed
i=0
failed=0
while [ $i -lt "$count" ]; do
    place a 0
    place b 0
    "$tacho" run -q -n 12 --layouts 12 --relink "sh relink.sh $((i % 5)) $((i * 11))" \
        --name a --name b -c ./a -c ./b >out 2>&1 || fail "with: $(cat out)"
    judge with
    i=$((i + 1))
done
echo "FAIL in $count comparisons of builds that differ in padding: without layouts $plain, with layouts $failed"
[ $((20 * failed)) -le "$count" ] || fail "$failed of $count with layouts"
finish
