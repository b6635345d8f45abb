#!/bin/sh
# counts.sh TACHO COUNTED COUNTED_STATIC: what --count counts, and its message if it cannot count.
set -u
counted=$2
static=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
"$counted" listener || skip "this system refuses a seccomp listener"

# count NAME COUNTS COMMAND...: makes a run of that name.
count()
{
    name=$1
    counts=$2
    shift 2
    run 0 -n 2 --name "$name" --count "$counts" -- "$@"
}

# difference COUNT NAME NAME: prints how much a count differs between two runs.
difference()
{
    jq -s "map(.counts.$1.values[0]) | .[1] - .[0]" "tacho-out/$2/latest/run.json" "tacho-out/$3/latest/run.json"
}

# One more call increases the count by one, under its name.
for n in 3 4; do
    count "calls$n" syscalls "$counted" calls $n
    count "alloc$n" allocations,allocated-bytes,faults "$counted" alloc $n
    holds "calls$n" ".counts.syscalls | .exact and .countable and .parts.getppid == $n and .parts.execve == 1"
    holds "alloc$n" ".counts.allocations | .exact and .values == [$n, $n] and .parts.malloc == $n"
    holds "alloc$n" ".counts.allocated_bytes | .exact and .values == [$((8 * n)), $((8 * n))]"
done
[ "$(difference syscalls calls3 calls4)" = 1 ] || fail "one more call does not increase the count by one"
holds alloc3 '.counts.faults.values[0] > 10 and (.counts.syscalls == null)'
holds calls3 '.counts.syscalls | ([.parts[]] | add) == .values[0]'

# Every function is counted, once.
count all allocations,allocated-bytes "$counted" all
holds all '.counts.allocations | .values[0] == 7 and
    (.parts | keys == ["aligned_alloc", "calloc", "malloc", "memalign", "posix_memalign", "realloc", "reallocarray"])'
holds all '.counts.allocated_bytes.values[0] == 8 * 4 + 64 * 3'

# Threads, forked children, and programs that they execute.
count threads allocations "$counted" threads 5
holds threads '.counts.allocations | .parts.malloc == 20'
count fork syscalls,allocations "$counted" fork 6
holds fork '.counts.syscalls.parts | .getppid == 12 and .execve == 2'
holds fork '.counts.allocations.parts.malloc == 12'

# What cannot be counted has a reason, and is not 0.
count static syscalls,allocations,allocated-bytes "$static" calls 5
holds static '.counts.syscalls | .exact and .parts.getppid == 5'
holds static '.counts.allocations | .countable == false and (.why_not | test("static")) and .values == null'
says out 'not countable'
printf '%s\n' '#include <stddef.h>' 'void *malloc(size_t n) { static char b[65536]; static size_t at; return b + (at += (n + 15) / 16 * 16); }' \
    'void free(void *p) { (void)p; }' 'int main(void) { return malloc(8) == 0; }' >own.c
if cc -fno-builtin -o own own.c 2>/dev/null; then
    count own allocations ./own
    holds own '.counts.allocations | .countable == false and (.why_not | test("defines malloc itself"))'
fi

# Instructions of a child that is only forked are counted by the CPU and refused by cachegrind, which would miss
# them. Children that execute a program are added.
if command -v valgrind >/dev/null; then
    count twice instructions sh -c '/bin/true; /bin/true; exec /bin/true'
    holds twice '.counts.instructions | .countable and .exact'
    for command in '(:)' '(:); exec /bin/true'; do
        count forked instructions sh -c "$command"
        holds forked '.counts.instructions | (.source // "" | test("cachegrind") | not) and
            (.countable or .values == null and (.why_not | test("forks a child that does not execute")))'
    done
    count left instructions "$counted" orphan
    xargs kill -9 <orphan 2>/dev/null
    holds left '.counts.instructions | .countable or
        (.values == null and (.why_not | test("leaves a process running")))'
fi

# A program with its own seccomp listener is counted by ptrace, with the same result.
count listener syscalls "$counted" listener
holds listener '.counts.syscalls | .exact and (.source | test("^ptrace")) and .parts.seccomp == 1 and .parts.execve == 1'

# A count that differs between runs is marked.
count toggle syscalls "$counted" toggle
says out 'differs between runs'
holds toggle '.counts.syscalls | .exact == false and .values[0] != .values[1]'

# The user's environment has no effect; --env does.
LD_LIBRARY_PATH=/tmp MORE=1 "$tacho" run -q -n 2 --name alloc3 --count syscalls -- "$counted" calls 3 >out 2>err ||
    fail "a run in another environment failed: $(cat err)"
[ "$(difference syscalls calls3 alloc3)" = 0 ] || fail "a variable changed the system calls"
run 0 -n 2 --name path --count syscalls --env LD_LIBRARY_PATH=/tmp/none -- "$counted" calls 3
[ "$(difference syscalls calls3 path)" -gt 0 ] || fail "--env did not reach the counted run"

# A process that a counted run leaves running is killed. Those of the two timed runs continue, so the
# test kills them.
rm -f orphan
count orphan syscalls "$counted" orphan
head -n 2 orphan | xargs kill -9
orphan=$(tail -n 1 orphan)
eventually dead "$orphan" || fail "the process $orphan that a counted run left is still there"

# Hooks are run before and after each counted run, and a failed hook is reported.
run 0 -n 1 --count syscalls --count-runs 3 --prepare 'echo x >>prepared' --name hooks -- true
[ "$(wc -l <prepared)" = 4 ] || fail "--prepare ran $(wc -l <prepared) times, not 4"
run 0 -n 1 --count syscalls --name needs -- mkdir once
holds needs '.counts.syscalls | .countable == false and (.why_not | test("failed with status 1"))'

# A set-uid program would lose its rights.
if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1; then
    cp "$counted" setuid && chown nobody setuid && chmod u+s setuid
    count setuid syscalls,allocations ./setuid
    holds setuid '.counts | map(.countable == false and (.why_not | test("set-uid"))) | all'
fi

run 64 --count cycles -- true
says err "--count does not support 'cycles'"
run 64 --count-runs 1 -- true
