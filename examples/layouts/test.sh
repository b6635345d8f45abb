#!/bin/sh
# A seed moves the functions of a C program and of a Rust program, and changes nothing that they
# print; the same seed links the same program again.
#
#   test.sh PROJECT TACHO
set -eu
. "$1/tests/support/lib.sh"
here=$1/examples/layouts
tacho=$2
cd "$scratch"

for name in main mix fold; do
    "${CC:-cc}" -O2 -c "$here/$name.c" -o "$name.o"
done

# link SEED FILE
link()
{
    TACHO_LAYOUT_SEED=$1 "$here/layout-cc" main.o mix.o fold.o -o "$2"
}

link 0 plain
seen=$(nm plain | grep ' mix$')
moved=0
for seed in 1 2 3 4 5; do
    link $seed one
    link $seed two
    cmp -s one two || fail "seed $seed links two programs"
    [ "$(./one)" = "$(./plain)" ] || fail "seed $seed changes what the program prints"
    [ "$(nm one | grep ' mix$')" = "$seen" ] || moved=$((moved + 1))
done
[ "$moved" -ge 4 ] || fail "five seeds move a function $moved times"

"$tacho" run -q -o out --layouts 3 --name loop --relink "$here/layout-cc main.o mix.o fold.o -o loop" \
    -- ./plain >/dev/null 2>err || fail "tacho run failed: $(cat err)"
cmp -s plain loop && fail "--relink linked nothing"

command -v cargo >/dev/null || exit 0 # the rest is of Rust
mkdir -p crate/src
printf '[package]\nname = "prog"\nversion = "0.1.0"\nedition = "2021"\n' >crate/Cargo.toml
echo 'fn main() { println!("{}", std::env::args().count()); }' >crate/src/main.rs
cd crate
for seed in 1 2; do
    TACHO_LAYOUT_SEED=$seed CARGO_NET_OFFLINE=true "$here/relink-cargo" >log 2>&1 ||
        fail "relink-cargo failed: $(cat log)"
    [ "$(target/release/prog)" = 1 ] || fail "seed $seed changes what the Rust program prints"
    nm target/release/prog | grep ' main$' >"main.$seed"
done
cmp -s main.1 main.2 && fail "two seeds leave main where it is"
exit 0
