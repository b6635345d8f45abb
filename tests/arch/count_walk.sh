#!/bin/sh
# Checks scripts/count-walk on a tree whose walk is known.
#
#   count_walk.sh SOURCE-FOLDER
set -eu

. "$1/tests/support/lib.sh"

need python3
mkdir -p "$scratch/cli/core" "$scratch/src/base" "$scratch/src/kit"
cd "$scratch"
cat >cli/cmd.c <<'C'
/* help(1); in a comment is not a call */
static int help(int x)
{
    return print("work(");
}

int run(int x)
{
    prepare(x); /* there and back: 2 hops */
    prepare(x); /* known by now */
    help(x);    /* print() is in cli/core: not counted */
    return tch_work(x);
}
C
cat >cli/core/print.c <<'C'
int print(const char *s)
{
    return 0;
}
C
cat >cli/prepare.c <<'C'
int prepare(int x)
{
    return tch_other(x); /* to src and back; its calls lead nowhere */
}
C
cat >src/kit/other.c <<'C'
int tch_other(int x)
{
    return tch_deep(x);
}
C
cat >src/kit/deep.c <<'C'
int tch_deep(int x)
{
    return x;
}
C
cat >src/kit/work.c <<'C'
int tch_work(int x)
{
    return tch_base(x) + tch_stop(x) + tch_deep(x); /* the walk ends at the second */
}
C
cat >src/base/base.c <<'C'
int tch_base(int x)
{
    return x;
}
C
cat >src/kit/stop.c <<'C'
int tch_stop(int x)
{
    return x;
}
C

expect()
{
    wanted=$1
    shift
    got=$("$@") || fail "'$*' exited with $?"
    [ "$got" = "$wanted" ] || fail "'$*' printed '$got', not '$wanted'"
}

walk=$1/scripts/count-walk
expect 'run to tch_stop: 6 hops in 5 files, 3 changes of folder, 3 crossings' \
    "$walk" --tree . run tch_stop
expect 'run to tch_stop: 10 hops in 7 files, 7 changes of folder, 3 crossings' \
    "$walk" --tree . --known none run tch_stop
if "$walk" --tree . run tch_missing 2>err; then
    fail "a walk to a function that does not exist succeeded"
fi
grep -q "does not lead to 'tch_missing'" err || fail "the message is: $(cat err)"
