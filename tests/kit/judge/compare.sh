#!/bin/sh
# tacho compare on real programs: an unchanged one never FAILs, a changed one is found.
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

# wide FILE METRIC: is true if its interval is so wide that the tolerance of 5 % hardly matters.
wide()
{
    jq -e ".rows[] | select(.metric == \"$2\") | .ratio.high / .ratio.low > 1.05" "$1" >/dev/null
}

# Against itself, 20 times at the default alpha: never FAIL. If the interval is narrower than the tolerance of 5 %, a
# program that is no slower is 5 sigma away from a FAIL. If other processes keep the machine too busy for that, alpha
# allows one FAIL of 20, and more than 5 only once in 3,000 times. A sanitizer changes no verdict, so there twice is
# enough to find errors of memory.
i=0
unlucky=0
rounds=20
[ "$sanitized" != ON ] || rounds=2
while [ $i -lt $rounds ]; do
    rm -rf tacho-out
    "$tacho" run -q -n 14 --name a --name b -c "$spin 20" -c "$spin 20" >/dev/null 2>&1 ||
        fail "tacho run failed"
    "$tacho" compare -t wall=5% --json tacho-out/a/latest tacho-out/b/latest >same.json
    if [ $? -eq 2 ]; then
        wide same.json wall || fail "the same program FAILs: $(cat same.json)"
        unlucky=$((unlucky + 1))
    fi
    i=$((i + 1))
done
[ $unlucky -le 5 ] || fail "$unlucky of $rounds comparisons of a program with itself FAIL"

# 20 ms against 23 ms. On a busy machine 30 pairs may be too few for a FAIL, but they never PASS.
for runs in 30 60 120 240; do
    rm -rf tacho-out
    "$tacho" run -q -n $runs --name a --name b -c "$spin 20" -c "$spin 23" >/dev/null 2>&1
    "$tacho" compare -t wall=5% --json tacho-out/a/latest tacho-out/b/latest >slow.json
    status=$?
    case $(word slow.json wall) in
    FAIL) break ;;
    PASS) fail "23 ms pass as 20 ms: $(cat slow.json)" ;;
    esac
done
[ "$status" -eq 2 ] || fail "20 ms against 23 ms exited with $status: $(cat slow.json)"
[ "$(word slow.json wall)" = FAIL ] || fail "20 ms against 23 ms is $(word slow.json wall)"
[ "$(jq -r .rows[0].paired slow.json)" = true ] || fail "interleaved runs are not compared in pairs"

# The same runs seen from the other side: faster is fine.
"$tacho" compare -t wall=5% tacho-out/b/latest tacho-out/a/latest >out 2>&1 ||
    fail "a faster program exited with $?: $(cat out)"

# Memory +15 %: FAIL of memory alone. The runs take 100 ms, because allocating the memory takes time that counts.
# Runs again if a busy machine made the wall time unreliable.
if [ "$sanitized" != ON ]; then
    for attempt in 1 2 3; do
        rm -rf tacho-out
        "$tacho" run -q -n 10 --name a --name b -c "$spin 100 40" -c "$spin 100 46" >/dev/null 2>&1
        "$tacho" compare -t wall=5% -t memory=5% --json tacho-out/a/latest tacho-out/b/latest >mem.json
        [ $? -eq 2 ] || fail "memory +15 % is not found ($attempt): $(cat mem.json)"
        [ "$(word mem.json memory)" = FAIL ] || fail "memory is $(word mem.json memory)"
        if [ "$(word mem.json wall)" != FAIL ] || ! wide mem.json wall; then
            break
        fi
    done
    [ "$(word mem.json wall)" != FAIL ] || fail "wall time fails, too: $(cat mem.json)"
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
