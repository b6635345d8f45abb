#!/bin/sh
# extend.sh TACHO: more blocks, more values of a parameter and a longer time limit extend a sweep. What was measured stays.
set -eu
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# The program writes down its arguments and prints a number that identifies the cell.
cat >prog <<'END'
#!/bin/sh
echo "$1 $2" >>order
echo "value $(($1 * 10 + $2))"
END
chmod +x prog

# grid OPTIONS...: the sweep s with a baseline.
grid()
{
    sweep 0 --baseline './prog 0 0' --seed 7 --metric 'v=value ([0-9]+)' --name s "$@" -- ./prog '{a}' '{b}'
}

# ran: how often each cell was run, as "2 1 1,2 1 2,"
ran()
{
    sort order | uniq -c | tr -s ' ' | sed 's/^ //' | tr '\n' ','
}

# The advice to use more blocks is followed: only the new blocks run, and every cell has all its runs.
grid --grid a=1,2 --grid b=1,2 -n 2
says out "2 rounds are too few, use --repeat 6 or more"
[ "$(ran)" = "2 0 0,2 1 1,2 1 2,2 2 1,2 2 2," ] || fail "the first blocks ran $(ran)"
cp tacho-out/s/cells/a=1_b=1/latest/run.json before.json
first=$(realpath tacho-out/s/cells/a=1_b=1/latest)
rm order
grid --grid a=1,2 --grid b=1,2 -n 8
[ "$(ran)" = "6 0 0,6 1 1,6 1 2,6 2 1,6 2 2," ] || fail "six more blocks ran $(ran)"
is s '.state == "complete" and all(.cells[], .baselines[]; .runs == 8 and (.earlier_folders | length) == 1)'
is s '[.parts[].repeat] == [2, 8] and all(.cells[]; .measures.wall_ns.ratio.level > 0)'
cmp -s before.json "$first/run.json" || fail "the first run folder was changed"
# The same blocks in one go have the same rounds.
grid_rounds='[.samples[] | [.run, .pair]]'
cat tacho-out/s/cells/a=1_b=1/2*/run.json | jq -c "${grid_rounds}[]" | sort >extended
rm order
sweep 0 --baseline './prog 0 0' --seed 7 --metric 'v=value ([0-9]+)' --name whole \
    --grid a=1,2 --grid b=1,2 -n 8 -- ./prog '{a}' '{b}'
jq -c "${grid_rounds}[]" tacho-out/whole/cells/a=1_b=1/latest/run.json | sort >whole
cmp -s extended whole || fail "an extended sweep has other rounds: $(cat extended)"

# The same command line runs nothing.
rm order
grid --grid a=1,2 --grid b=1,2 -n 8
[ ! -e order ] || fail "completed cells were run again"

# New values: only their cells run, with a baseline in each of their rounds. A value may be first.
grid --grid a=0,1,2 --grid b=1,2 -n 8
[ "$(ran)" = "8 0 0,8 0 1,8 0 2," ] || fail "two new cells ran $(ran)"
is s '[.cells[] | [.parameters.a, .runs, .measures.v.median]] ==
    [[0,8,1],[0,8,2],[1,8,11],[1,8,12],[2,8,21],[2,8,22]]'
is s '.baselines[0].runs == 16 and all(.cells[]; .measures.wall_ns.ratio.level > 0)'
says out "All cells ran together in 0 of 16 blocks"
# Cells that never ran together are not compared: the best of the old ones and of the new ones remain.
grid --grid a=0,1,2 --grid b=1,2 -n 8 --pareto v
is s '[.cells[].pareto] == ["maybe","no","maybe","no","no","no"]'
says out "0 rounds are too few, use --repeat 15 or more"
rm order
grid --grid a=0,1,2 --grid b=1,2 -n 15 --pareto v
[ "$(ran)" = "7 0 0,7 0 1,7 0 2,7 1 1,7 1 2,7 2 1,7 2 2," ] || fail "seven more blocks ran $(ran)"
is s '[.cells[].pareto] == ["best","no","no","no","no","no"]'

# What the sweep has is never dropped in silence.
sweep 1 --baseline './prog 0 0' --seed 7 --metric 'v=value ([0-9]+)' --name s --grid a=1,2 --grid b=1,2 -n 15 \
    -- ./prog '{a}' '{b}'
says err "has cells with a=0, and the command line has not; add the value"
sweep 1 --baseline './prog 0 0' --seed 7 --metric 'v=value ([0-9]+)' --name s --grid a=0,1,2 --grid b=1,2 -n 6 \
    -- ./prog '{a}' '{b}'
says err "has 15 runs of each cell, and the command line asks for 6"
sweep 1 --baseline './prog 0 0' --seed 8 --metric 'v=value ([0-9]+)' --name s --grid a=0,1,2 --grid b=1,2 -n 15 \
    -- ./prog '{a}' '{b}'
says err "with another value of 'seed'"
sweep 1 --baseline './prog 0 0' --seed 7 --metric 'v=value ([0-9]+)' --name s --grid a=0,1,2,x --grid b=1,2 -n 15 \
    -- ./prog '{a}' '{b}'
says err "with another value of 'parameters'"

# A killed extension continues, and a program that has changed is not mixed with the old one.
rm order
grid --grid a=0,1,2 --grid b=1,2 -n 20 >/dev/null 2>&1 &
pid=$!
eventually has_lines order 5 || fail "the extension does not make progress"
kill -9 "$(pgrep -P $pid -x tacho)"
wait $pid || true
grid --grid a=0,1,2 --grid b=1,2 -n 20
is s '.state == "complete" and all(.cells[]; .runs == 20) and [.parts[].repeat] == [2,8,8,15,20]'
echo '# changed' >>prog
sweep 1 --baseline './prog 0 0' --seed 7 --metric 'v=value ([0-9]+)' --name s --grid a=0,1,2 --grid b=1,2 -n 21 \
    -- ./prog '{a}' '{b}'
says err "has changed since its earlier runs"

# A longer time limit runs only those cells again that exceeded the shorter one.
cat >late <<'END'
#!/bin/sh
echo "$1" >>tried
[ "$1" != 2 ] || [ -e quick ] || exec sleep 60
[ "$1" != 3 ] || exit 3
END
chmod +x late
sweep 1 --grid a=1,2,3 -n 2 --timeout 1s --name late -- ./late '{a}'
is late '[.cells[].state] == ["complete","failed","failed"]'
: >quick
rm tried
sweep 1 --grid a=1,2,3 -n 2 --timeout 500ms --name late -- ./late '{a}'
says err "another value of 'timeout_ns'"
sweep 1 --grid a=1,2,3 -n 2 --timeout 30s --name late -- ./late '{a}'
is late '[.cells[].state] == ["complete","complete","failed"]'
[ "$(sort tried | uniq -c | tr -s ' \n' ' ')" = " 2 2 " ] || fail "other cells than the late one ran again"
