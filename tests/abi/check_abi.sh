#!/bin/sh
# Tests check-abi on made-up libraries. A new function and a struct that grows are compatible; a removed
# function and a value that grows are not.
#
#   check_abi.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
command -v abidiff >/dev/null || skip "abidiff is not installed; scripts/install-deps all installs it"
need cc

# The check reads which structs grow from the headers beside it.
mkdir -p "$scratch/tree/scripts" "$scratch/tree/include/tacho"
cp "$1/scripts/check-abi" "$scratch/tree/scripts"
cat >"$scratch/tree/include/tacho/a.h" <<'END'
typedef struct tacho_grows {
    size_t size; /* set by TACHO_GROWS_INIT */
    long a;
} tacho_grows;
END

# build FOLDER FLAG...: builds both libraries from one source.
build()
{
    folder=$scratch/$1
    shift
    mkdir -p "$folder"
    cat >"$folder/a.c" <<'END'
typedef struct tacho_grows { unsigned long size; long a; MORE } tacho_grows;
typedef struct tacho_value { long a; VALUE } tacho_value;
long tacho_read(const tacho_grows *g); long tacho_read(const tacho_grows *g) { return g->a; }
long tacho_sum(const tacho_value *v);  long tacho_sum(const tacho_value *v) { return v->a; }
#ifndef WITHOUT
void tacho_old(void); void tacho_old(void) { }
#endif
#ifdef WITH
void tacho_new(void); void tacho_new(void) { }
#endif
END
    for name in libtacho libtachokit; do
        cc -g -shared -fPIC "-DMORE=" "-DVALUE=" "$@" -o "$folder/$name.so" "$folder/a.c" 2>"$scratch/cc" ||
            { cat "$scratch/cc"; fail "cc"; }
    done
}

# expect STATUS WHAT FLAG...
expect()
{
    status=$1
    what=$2
    shift 2
    build after "$@"
    got=0
    "$scratch/tree/scripts/check-abi" "$scratch/before" "$scratch/after" >"$scratch/out" 2>&1 || got=$?
    [ $got -eq "$status" ] || { cat "$scratch/out"; fail "$what: exits with $got, not $status"; }
}

build before
expect 0 "nothing changed"
expect 0 "a new function" -DWITH
expect 0 "a struct that grows" -UMORE "-DMORE=long b;"
expect 1 "a removed function" -DWITHOUT
expect 1 "a value that grows" -UVALUE "-DVALUE=long b;"
got=0
"$scratch/tree/scripts/check-abi" "$scratch/before" "$scratch/none" >"$scratch/out" 2>&1 || got=$?
[ $got -eq 2 ] || fail "a folder without a library: exits with $got, not 2"
