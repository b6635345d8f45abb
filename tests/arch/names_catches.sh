#!/bin/sh
# Checks that check-names reports file, line and rule for each kind of wrong name in a made-up tree.
#
#   names_catches.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
project=$1
limit=$(sed -n "s,^elsewhere_max=,,p" "$project/scripts/check-names")

mkdir "$scratch/tree"
cd "$scratch/tree"
mkdir -p cli/core include/tacho src/base src/kit/run src/kit/trace

# Names that are allowed.
printf 'typedef struct tacho_error {\n    int code;\n} tacho_error;\n' >include/tacho/error.h
printf 'struct tch_buf {\n    char *data;\n};\nstruct tch_summary;\n' >src/base/buf.h
cat >src/base/buf.c <<'END'
struct range {
    int low;
};
enum { FIRST_SIZE = 64 };
typedef unsigned long word;
const char *const tch_names[] = {"a"};
_Thread_local int tch_depth;
static int count;
__attribute__((cold)) static int grow(void)
{
    return count;
}
static const struct tch_buf *
find(void)
{
out:
    return NULL;
}
void(tacho_buf_add)(int a)
{
    struct range r = {.low = a};
}
END
printf 'struct range {\n    int high;\n};\nint tch_run(void)\n{\n}\n' >src/kit/run/run.c
printf 'struct table {\n    int rows;\n};\n' >cli/core/table.h
printf 'struct table {\n    int rows;\n};\n' >src/kit/run/run_table.c
printf 'const struct cmd cmd_run = {\n    .name = "run",\n};\nint main(void)\n{\n}\n' >cli/main.c

"$project/scripts/check-names" . >out || { cat out; fail "a correct tree does not pass"; }
[ ! -s out ] || fail "a correct tree gets messages: $(cat out)"

# Names that are not.
printf 'struct tch_buf {\n    int other;\n};\n' >src/kit/trace/tags.h
printf 'enum table {\n    ROWS,\n};\n' >cli/core/tags.c
printf '\nint add(int a)\n{\n}\n' >src/base/function.c
printf 'static int fine;\nconst int limits[] = {1};\n' >src/base/variable.c
printf 'struct tch_buf *\nmake(int a,\n     int b)\n{\n}\n' >src/base/pointer.c
printf 'void(begin)(int a)\n{\n}\n' >src/base/paren.c
printf 'void tch_warn(void)\n{\n}\nint depth;\n' >cli/core/warn.c
: >src/kit/trace/run.c

cat >wanted <<'END'
cli/core/tags.c:1: table is also defined in cli/core/table.h:1
cli/core/warn.c:1: tch_warn can be seen by other files: start it with cli_ or make it static
cli/core/warn.c:4: depth can be seen by other files: start it with cli_ or make it static
src/base/function.c:2: add can be seen by other files: start it with tch_ or make it static
src/base/paren.c:1: begin can be seen by other files: start it with tch_ or make it static
src/base/pointer.c:1: make can be seen by other files: start it with tch_ or make it static
src/base/variable.c:2: limits can be seen by other files: start it with tch_ or make it static
src/kit/trace/run.c:1: there is also src/kit/run/run.c
src/kit/trace/tags.h:1: tch_buf is also defined in src/base/buf.h:1
END
status=0
"$project/scripts/check-names" . >got || status=$?
expect_same "what check-names says" wanted got
[ "$status" -eq 1 ] || fail "check-names exited with $status, not 1"

# Functions that are not in the file of their header.
rm -r src cli include
mkdir -p src/base src/kit/run
printf '/* This is the face of src/kit/run/. */\n#define RUN 1\nint tch_run(void);\n' >src/kit/run/run.h
printf 'int tch_run(void)\n{\n}\n' >src/kit/run/run_one.c
printf 'int tch_buf_add(int a,\n                int b);\nvoid(tch_buf_end)(void);\n' >src/base/buf.h
printf 'int tch_buf_add(int a,\n                int b)\n{\n}\n\nvoid(tch_buf_end)(void)\n{\n}\n' >src/base/buf.c
"$project/scripts/check-names" . >got || { cat got; fail "functions beside their headers do not pass"; }
[ ! -s got ] || fail "functions beside their headers get messages: $(cat got)"

mv src/base/buf.c src/base/add.c
printf '/* This is the face of src/kit/run/. */\n' >src/kit/run/runs.h
cat >wanted <<END
src/kit/run/runs.h:1: src/kit/run/ has another face: src/kit/run/run.h
2 of 3 functions (66.7 %) are not in the file of their header; the limit is $limit %
   2 functions of src/base/buf.h: src/base/add.c
END
status=0
"$project/scripts/check-names" . >got || status=$?
expect_same "what check-names says about functions elsewhere" wanted got
[ "$status" -eq 1 ] || fail "check-names exited with $status, not 1, for functions elsewhere"
rm src/kit/run/runs.h src/base/*
"$project/scripts/check-names" --homes . >got || fail "check-names --homes fails"
grep -q '^0 of 1 functions' got || fail "check-names --homes prints $(cat got)"
