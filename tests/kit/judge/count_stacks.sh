#!/bin/sh
# count_stacks.sh TACHO CHECK_SCHEMA SCHEMAS: with --flame, the function that made one more allocation
# or system call is named.
tacho=$1
check_schema=$2
schemas=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need git jq cc
[ "$(uname -m)" = x86_64 ] || { echo "skipped: stacks of calls need x86-64"; exit 77; }
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

git init -q repo && cd repo || exit 1
# program EXTRA: a program that uses some CPU time, for the flamegraph, and does EXTRA in one function.
program()
{
    cat >prog.c <<END
#include <stdlib.h>
#include <unistd.h>
static void *volatile kept;
__attribute__((noinline)) void extra(void)
{
    kept = malloc(24);
    $1
}
__attribute__((noinline)) void work(void)
{
    for (int i = 0; i < 5; i++)
        kept = malloc(100);
    extra();
}
int main(void)
{
    for (volatile long i = 0; i < 60000000; i++)
        ;
    work();
    return 0;
}
END
}
cat >tacho.yaml <<'END'
build: cc -g -O1 -o prog prog.c
defaults: {runs: 6, max_runs: 6}
benches:
- name: prog
  command: ./prog
  budgets: {allocations: {tolerance: 0}, syscalls: {tolerance: 0}}
END
printf 'tacho-out\nprog\n' >.gitignore
program ''
git add . && git commit -qm before
sh -c "$(sed -n 's/^build: //p' tacho.yaml)" || fail "cc failed"
"$tacho" run -q -n 1 --flame --count syscalls,allocations,allocated-bytes --name before -- ./prog >out 2>&1 ||
    fail "run --flame: $(cat out)"
jq -c . tacho-out/before/latest/run.json | "$check_schema" "$schemas" || fail "run.json does not match its schema"
jq -e '.counts | (.allocations.stacks | add) == .allocations.values[0] and
    (.syscalls.stacks | add) == .syscalls.values[0] and
    (.allocated_bytes.stacks | add) == .allocated_bytes.values[0]' tacho-out/before/latest/run.json >/dev/null ||
    fail "the stacks do not add up to the counts: $(jq .counts tacho-out/before/latest/run.json)"
ends_with 0 "$tacho" baseline save

program 'kept = malloc(7); getppid();'
git commit -qam after

# Both sides can be run.
ends_with 2 "$tacho" gate --against HEAD~1 --flame-on-regression
says "allocations: malloc +1 in extra <- work <- main"
says "system calls: getppid +1 in extra <- work <- main"
ends_with 2 "$tacho" gate --against HEAD~1 --json-file against.json
grep -q 'extra <- work' out && fail "stacks were taken without --flame-on-regression"

jq -c . against.json | "$check_schema" "$schemas" || fail "the verdict does not match its schema"
jq -e '[.rows[] | .metric, .exact, .verdict] == ["syscalls", true, "FAIL", "allocations", true, "FAIL"]' against.json \
    >/dev/null || fail "the rows of --against: $(cat against.json)"
says "system calls: counted by "
jq -e '.rows | map(.counted_by | test("; 2 runs of ")) | all' against.json >/dev/null ||
    fail "the source and its cost are missing: $(cat against.json)"

# The baseline was measured without stacks. The order of the rows is the same.
ends_with 2 "$tacho" gate --flame-on-regression --json-file baseline.json
[ "$(jq -c '[.rows[].metric]' baseline.json)" = "$(jq -c '[.rows[].metric]' against.json)" ] ||
    fail "the rows have another order: $(jq -c '[.rows[].metric]' baseline.json)"
says "system calls: counted by "
says "system calls: stacks now, as there are none from before: getppid 1 in extra <- work <- main"
says "malloc 5 in work <- main"

# Two run folders.
"$tacho" run -q -n 1 --flame --count syscalls,allocations,allocated-bytes --name after -- ./prog >out 2>&1 ||
    fail "run --flame: $(cat out)"
ends_with 2 "$tacho" compare --tolerance allocations=0 tacho-out/before/latest tacho-out/after/latest
says "allocations: malloc +1 in extra <- work <- main"
says "allocated bytes: malloc +7 in extra <- work <- main"

# The baseline is of a run with stacks.
ends_with 0 "$tacho" baseline save --replace --from tacho-out/before/latest --bench prog
ends_with 2 "$tacho" gate --flame-on-regression
says "system calls: getppid +1 in extra <- work <- main"

# A count that differs between runs has no stacks, and the reason is recorded.
printf '#!/bin/sh\nif [ -e mark ]; then rm mark; else : >mark; fi\n' >toggle
chmod +x toggle
"$tacho" run -q -n 1 --flame --count syscalls --name toggle -- ./toggle >out 2>&1
jq -e '.counts.syscalls.no_stacks == "the count differs between runs"' tacho-out/toggle/latest/run.json >/dev/null ||
    fail "no reason: $(jq -c .counts.syscalls tacho-out/toggle/latest/run.json)"
finish
