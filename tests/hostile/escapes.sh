#!/bin/sh
# escapes.sh TACHO: no control sequence from a file or a program reaches the terminal, on stdout or on stderr.
set -u
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
need script
cd "$scratch" || exit 1
LC_ALL=C.UTF-8
NO_COLOR=1
export LC_ALL NO_COLOR

# A colour, a title, U+009B, which begins a sequence too, U+202E, which reverses text, and a carriage return.
evil=$(printf 'x\033[31m\033]2title\007\302\233K\342\200\256\rx')

# harmless NAME: the files NAME.out and NAME.err contain nothing that a terminal obeys.
harmless()
{
    for file in "$1.out" "$1.err"; do
        ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\\|\302[\200-\237]\\|\342\200[\252-\256]')" "$file" ||
            fail "$file: $(od -c "$file" | head -n 20)"
    done
}

printf '%s\n' "$evil" >evil
"$tacho" run -n 1 --name r -- sh -c 'cat evil >&2; exit 1' >run.out 2>run.err
"$tacho" run -n 1 --allow-nonzero --name r -- sh -c 'cat evil >&2' >>run.out 2>>run.err
grep -q 'x?\[31m' run.err || fail "the last lines of the command are missing: $(cat run.err)"
harmless run

printf 'benches:\n- name: b\n  command: cat evil >&2; exit 1\n  shell: true\n' >tacho.yaml
"$tacho" gate >gate.out 2>gate.err
grep -q 'x?\[31m' gate.err || fail "the last lines of the bench are missing: $(cat gate.err)"
harmless gate

"$tacho" report "$evil" >name.out 2>name.err
grep -q 'x?\[31m' name.err || fail "the name is missing: $(cat name.err)"
harmless name

# On a terminal, folded stacks are text for people.
printf 'main;%s 5\n' "$evil" >evil.folded
for format in folded tree; do
    script -qec "'$tacho' flame convert --to $format evil.folded" /dev/null </dev/null | tr -d '\r' >fold.out
    : >fold.err
    grep -q '31m' fold.out || fail "$format: the frame is missing: $(cat fold.out)"
    harmless fold
done
"$tacho" flame fold evil.folded | grep -q "$(printf '\302\233')" || fail "another program gets other data"

# tacho's own colours and its display reach a terminal.
unset NO_COLOR
TERM=xterm script -qec "'$tacho' --help" /dev/null </dev/null >color.out
grep -q "$(printf '\033\\[1m')" color.out || fail "the help has no colours on a terminal: $(od -c color.out | head -n 3)"
TERM=xterm script -qec "'$tacho' run -n 2 --name r -- true" /dev/null </dev/null >color.out
grep -q "$(printf '\r\033\\[K')" color.out || fail "no progress on a terminal: $(od -c color.out | head -n 3)"
