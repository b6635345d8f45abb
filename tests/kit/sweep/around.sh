#!/bin/sh
# around.sh TACHO: a sweep supports the options of `tacho run` that surround a run.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# Each cell has its own standard input and output. A baseline without the parameter has its own file.
# Existing content of the files is kept.
echo one >in_1
echo two >in_2
sweep 0 --grid n=1,2 --grid x=a,b -n 2 --input 'in_{n}' --command-output 'out_{n}_{x}' -b cat --name io -- \
    sh -c 'cat; echo {x}'
[ "$(tr '\n' ' ' <out_2_b)" = "two b two b " ] || fail "--input and --command-output: $(cat out_2_b)"
[ "$(sort -u out_1_baseline)" = one ] || fail "the baseline had a different input: $(cat out_1_baseline)"
is io '[.baselines[].cell] == ["baseline_n=1","baseline_n=2"]'
sweep 0 --grid n=1,2 -n 2 --command-output inherit --name inherit -- echo 'said {n}'
[ "$(grep -c '^said' out)" -eq 4 ] || fail "--command-output inherit showed nothing"
sweep 1 --grid n=1,2 -n 2 --command-output shared --metric 'a=([0-9]+)' --name left -- sh -c 'echo {n}; sleep 97 & echo $! >>daemons; exit 0'
grep -rq "an earlier run left processes running that may print into 'shared'" tacho-out/left/cells ||
    fail "metrics were read from a file that others may print into"
xargs kill <daemons
sweep 64 --grid n=1 --command-output inherit --metric 'a=([0-9]+)' -- echo '{n}'
sweep 1 --grid n=7 --input 'in_{n}' --name noinput -- cat
says err "in_7': No such file"

# --shell runs the lines of the command and of the baseline.
sweep 0 --grid n=3,4 -n 2 --shell -c 'echo {n} | tr 34 56' -b 'echo 1; echo 2' \
    --metric 'all:v=([0-9]+)' --name shell
is shell '[.cells[].measures.v.median] == [5,6] and .baselines[0].measures.v.median == 1.5'
jq -e '.command.shell and .command.line == "echo 3 | tr 34 56" and .plan.runs == 2' \
    tacho-out/shell/cells/n=3/latest/run.json >/dev/null || fail "run.json does not mention the shell"
sweep 64 --grid n=3 --shell -- echo '{n}'
says err "--shell is for a command given by -c"
sweep 64 --grid n=3 -c 'echo {n}' -- echo '{n}'
sweep 64 --grid n=3 -c "echo '{n}"
says err "cannot split"
printf 'sweep:\n  shell: true\n  repeat: 2\n  name: yaml\n  command: echo {n} | cat\n  grid: {n: [1]}\n' >tacho.yaml
sweep 0 --metric 'v=([0-9]+)'
is yaml '.cells[0].measures.v.median == 1'
printf 'sweep:\n  runs: 2\n  command: echo {n}\n  grid: {n: [1]}\n' >tacho.yaml
sweep 1
says err "does not take --runs"
says err "line 2"
rm tacho.yaml

# Each run has its own server, with the cell's parameters.
cat >server <<'END'
#!/bin/sh
echo "level $1" >level
echo "ready for $1"
exec sleep 60
END
chmod +x server
sweep 0 --grid n=5,6 -n 2 --server './server {n}' --ready '^ready for {n}$' \
    --metric 'level=level ([0-9]+)' --name served -- cat level
is served '[.cells[].measures.level.median] == [5,6]'
jq -e '.server.ready_s > 0 and .server.peak_rss_bytes > 0 and .plan.server == "./server 6"' \
    'tacho-out/served/cells/n=6/latest/run.json' >/dev/null || fail "run.json does not mention the server"
sweep 64 --grid n=5 --server './server {n}' -- cat level
sweep 1 --grid n=5 -n 2 --server false --ready x --name unserved -- true '{n}'
says err "n=5: the server exited before it was ready"

# Each cell and the whole sweep are sealed. Both seals detect a change in a cell.
sweep 0 --grid n=1,2 -n 2 --seal --trace --name sealed -- true '{n}'
says out "sealed: "
[ -s tacho-out/sealed/cells/n=2/latest/trace.json ] || fail "--trace made no trace"
"$tacho" witness verify -q tacho-out/sealed tacho-out/sealed/cells/n=2/latest || fail "the seals do not match"
sed -i 's/"runs":2/"runs":3/' tacho-out/sealed/cells/n=2/latest/run.json
for folder in tacho-out/sealed tacho-out/sealed/cells/n=2/latest; do
    "$tacho" witness verify "$folder" >out 2>&1
    [ $? -eq 2 ] || fail "the seal of $folder does not detect a change in a cell"
done

# A cell with a warning, here about a metric that its program does not print.
sweep 3 --grid n=1 -n 2 --fail-on-warn --metric 'none=nothing' --name warned -- true '{n}'
says err "1 of 1 cells have warnings"
sweep 0 --grid n=1 -n 2 --metric 'none=nothing' --name warned -- true '{n}'

# A flamegraph takes one extra run that does not count. If there is none, the reason is printed.
cat >burn <<'END'
#!/bin/sh
echo "$1" >>burnt
i=0
while [ $i -lt 60000 ]; do i=$((i + 1)); done
END
chmod +x burn
status=0
"$tacho" sweep --grid n=1,2 -n 2 --flame --name flame -- ./burn '{n}' >out 2>err || status=$?
is flame 'all(.cells[]; .state == "complete" and .runs == 2)'
if [ $status -eq 0 ]; then
    [ -s tacho-out/flame/cells/n=1/latest/flamegraph-n_1.svg ] || fail "there is no flamegraph"
    [ "$(sort burnt | uniq -c | tr -s ' \n' ' ')" = " 3 1 3 2 " ] || fail "each cell does not have exactly one extra run"
    rm burnt
    sweep 0 --grid n=1,2 -n 2 --flame --name flame -- ./burn '{n}'
    [ ! -e burnt ] || fail "existing flamegraphs were drawn again"
else
    says err "cells have no flamegraph"
fi
sweep 1 --grid n=1,2 -n 2 --name flame -- ./burn '{n}'
says err "another value of 'flame'"
