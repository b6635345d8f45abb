#!/bin/sh
# several.sh TACHO: with several commands each one has its own results, with every other option.
# shellcheck disable=SC2016 # the programs' shells expand what is in single quotes
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# prog NAME VALUE: prints its name, a value and two more, and records an event.
cat >prog <<'END'
#!/bin/sh
echo "$1" >>order
echo "value $2"
echo "each $2 each $(($2 + 1))"
echo "{\"prog\":\"$1\"}" >"$TACHO_PROFILE_JSONL"
END
chmod +x prog

# Three commands with warm-up, hooks, metrics, power, a trace, seals and --json.
run 0 -n 3 -w 1 --seed 1 --json --name a --name b --name c --metric 'v=value ([0-9]+)' \
    --metric 'all:each=each ([0-9]+)' --metric 'none=nothing' --setup 'echo setup >>order' \
    --prepare 'echo before >>order' --conclude 'echo after >>order' --cleanup 'echo cleanup >>order' \
    --trace --seal --label k=v --work-per-run 5things --power-source fixed:50 \
    -c './prog a 10' -c './prog b 20' -c './prog c 30'
want=setup
for name in a b c b a c a b c c b a; do # the first three to warm up, then as --seed draws it
    want="$want before $name after"
done
[ "$(tr '\n' ' ' <order)" = "$want cleanup " ] || fail "the order was: $(tr '\n' ' ' <order)"
group=$(jq .group tacho-out/a/latest/run.json)
value=10
for name in a b c; do
    holds $name ".name == \"$name\" and .group == $group and .state == \"complete\" and
        [.samples[].run] == [1, 2, 3] and [.samples[].pair] == [1, 2, 3] and
        all(.samples[]; .metrics == {v: $value, each: [$value, $value + 1], none: null} and
            .energy_j > 0 and .wall_ns > 0)"
    holds $name ".statistics.v.median == $value and .statistics.v.n == 3 and
        .statistics.each.median == $value + 0.5 and .statistics.each.n == 3 and .statistics.each.values == 6 and
        .statistics.none == null and .statistics.throughput.n == 3 and
        .command.line == \"./prog $name $value\" and .labels == {k: \"v\"} and
        ([.warnings[].code] | index(\"no-metric\")) != null"
    folder="tacho-out/$name/latest"
    [ "$(uniq -c $folder/profile.jsonl | tr -s ' ')" = " 3 {\"prog\":\"$name\"}" ] ||
        fail "$name recorded: $(cat $folder/profile.jsonl)"
    jq -e "([.[] | select(.ph == \"X\" and .pid == 0)] | length) == 3 and
        any(.[]; .name == \"process_name\" and .args.name == \"$name\")" $folder/trace.json >/dev/null ||
        fail "the trace of $name does not have its runs"
    value=$((value + 10))
done

# --json prints the receipts that are in the folders, then the comparison. A report made again equals that of the run.
cat tacho-out/a/latest/run.json tacho-out/b/latest/run.json tacho-out/c/latest/run.json >want
tail -n 1 out >>want
jq -se 'map(.schema) == ["tacho.run.v1", "tacho.run.v1", "tacho.run.v1", "tacho.comparison.v1"]' want >/dev/null ||
    fail "run --json is not three receipts and a comparison"
expect_same "run --json" want out
"$tacho" report --json tacho-out/a tacho-out/b tacho-out/c >again || fail "report --json failed"
expect_same "report --json" want again
for name in a b c; do
    for file in html md; do
        cp "tacho-out/$name/latest/report.$file" was
        "$tacho" report -f $file "tacho-out/$name" >/dev/null || fail "no report of $name"
        expect_same "report.$file of $name" was "tacho-out/$name/latest/report.$file"
    done
done

# Each folder has a seal, and a change breaks only the seal of its folder.
[ "$(grep -c '^sealed: ' err)" -eq 3 ] || fail "not three seals: $(cat err)"
"$tacho" witness verify -q tacho-out/a/latest tacho-out/b/latest tacho-out/c/latest || fail "a seal does not match"
echo >>tacho-out/b/latest/profile.jsonl
for name in a b c; do
    status=0
    "$tacho" witness verify -q tacho-out/$name/latest >/dev/null 2>&1 || status=$?
    [ "$status" -eq "$([ $name = b ] && echo 2 || echo 0)" ] || fail "the seal of $name: $status"
done

# A hook is given once for all commands or once per command.
rm order
run 0 -n 2 -w 1 --seed 1 --name a --name b --setup 'echo setup a >>order' --setup 'echo setup b >>order' \
    --prepare 'echo before a >>order' --prepare 'echo before b >>order' --conclude 'echo after >>order' \
    --cleanup 'echo clean a >>order' --cleanup 'echo clean b >>order' -c './prog a 1' -c './prog b 2'
want='setup a setup b'
for name in a b a b b a; do
    want="$want before $name $name after"
done
[ "$(tr '\n' ' ' <order)" = "$want clean a clean b " ] || fail "the hooks were: $(tr '\n' ' ' <order)"
holds a '.plan.prepare == "echo before a >>order" and .plan.conclude == "echo after >>order"'
holds b '.plan.prepare == "echo before b >>order" and .plan.cleanup == "echo clean b >>order"'
rm order
run 1 -n 2 --name a --name b --cleanup 'echo clean a >>order; exit 5' --cleanup 'echo clean b >>order' \
    -c true -c true
[ "$(tr '\n' ' ' <order)" = "clean a clean b " ] || fail "after a failed --cleanup: $(cat order)"
says err "exited with status 5"

# SIGTERM stops a hook that does not exit by itself, even one that ignores it; --cleanup is run.
for hook in setup prepare conclude; do
    rm -f began cleaned
    "$tacho" run -n 2 --name a --name b --$hook "trap '' TERM; echo \$\$ >>began; sleep 97 & echo \$! >>began; wait; sleep 97" \
        --cleanup 'echo >cleaned' -c true -c true >out 2>err &
    pid=$!
    hooks=$(pids began 2)
    kill -TERM $pid
    wait $pid
    [ $? -eq 143 ] || fail "SIGTERM in --$hook did not end it with 143"
    [ -e cleaned ] || fail "no --cleanup after SIGTERM in --$hook"
    says err interrupted
    holds a '.state == "interrupted"'
    # shellcheck disable=SC2086 # several pids
    gone "--$hook" $hooks
done

# The cost of polling is recorded for the command that was polled.
run 0 -n 1 --name long --name short -c 'sleep 1' -c true
[ "$(jq .costs.polls tacho-out/long/latest/run.json)" -gt \
    "$(jq .costs.polls tacho-out/short/latest/run.json)" ] || fail "both have the polls of the group"

# One server for all commands: each receipt describes it, the first folder has its files.
run 0 -n 2 --name a --name b --name c --server 'echo $$ >>server; echo up; exec sleep 95.5' --ready up \
    -c 'sleep 0.02' -c 'sleep 0.03' -c true
[ "$(wc -l <server)" -eq 1 ] || fail "there was not one server"
! alive "$(cat server)" || fail "the server outlives the runs"
jq -se '([.[].server] | unique | length) == 1 and all(.[]; .server.ready_s > 0 and (.samples | length) == 2)' \
    tacho-out/[abc]/latest/run.json >/dev/null || fail "the receipts differ in the server"
says tacho-out/a/latest/server.log up
[ ! -e tacho-out/b/latest/server.log ] || fail "the second folder has the log of the server, too"
[ "$(grep -c '^server: ready' out)" -eq 1 ] || fail "the server is not reported exactly once"

# Input and output of each.
printf 'one\ntwo\n' >lines
run 0 -n 2 --name a --name b --input lines --command-output seen -c cat -c 'wc -l'
[ "$(sort seen | uniq -c | tr -s ' \n' ' ')" = " 2 2 2 one 2 two " ] || fail "--command-output: $(cat seen)"

# Several variables and labels apply to every command.
run 0 -n 2 --name a --name b --env ONE=1 --env TWO=2 --env ONE=3 --label k=v --label l=w --command-output vars \
    --shell -c 'echo a $ONE $TWO' -c 'echo b $TWO $ONE'
[ "$(sort -u vars | tr '\n' ' ')" = "a 3 2 b 2 3 " ] || fail "--env: $(cat vars)"
for name in a b; do
    holds $name '.labels == {k: "v", l: "w"} and .command.env == {ONE: "3", TWO: "2"}'
done

# If the second of two commands fails, times out or has a warning, the first is not affected.
run 1 -n 5 --seed 1 --name good --name bad -c true -c "sh -c 'echo why >&2; exit 4'"
says err "run 1 of 'sh -c 'echo why >&2; exit 4'' failed with status 4"
says err why
holds good '.state == "failed" and [.samples[].exit_status] == [0]'
holds bad '.state == "failed" and [.samples[].exit_status] == [4]'
run 4 -n 5 --pass-status --name good --name bad -c true -c "sh -c 'exit 4'"
run 1 -n 6 --allow-nonzero --name good --name bad -c true -c "sh -c 'exit 4'"
holds good '[.warnings[].code] | index("failed") == null'
holds bad '([.warnings[].code] | index("failed")) != null and all(.samples[]; .exit_status == 4)'
run 3 -n 6 --fail-on-warn --allow-nonzero --name good --name bad -c true \
    -c "sh -c 'echo >>ends; [ \$(wc -l <ends) -gt 1 ]'"
run 1 -n 2 --seed 1 --timeout 2s --name good --name bad -c true -c 'sleep 60'
says err "run 1 of 'sleep 60' was killed by --timeout"
holds good '.stopped == "timeout" and (.samples | length) == 1 and (any(.samples[]; .timed_out) | not)'
holds bad '.samples[0].timed_out'

# Flamegraphs: an extra run of each command, in its own folder, or the reason why there is none.
cat >burn <<'END'
#!/bin/sh
echo "$1" >>burnt
i=0
while [ $i -lt 60000 ]; do i=$((i + 1)); done
END
chmod +x burn
status=0
"$tacho" run -n 2 --flame --name x --name y -c './burn x' -c './burn y' >out 2>err || status=$?
for name in x y; do
    holds $name '.samples | length == 2'
    if [ "$status" -eq 0 ]; then
        [ -s tacho-out/$name/latest/flamegraph-$name.svg ] || fail "$name has no flamegraph"
        says tacho-out/$name/latest/report.html "flamegraph-$name.svg"
        [ "$(grep -c $name burnt)" -eq 3 ] || fail "$name did not have one extra run"
    else
        says err "no flamegraph of '$name'"
    fi
done
# A command that is too short for a sample has no flamegraph, but the run succeeds.
if [ "$status" -eq 0 ]; then
    "$tacho" run -n 2 --flame --name short -- true >out 2>err || fail "a short command fails the run"
    [ -s tacho-out/short/latest/flamegraph-short.svg ] || says out "there is no flamegraph: "
fi

# kill -9: each folder is completed from its own log.
"$tacho" run -n 100000 --name left --name right --metric 'v=value ([0-9]+)' -c './prog left 7' -c './prog right 8' >out 2>err &
pid=$!
await tacho-out/right/latest/samples.jsonl 4
spawner=$(pgrep -P $pid)
kill -9 $pid
wait $pid 2>/dev/null
gone "the spawner" "$spawner"
left=$(wc -l <tacho-out/left/latest/samples.jsonl)
right=$(wc -l <tacho-out/right/latest/samples.jsonl)
"$tacho" report -f csv tacho-out/left tacho-out/right >rows 2>err || fail "no report of two killed runs: $(cat err)"
[ "$(grep -c 'was killed' err)" -eq 2 ] || fail "not both are reported: $(cat err)"
[ "$(grep -c '^left,.*,7$' rows) $(grep -c '^right,.*,8$' rows)" = "$left $right" ] || fail "rows: $(cat rows)"
holds left '.state == "running"' # a table writes nothing to the folders
"$tacho" report -o both.html tacho-out/left tacho-out/right 2>err || fail "no page of two killed runs: $(cat err)"
holds left ".state == \"recovered\" and (.samples | length) == $left and all(.samples[]; .metrics.v == 7)"
holds right ".state == \"recovered\" and (.samples | length) == $right and all(.samples[]; .metrics.v == 8)"

# Ctrl-C: both are interrupted, and no round is counted for one of them twice.
"$tacho" run -n 100000 --name west --name east -c 'sleep 0.01' -c 'sleep 0.011' >out 2>err &
pid=$!
await tacho-out/east/latest/samples.jsonl 4
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "an interrupted run did not exit with 130"
for name in west east; do
    holds $name '.state == "interrupted" and [.samples[].pair] == [range(1; (.samples | length) + 1)]'
done
