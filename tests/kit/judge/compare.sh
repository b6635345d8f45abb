#!/bin/sh
# tacho compare on real programs: an unchanged one passes, a changed one is found.
#   compare.sh TACHO SPIN SANITIZED
tacho=$1
spin=$2
sanitized=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

# word FILE METRIC: prints its verdict in the JSON.
word()
{
    jq -r ".rows[] | select(.metric == \"$2\") | .verdict" "$1"
}

# CPU time is compared, because it does not depend on the load of the machine, and the program spins until it has
# used a given amount. Whether verdicts about wall time are right on a busy machine is tested by trust.sh.

# Against itself.
"$tacho" run -q -n 14 --name a --name b -c "$spin 60" -c "$spin 60" >/dev/null 2>&1 || fail "tacho run failed"
"$tacho" compare -t cpu=5% --json tacho-out/a/latest tacho-out/b/latest >same.json ||
    fail "a program compared with itself: $(cat same.json)"
[ "$(word same.json cpu)" = PASS ] || fail "a program compared with itself is $(word same.json cpu): $(cat same.json)"

# 60 ms against 69 ms. The start of a process takes some milliseconds of CPU time more on a busy machine.
"$tacho" run -q -n 14 --name a --name b -c "$spin 60" -c "$spin 69" >/dev/null 2>&1
"$tacho" compare -t cpu=5% --json tacho-out/a/latest tacho-out/b/latest >slow.json
status=$?
[ "$status" -eq 2 ] || fail "60 ms against 69 ms exited with $status: $(cat slow.json)"
[ "$(word slow.json cpu)" = FAIL ] || fail "60 ms against 69 ms is $(word slow.json cpu)"
[ "$(jq -r .rows[0].paired slow.json)" = true ] || fail "interleaved runs are not compared in pairs"

# The same runs seen from the other side: faster is fine.
"$tacho" compare -t cpu=5% tacho-out/b/latest tacho-out/a/latest >out 2>&1 ||
    fail "a faster program exited with $?: $(cat out)"

# Memory +15 %: FAIL of memory alone. The program counts the time of allocating as its own.
if [ "$sanitized" != ON ]; then
    "$tacho" run -q -n 10 --name a --name b -c "$spin 100 40" -c "$spin 100 46" >/dev/null 2>&1
    "$tacho" compare -t cpu=5% -t memory=5% --json tacho-out/a/latest tacho-out/b/latest >mem.json
    [ $? -eq 2 ] || fail "memory +15 % is not found: $(cat mem.json)"
    [ "$(word mem.json memory)" = FAIL ] || fail "memory is $(word mem.json memory)"
    [ "$(word mem.json cpu)" != FAIL ] || fail "CPU time fails, too: $(cat mem.json)"
fi

# Formats; differences come first.
ends_with 0 "$tacho" compare tacho-out/a/latest tacho-out/b/latest
says "what differs"
says "command.line"
ends_with 0 "$tacho" compare -f md tacho-out/a/latest tacho-out/b/latest
says "| wall time |"
ends_with 0 "$tacho" compare -f csv tacho-out/a/latest/run.json tacho-out/b/latest
says ',wall,'
ends_with 0 "$tacho" compare --html page.html tacho-out/a/latest tacho-out/b/latest tacho-out/a/latest
grep -q '</html>' page.html || fail "the page is not whole"

# Runs that were made one after the other get a note, and are compared as two samples.
"$tacho" run -q -n 6 --name c -- "$spin" 5 >/dev/null 2>&1
"$tacho" run -q -n 6 --name d -- "$spin" 5 >/dev/null 2>&1
ends_with 0 "$tacho" compare tacho-out/c/latest tacho-out/d/latest
says "not interleaved"

# Another machine class needs --force, and then gets a banner.
sed 's/"machine_class":"[^"]*"/"machine_class":"other-box"/' tacho-out/d/latest/run.json >other.json
cp other.json tacho-out/d/latest/run.json
ends_with 1 "$tacho" compare tacho-out/c/latest tacho-out/d/latest
says "--force"
ends_with 0 "$tacho" compare --force tacho-out/c/latest tacho-out/d/latest
says "DIFFERENT MACHINES"
says "machine_class"

# Wrong usage.
ends_with 64 "$tacho" compare tacho-out/c/latest
ends_with 64 "$tacho" compare -t much tacho-out/c/latest tacho-out/d/latest
ends_with 1 "$tacho" compare tacho-out/c/latest nowhere
says "nowhere"
ends_with 1 "$tacho" compare --force -t nothing=5% tacho-out/c/latest tacho-out/d/latest
says "there is no metric 'nothing'"
# The same run twice cannot differ, and the report says so.
run=$(find tacho-out -name run.json | head -n 1)
ends_with 0 "$tacho" compare "$(dirname "$run")" "$(dirname "$run")"
says "both sides are the same run"
finish
