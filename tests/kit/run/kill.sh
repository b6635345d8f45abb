#!/bin/sh
# kill.sh TACHO: Ctrl-C, kill -9 and a full disk lose no sample.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# Ctrl-C: what was measured is written.
"$tacho" run -n 100000 --name polite -- sleep 0.02 >out 2>err &
pid=$!
log="tacho-out/polite/latest/samples.jsonl"
await $log 4
# A run that was polled has the memory of its tree.
eventually grep -q tree_rss_bytes $log || fail "no line has values of polls"
sed '$d' $log | jq -se '[.[].run] == [range(1; length + 1)]' >/dev/null ||
    fail "the log does not have one line per run"
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "an interrupted run did not exit with 130"
says err interrupted
holds polite '.state == "interrupted" and (.samples | length) >= 4 and .statistics.wall_ns.n >= 4 and
              any(.samples[]; .tree_rss_bytes > 0)'

# Also before the server is ready.
"$tacho" run -n 3 --name waiting --server 'echo $$ >up; exec sleep 96.1' --ready never -- true >out 2>err &
pid=$!
server=$(pids up 1)
await tacho-out/waiting/latest/samples.jsonl 0
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "a run that waited did not exit with 130"
holds waiting '.state == "interrupted" and .samples == []'
gone "the server" "$server"

"$tacho" run -n 3 --name waiting --server 'echo $$ >up2; exec sleep 96.2' --ready never -- true >out 2>err &
pid=$!
server=$(pids up2 1)
alive "$server" || fail "there is no server to kill"
kill -9 $pid
wait $pid 2>/dev/null
gone "the server of a tacho that was killed" "$server"

# kill -9: the samples are on disk, the command is killed too, and report completes the folder.
"$tacho" run -n 100000 --name rude --metric 'x=([0-9]+)' -- sh -c 'echo $$ >>rude; echo 5; exec sleep 0.0317' >out 2>err &
pid=$!
await tacho-out/rude/latest/samples.jsonl 4
spawner=$(pgrep -P $pid)
kill -9 $pid
wait $pid 2>/dev/null
folder="tacho-out/rude/latest"
gone "its spawner" "$spawner"
gone "the command" "$(tail -n 1 rude)"
written=$(jq .run $folder/samples.jsonl | sort -u | wc -l)
[ "$(jq -r .state $folder/run.json)" = running ] || fail "run.json has an end already"
printf '{"run":9999,"wall_' >>$folder/samples.jsonl # truncated, as by a kill
"$tacho" report $folder >out 2>err || fail "the report of a killed run failed: $(cat err)"
says err "was killed; its $written completed runs are shown"
holds rude ".state == \"recovered\" and (.samples | length) == $written and .samples[0].metrics.x == 5"
[ -s $folder/report.html ] || fail "there is no report"
[ ! -e $folder/samples.jsonl ] || fail "the log is still there"
"$tacho" report -f csv $folder >again 2>err || fail "the second report failed"
[ "$(wc -l <again)" -eq $((written + 1)) ] || fail "the CSV does not have every sample"

# No completed run is lost, even if tacho has not read it yet. Here tacho is stopped, so it cannot.
"$tacho" run -n 100000 --name deaf -- sh -c 'echo >>count' >out 2>err &
pid=$!
await tacho-out/deaf/latest/samples.jsonl 20
spawner=$(pgrep -P $pid)
kill -STOP $pid
sleep 0.2
kill -9 $pid
wait $pid 2>/dev/null
folder="tacho-out/deaf/latest"
gone "its spawner" "$spawner"
made=$(wc -l <count)
"$tacho" report $folder >out 2>err || fail "the report of a killed run failed: $(cat err)"
holds deaf "(.samples | length) as \$n | (\$n == $made or \$n == $made - 1) and
            [.samples[].run] == [range(1; \$n + 1)]"

# The same if the spawner is killed with it.
"$tacho" run -n 100000 --name both -- sh -c 'echo >>ran' >out 2>err &
pid=$!
await tacho-out/both/latest/samples.jsonl 20
spawner=$(pgrep -P $pid)
kill -9 $pid "$spawner"
wait $pid 2>/dev/null
made=$(wc -l <ran)
"$tacho" report tacho-out/both/latest >out 2>err || fail "the report of a killed run failed: $(cat err)"
holds both "(.samples | length) as \$n | (\$n == $made or \$n == $made - 1) and
            [.samples[].run] == [range(1; \$n + 1)]"

# The server is killed too, with its children, even if it ignores SIGTERM.
"$tacho" run -n 100000 --name stubborn --server 'trap "" TERM; echo $$ >server; sleep 97.31 & echo $! >>server
    echo up; sleep 97.32 & echo $! >>server; wait' --ready up -- sleep 0.02 >out 2>err &
pid=$!
servers=$(pids server 3)
await tacho-out/stubborn/latest/samples.jsonl 2
for process in $servers; do
    alive "$process" || fail "there is no server to kill"
done
kill -9 $pid
wait $pid 2>/dev/null
# shellcheck disable=SC2086 # several pids
gone "the server" $servers

# A full disk is reported, and no false receipt is written.
mkdir small
if with_mounts mount -t tmpfs none small 2>/dev/null; then
    status=0
    with_mounts sh -c 'mount -t tmpfs -o size=64k none small && exec "$@"' sh \
        "$tacho" run -q -n 100000 --max-time 60s --out-dir small -- true >out 2>err || status=$?
    [ "$status" -eq 1 ] || fail "a full disk exited with $status"
    says err "No space left on device"
else
    echo "no small disk can be mounted here: that part is left out"
fi

# Damaged folders are refused with the reason.
mkdir broken
for text in '' '{' '[]' '{"schema":"tacho.run.v9"}' '{"schema":"tacho.run.v1","samples":[{}]}'; do
    printf '%s' "$text" >broken/run.json
    ! "$tacho" report broken >out 2>err || fail "a report was made of '$text'"
    says err "cannot read the run 'broken'"
done
! "$tacho" report nowhere 2>err || fail "a report was made of nothing"
says err "No such file"
! "$tacho" report . 2>err || fail "a report was made of a folder without a run"
says err "is not a run folder"

# nohup: the hang-up of the terminal stops neither tacho nor the command.
cat >slow <<'END'
#!/bin/sh
echo $$ >>began
until [ -e go ]; do sleep 0.05; done
END
chmod +x slow
nohup "$tacho" run -n 2 --name hung --prepare 'kill -HUP $$' -- ./slow >out 2>err &
pid=$!
program=$(pids began 1)
for process in $pid $(pgrep -P $pid) $program; do
    kill -HUP "$process"
done
: >go
wait $pid || fail "nohup tacho run does not survive SIGHUP: $(cat err)"
holds hung '.state == "complete" and (.samples | length) == 2'
