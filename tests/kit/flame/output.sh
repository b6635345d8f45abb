#!/bin/sh
# A failed write leaves no partial file and is reported: a full disk, no permission to write, a
# folder of the same name.
#
#   output.sh PROJECT TACHO
set -eu
. "$1/tests/support/lib.sh"
tacho=$2
cd "$scratch"
echo 'main;f 5' >in.folded

fails()
{
    if "$@" >out.txt 2>err.txt; then
        fail "'$*' should have failed"
    fi
    grep -q '^tacho: ' err.txt || fail "'$*' did not say why"
}

for to in svg pprof speedscope chrome folded tree frames; do
    if "$tacho" flame convert --to $to in.folded >/dev/full 2>err.txt; then
        fail "$to: a full disk went unnoticed"
    fi
    grep -q 'No space left' err.txt || fail "$to: the message does not name the full disk"
done

fails "$tacho" flame draw in.folded -o missing/x.svg
mkdir folder
fails "$tacho" flame draw in.folded -o folder
fails "$tacho" flame draw in.folded --label a --out-dir in.folded/x
fails "$tacho" flame draw folder
fails "$tacho" flame draw missing.folded

# A file system of 64 KiB: as root in a namespace of our own, otherwise skipped.
mkdir small
if unshare -rm true 2>/dev/null; then
    head -c 3000000 /dev/urandom | od -An -tx1 -w20 | tr -d ' ' | sed 's/$/ 1/' >many.folded
    unshare -rm sh -c "mount -t tmpfs -o size=64k none small &&
        ! '$tacho' flame fold many.folded -o small/x.folded 2>err.txt && [ -z \"\$(ls -A small)\" ]" ||
        fail "a full disk left a file"
    grep -q 'No space left' err.txt || fail "the message does not name the full disk"
else
    echo "no namespaces here: the small file system was not tried"
fi

# Labels: one file name, two labels.
"$tacho" flame draw in.folded -q --label 'a b' --out-dir made/here
fails "$tacho" flame draw in.folded --label 'a/b' --out-dir made/here
grep -q -- --force err.txt || fail "the message does not name --force"
"$tacho" flame draw in.folded -q --label 'a/b' --out-dir made/here --force
"$tacho" flame draw in.folded -q --label 'a/b' --out-dir made/here
[ "$(echo made/here/*)" = 'made/here/flamegraph-a_b.old.svg made/here/flamegraph-a_b.svg' ] || fail "other files were left"
