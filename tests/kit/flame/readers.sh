#!/bin/sh
# Independent readers accept our files: protoc and, if installed, go tool pprof a pprof file, xmllint
# an SVG with hostile names.
#
#   readers.sh PROJECT TACHO
set -eu
. "$1/tests/support/lib.sh"
tacho=$2
need protoc gzip xmllint

printf 'main;</script><script>alert(1)</script> 2\nmain;"><script>;\303\251 3\nmain;\377\001 4\n' \
    >"$scratch/in.folded"

"$tacho" flame convert "$scratch/in.folded" -q -o "$scratch/out.pb.gz"
gzip -dc "$scratch/out.pb.gz" | protoc -I "$1/tests/kit/flame" --decode=Profile profile.proto >"$scratch/out.txt"
[ "$(grep -c '^sample {' "$scratch/out.txt")" -eq 3 ] || fail "not three samples"
# There are no fields that profile.proto lacks: protoc would print such a field by its number.
if grep -E '^ *[0-9]+[: ]' "$scratch/out.txt"; then
    fail "there are fields that profile.proto lacks"
fi
grep -q 'string_table: "</script><script>alert(1)</script>"' "$scratch/out.txt" || fail "a name is missing"
"$tacho" flame convert "$scratch/in.folded" -q -o "$scratch/again.pb.gz"
cmp "$scratch/out.pb.gz" "$scratch/again.pb.gz" || fail "the same input gives different bytes"
if command -v go >/dev/null && go tool pprof -h >/dev/null 2>&1; then
    go tool pprof -raw "$scratch/out.pb.gz" >/dev/null || fail "go tool pprof refuses it"
else
    echo "not tested: go tool pprof is not installed"
fi

"$tacho" flame draw "$scratch/in.folded" -q -o "$scratch/out.svg" --title '<&"' --notes ']]>'
xmllint --noout "$scratch/out.svg" || fail "not XML"
[ "$(xmllint --xpath 'count(//*[local-name()="script"])' "$scratch/out.svg")" = 1 ] ||
    fail "a name became a script"
