#!/bin/sh
# `tacho flame -- COMMAND` as a user sees it: its output, its exit status, its errors.
#
#   command.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/capture.sh"
workload=$3/workload
long=20000 # about a minute of CPU time, so that no leftover process runs forever
can_sample "$workload"

# ends STATUS COMMAND...: with out.txt and err.txt; STATUS may be "any"
ends()
{
    wanted=$1
    shift
    got=0
    "$@" >out.txt 2>err.txt || got=$?
    case $wanted in
    "$got" | any) ;;
    *) cat out.txt err.txt && fail "'$*' exited with $got, not $wanted" ;;
    esac
}

# says TEXT: on stderr
says()
{
    grep -qF -- "$1" err.txt || { cat err.txt; fail "it did not say '$1'"; }
}

# running NAME: the processes of that program in the scratch folder
running()
{
    for exe in /proc/[0-9]*/exe; do
        [ "$(readlink "$exe" 2>/dev/null)" != "$scratch/$1" ] || echo "$exe"
    done
}

# used PROCESS-FOLDER: its CPU time in hundredths of a second
used()
{
    awk '{ sub(/.*\) /, ""); print $12 + $13 }' "$1/stat" 2>/dev/null
}

# busy NAME [SINCE]: whether such a process runs and has used 0.2 s of CPU time since then
busy()
{
    for exe in $(running "$1"); do
        [ "$(used "${exe%/exe}" || echo 0)" -lt $((${2:-0} + 20)) ] || return 0
    done
    return 1
}

# await NAME: until samples of such a process must exist
await()
{
    eventually busy "$1" || fail "$1 does not run"
}

# timed STATUS OPTION...: captures for a short time, or for longer if there was no sample
timed()
{
    wanted=$1
    shift
    for duration in $durations; do
        got=0
        "$tacho" flame --duration "$duration" "$@" >out.txt 2>err.txt || got=$?
        grep -q 'profiler produced no output' err.txt || break
    done
    case $wanted in
    "$got" | any) ;;
    *) cat out.txt err.txt && fail "'$*' exited with $got, not $wanted" ;;
    esac
}

# end_all NAME
end_all()
{
    for exe in $(running "$1"); do
        exe=${exe#/proc/}
        kill -KILL "${exe%/exe}" 2>/dev/null || :
    done
}

ends 0 "$tacho" flame --out-dir new/folder --label 'a b/c' -- "$workload" shares 50
[ "$(head -n 1 out.txt)" = new/folder/flamegraph-a_b_c.svg ] || fail "the path is not printed first"
grep -q '^profiler: native' out.txt || fail "the profiler is not named"
grep -q '^samples:  [0-9,]*, lost [0-9]' out.txt || fail "samples and losses are not printed"
grep -q '^took: ' out.txt || fail "the time is not printed"
[ "$(find new -type f | wc -l)" = 1 ] || fail "other files were left"
grep -q '>hot' new/folder/flamegraph-a_b_c.svg || fail "hot is not in the picture"

ends 0 "$tacho" flame -q -- "$workload" shares 50
[ "$(cat out.txt)" = flamegraph-workload.svg ] || fail "-q should print the path alone"
# In every format, and the functions that cost most.
ends 0 "$tacho" flame --out-dir all --label x --folded --pprof --speedscope --inverted --palette library -- "$workload" shares 50
for end in svg folded pb.gz speedscope.json; do
    grep -qxF "all/flamegraph-x.$end" out.txt || fail "flamegraph-x.$end is not named"
    [ -s "all/flamegraph-x.$end" ] || fail "flamegraph-x.$end is empty"
done
grep -q 'data-inverted="1"' all/flamegraph-x.svg || fail "--inverted does not draw the root on top"
grep -q '%  *[0-9.]* %  *spin$' out.txt || fail "spin is not among the hottest functions"
# The files for other viewers name the unit: a clock gives samples of a known period, preload gives CPU time.
ends 0 "$tacho" flame --event cpu-clock --rate 1000 --out-dir units --label clock --pprof --speedscope -- "$workload" shares 50
ends 0 "$tacho" flame --profiler preload --out-dir units --label time --pprof --speedscope -- "$workload" shares 50
grep -q '"unit":"none"' units/flamegraph-clock.speedscope.json || fail "speedscope's unit of samples"
grep -q '"unit":"microseconds"' units/flamegraph-time.speedscope.json || fail "speedscope's unit of CPU time"
if command -v protoc >/dev/null; then
    for label in clock time; do
        gzip -dc units/flamegraph-$label.pb.gz | protoc -I "$project/tests/kit/flame" --decode=Profile profile.proto |
            sed -n 's/^string_table: //p' >units/$label
    done
    [ "$(head -n 5 units/clock | tr -d '\n')" = '"""samples""count""cpu""nanoseconds"' ] || fail "pprof: $(cat units/clock)"
    [ "$(head -n 3 units/time | tr -d '\n')" = '"""cpu""nanoseconds"' ] || fail "pprof: $(cat units/time)"
fi

# pprof gets addresses in files, and source lines.
if command -v protoc >/dev/null; then
    gzip -dc units/flamegraph-clock.pb.gz | protoc -I "$project/tests/kit/flame" --decode=Profile profile.proto >pprof.txt
    name=$(awk '/^string_table:/ { if ($2 == "\"spin\"") print n; n++ }' pprof.txt)
    source=$(awk '/^string_table:/ { if ($2 ~ /\/tests\/kit\/flame\/workload\.c"$/ || $2 ~ /\/spin\.h"$/) print n; n++ }' pprof.txt | head -n 1)
    [ -n "$name" ] || fail "pprof has no name of the function"
    [ -n "$source" ] || fail "pprof has no source file of the function"
    awk -v RS='\n}\n' -v name="$name" '/^function/ && $0 ~ "name: " name "\n" && /filename: [0-9]/ { found = 1 } END { exit !found }' pprof.txt ||
        { grep -A6 '^function' pprof.txt; fail "pprof: the function has no source file"; }
    awk -v RS='\n}\n' '/^location/ && /mapping_id: [0-9]/ && /address: [0-9]/ && /line: [0-9]/ { found = 1 } END { exit !found }' pprof.txt ||
        { grep -A8 '^location' pprof.txt; fail "pprof: no location has a file, an address and a line"; }
    grep -q '^  memory_limit: [1-9]' pprof.txt || fail "pprof has no mappings"
fi

# A second capture keeps the files of the first.
cp all/flamegraph-x.svg first.svg
ends 0 "$tacho" flame --out-dir all --label x -- "$workload" shares 50
grep -qx 'previous: kept as all/flamegraph-x.old.svg' out.txt || fail "it does not say that the first picture was kept"
cmp all/flamegraph-x.old.svg first.svg || fail "the first picture is not kept"
[ -s all/flamegraph-x.old.folded ] || fail "the first stacks are not kept"
[ ! -e all/flamegraph-x.folded ] || fail "stacks of the first capture are beside the second picture"

# Without "--": a path, or a program of PATH.
ends 0 "$tacho" flame -q "$workload" shares 50
ends 0 env PATH="${workload%/*}:$PATH" "$tacho" flame -q workload shares 50
ends 1 "$tacho" flame ./missing
says "profiler command failed: ./missing: "
ends 64 "$tacho" flame no_such_program
says "unknown command 'no_such_program'"
ends 0 "$tacho" flame --json -- "$workload" shares 50
as_schema
for key in '"schema":"tacho.flame.capture.v1"' '"svg_path":"flamegraph-workload.svg"' \
    '"profiler_used":"native"' '"duration_ms":' '"lost":' '"exit_status":0'; do
    grep -qF "$key" out.txt || fail "--json has no $key"
done

# Where the standard output of the command goes. With --json, only the document is on ours.
for profiler in native preload ptrace; do
    set -- "$tacho" flame --profiler $profiler
    ends 0 "$@" --json -- sh -c "echo printed; '$workload' shares 50"
    as_schema
    says printed
    ends 0 "$@" --json --command-output null -- sh -c "echo printed; '$workload' shares 50"
    as_schema
    ! grep -q printed err.txt || fail "$profiler: --command-output null shows the output"
    ends 0 "$@" --json --command-output printed.txt -- sh -c "echo printed; '$workload' shares 50"
    as_schema
    [ "$(cat printed.txt)" = printed ] || fail "$profiler: --command-output FILE wrote '$(cat printed.txt)'"
    ends 0 "$@" -q -- sh -c "echo printed; '$workload' shares 50"
    [ "$(head -n 1 out.txt)" = printed ] || fail "$profiler: the output is not inherited by default"
    ends 0 "$@" -q --command-output inherit -- sh -c "echo printed; '$workload' shares 50"
    [ "$(head -n 1 out.txt)" = printed ] || fail "$profiler: --command-output inherit does not show the output"
    ends 1 "$@" --command-output missing/folder -- sh -c "echo printed"
    says "cannot open 'missing/folder', standard output of 'sh'"
done
ends 64 "$tacho" flame --command-output null --pid $$
says "--command-output needs a command to run"

# Most of the CPU time is used by processes that are shorter than a period, so few samples are taken.
# shellcheck disable=SC2016  # the inner shell expands it
short='"$0" shares 20; i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i + 1)); done'
ends 0 "$tacho" flame --rate 100 --json -- sh -c "$short" "$workload"
says "of CPU time that the command used, because a process or thread that uses less than one sampling period (10 ms)"
grep -qE '"warnings":\[("[^"]*",)?"the samples represent ' out.txt || fail "--json does not say that samples are missing"
ends 0 "$tacho" flame --rate 5000 -- "$workload" shares 50
grep -q "samples represent" err.txt && fail "a warning, although nothing is missing: $(cat err.txt out.txt)"

# The command's own folder, environment and status.
mkdir there
ends 0 "$tacho" flame --cwd there --env TACHO_TEST_A=1 --env TACHO_TEST_B='x y' -- sh -c \
    "[ \"\${PWD##*/}\" = there ] && [ \"\$TACHO_TEST_A\$TACHO_TEST_B\" = '1x y' ] && $workload shares 30"
ends 1 "$tacho" flame -- "$workload" fail 30
says "exited with status 7"
ends 7 "$tacho" flame --pass-status -- "$workload" fail 30
ends 1 "$tacho" flame -- "$workload" crash 30
says "was killed by signal 11"
ends 139 "$tacho" flame --pass-status -- "$workload" crash 30
[ -s flamegraph-workload.svg ] || fail "no picture of a command that was killed"

# After Ctrl-C or --duration the picture has the samples so far. A command that ignores the signal
# is killed.
cp "$workload" stopped
for signal in INT TERM; do
    "$tacho" flame --label $signal --folded -- ./stopped shares $long >out.txt 2>err.txt &
    pid=$!
    await stopped
    kill -$signal $pid
    got=0
    wait $pid || got=$?
    [ $got = "$([ $signal = INT ] && echo 130 || echo 143)" ] || {
        cat out.txt err.txt
        fail "$signal: it exited with $got"
    }
    grep -q ';hot' flamegraph-$signal.folded || fail "$signal leaves no picture"
done
timed 0 --label timed --folded -- "$workload" shares $long
grep -q ';hot' flamegraph-timed.folded || fail "--duration leaves no picture"
# All descendants are killed: also those that ignore signals, those that left their parent and
# session, and those that are left when the interrupt has stopped the command itself.
cp "$workload" deaf
deaf="trap '' INT TERM; ./deaf shares $long; ./deaf shares $long"
lost="setsid sh -c './deaf shares $long & :' & ./deaf shares $long & sleep 0.1"
profilers=native
! command -v perf >/dev/null || profilers="native perf"
for profiler in $profilers; do
    # On a busy machine perf may be killed because it does not finish its recording in time.
    good=0 interrupted=130
    [ "$profiler" = native ] || good=any interrupted=any
    for command in "$deaf" "$lost; ./deaf shares $long" "$lost; wait"; do
        timed $good --profiler "$profiler" --label deaf -- sh -c "$command"
        [ -z "$(running deaf)" ] || fail "--duration, $profiler: '$command' left $(running deaf)"
    done
    # A terminal signals the whole group. The shell exits, and its background job ignores the signal.
    rm -f up
    (await deaf && : >up) &
    ends $interrupted setsid -w sh -c "trap : INT; '$tacho' flame --profiler $profiler --label deaf -- sh -c \"$lost; wait\" &
        until [ -e up ]; do sleep 0.05; done; kill -INT 0; wait \$!"
    wait
    [ -z "$(running deaf)" ] || fail "Ctrl-C, $profiler: left $(running deaf)"
done
# Processes that are started while the command exits are killed, too.
cp "$workload" late
timed 0 --label late -- sh -c "trap './late shares $long & exit 3' TERM; while :; do :; done"
sleep 0.3
[ -z "$(running late)" ] || fail "a process started at the end still runs: $(running late)"
# Processes that a command leaves when it exits by itself keep running.
ends 0 "$tacho" flame --label daemon -- sh -c "./deaf shares $long >/dev/null 2>&1 & $workload shares 30"
[ -n "$(running deaf)" ] || fail "a daemon was killed with the command that left it"
end_all deaf
# The status is known even if tacho's parent made it ignore SIGCHLD.
if env --ignore-signal=CHLD true 2>/dev/null; then
    ends 7 env --ignore-signal=CHLD "$tacho" flame --pass-status --label ignored -- "$workload" fail 30
fi
# Processes that are older than tacho do not belong to the command, nor do their children: a job of
# the shell that became tacho leaves a process running, and then interrupts.
cp "$workload" other
ends 130 sh -c "((until [ -e go ]; do sleep 0.05; done; ./other shares $long & :); kill -INT \$\$) &
    exec '$tacho' flame --label older -- sh -c ': >go; exec $workload shares $long'"
[ -n "$(running other)" ] || fail "a process that another child left was killed"
end_all other

# A process that runs already, and one that exits during the capture.
"$workload" threads $long &
pid=$!
timed 0 -p $pid --rate 9973 --folded --label running
kill -0 $pid || fail "a process that ran already was killed"
kill -KILL $pid
wait $pid 2>/dev/null || :
near "a running process, hot" "$(share flamegraph-running.folded hot)" 70 $points
ends 1 "$tacho" flame -p $pid
says "there is no process $pid"
# The capture must end although the parent does not wait for the process.
cp "$workload" ending
sh -c "./ending shares $long & exec sleep 600" &
parent=$!
await ending
pid=$(running ending)
pid=${pid#/proc/}
pid=${pid%/exe}
timeout -k 5 600 "$tacho" flame -p "$pid" --label ending >out.txt 2>err.txt &
capture=$!
# shellcheck disable=SC2016 # the inner shell expands it
eventually sh -c 'ls -l "/proc/$(pgrep -P "$1" -x tacho)/fd" 2>/dev/null | grep -q perf_event' sh $capture || fail "the capture does not begin"
eventually busy ending "$(used "/proc/$pid")" || fail "the process does not run"
kill -KILL "$pid"
wait $capture || { cat out.txt err.txt; fail "the capture of a process that exited failed"; }
kill -KILL $parent
wait $parent 2>/dev/null || :

# Every error has its message.
ends 1 "$tacho" flame -- no-such-program
says "profiler command failed: no-such-program: "
ends 1 "$tacho" flame --rate 1 -- true # over before the first sample
says "profiler produced no output"
: >file
ends 1 "$tacho" flame --out-dir file/folder -- "$workload" shares 10
says "failed to create output directory file/folder: "
# shellcheck disable=SC2016 # the inner shell expands it
ends 1 sh -c 'ulimit -f 1; exec "$@"' sh "$tacho" flame --label full -- "$workload" shares 10
says "failed to write flamegraph SVG to flamegraph-full.svg: "
says "File too large"
echo mine >flamegraph-mine.svg
ends 1 "$tacho" flame --label mine -- "$workload" shares 10
says "failed to write flamegraph SVG to flamegraph-mine.svg: "
[ "$(cat flamegraph-mine.svg)" = mine ] || fail "somebody else's file was overwritten"
ends 64 "$tacho" flame --rate 0 -- true
ends 64 "$tacho" flame --event no-such-event -- true
ends 64 "$tacho" flame --pid 1 -- true
ends 64 "$tacho" flame --quiet
says "nothing to profile; add COMMAND"
ends 64 "$tacho" flame --kernel --user -- true
ends 64 "$tacho" flame --stack-size 1M -- true
for option in '--cwd .' '--env A=B' --pass-status; do
    # shellcheck disable=SC2086  # two words
    ends 64 "$tacho" flame --pid $$ --duration 100ms $option
    says "${option%% *} needs a command to run"
done
ends 64 "$tacho" flame --off-cpu --event cpu-clock -- true
ends 64 "$tacho" flame --call-graph fp --stack-size 8k -- true
ends 64 "$tacho" flame --env nonsense -- true
[ -z "$(find . -name '.tacho-*')" ] || fail "intermediate files were left"
