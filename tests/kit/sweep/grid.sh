#!/bin/sh
# grid.sh TACHO: runs a small grid end to end, cells that fail, and plans that are rejected.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# Every cell has its runs, its baseline, its parameters and their hash. A printed number is a metric.
cat >prog <<'END'
#!/bin/sh
echo "$1 $2" >>order
echo "sum $(($1 + $2))"
END
chmod +x prog
sweep 0 --grid a=1,2,3 --range b=10:20:10 --baseline './prog 0 0' --repeat 6 --seed 42 --pareto wall,memory \
    --metric 'sum=sum ([0-9]+)' --name small -- ./prog '{a}' '{b}'
is small '.state == "complete" and (.cells | length) == 6 and (.baselines | length) == 1'
is small 'all(.cells[]; .state == "complete" and .runs == 6 and
    .measures.sum.median == .parameters.a + .parameters.b and
    .measures.wall_ns.ratio.estimate > 0 and .measures.wall_ns.ratio.low > 0)'
is small '([.cells[].config_sha256] | unique | length) == 6'
is small '.cells[0].measures.sum.ratio == null' # the baseline's sum is 0
for name in results.csv sweep.json report.html figs/line-wall_ns-by-b.svg figs/heat-wall_ns.svg \
    figs/heat-wall_ns-ratio.svg figs/line-sum-by-b.svg figs/pareto.svg; do
    [ -s "tacho-out/small/$name" ] || fail "there is no $name"
done
[ "$(wc -l <tacho-out/small/results.csv)" -eq 8 ] || fail "results.csv does not have one row per cell"
for svg in tacho-out/small/figs/*.svg; do
    if command -v xmllint >/dev/null; then
        xmllint --noout "$svg" || fail "$svg is not XML"
    fi
done

# Each cell is a run folder as of tacho run, and all belong to one group.
run_json='tacho-out/small/cells/a=2_b=20/latest/run.json'
jq -e --slurpfile base tacho-out/small/cells/baseline/latest/run.json '
    .state == "complete" and .labels == {"a":"2","b":"20"} and
    .config.document == {"parameters":{"a":2,"b":20}} and (.samples | length) == 6 and
    .group == $base[0].group and ([.samples[].run] == [1,2,3,4,5,6]) and
    (([.samples[].pair] - [$base[0].samples[].pair]) == [])' $run_json >/dev/null ||
    fail "the run of a cell has wrong members"
[ "$(jq -rj '.config.document' $run_json | sha256sum | cut -d' ' -f1)" = \
    "$(jq -r .config.sha256 $run_json)" ] ||
    [ "$(printf '{"parameters":{"a":2.0,"b":20.0}}' | sha256sum | cut -d' ' -f1)" = \
        "$(jq -r .config.sha256 $run_json)" ] || fail "the hash is not that of the parameters"
[ -s tacho-out/small/cells/a=2_b=20/latest/report.html ] || fail "the cell has no report"

# A block runs 6 cells and the baseline once each, in random order.
[ "$(wc -l <order)" -eq 42 ] || fail "there were not 42 runs"
for block in 1 2 3 4 5 6; do
    sed -n "$((block * 7 - 6)),$((block * 7))p" order | sort >block
    [ "$(uniq block | wc -l)" -eq 7 ] || fail "block $block does not run every cell once: $(cat block)"
    [ $block -eq 1 ] || cmp -s block before || fail "block $block has different cells"
    cp block before
done
[ "$(sed -n 1,7p order)" != "$(sed -n 8,14p order)" ] || fail "two blocks have the same order"

# The same command line runs nothing again. The same seed gives the same order, another seed another.
mv order first
sweep 0 --grid a=1,2,3 --range b=10:20:10 --baseline './prog 0 0' --repeat 6 --seed 42 \
    --metric 'sum=sum ([0-9]+)' --name small -- ./prog '{a}' '{b}'
[ ! -e order ] || fail "completed cells were run again"
sweep 0 --grid a=1,2,3 --range b=10:20:10 --baseline './prog 0 0' --repeat 6 --seed 42 \
    --metric 'sum=sum ([0-9]+)' --name small --fresh -- ./prog '{a}' '{b}'
cmp -s order first || fail "the same seed gave a different order"
rm order
sweep 0 --grid a=1,2,3 --range b=10:20:10 --baseline './prog 0 0' --repeat 6 --seed 43 \
    --metric 'sum=sum ([0-9]+)' --name other -- ./prog '{a}' '{b}'
! cmp -s order first || fail "another seed gave the same order"

# Another grid under the same name is rejected, and nothing is lost.
sweep 1 --grid a=1,2 --grid b=1 --name small -- ./prog '{a}' '{b}'
says err "contains another sweep, with another value of '"
is small '.state == "complete"'

# A baseline with parameters runs once for each of their values.
sweep 0 --grid n=1,2 --grid lib=old,new -n 6 -b './prog {n} 0' --name each -- ./prog '{n}' 1 '{lib}'
is each '[.baselines[].cell] == ["baseline_n=1","baseline_n=2"] and
    all(.cells[]; .baseline == "baseline_n=\(.parameters.n + 0)" and .measures.wall_ns.ratio != null)'

# Failed cells are recorded and the others continue. --retry-failed runs only the failed cells again.
cat >frail <<'END'
#!/bin/sh
echo "$1" >>tried
[ -e repaired ] || [ "$1" != 2 ] || { echo "two is too much" >&2; exit 3; }
[ -e repaired ] || [ "$1" != 4 ] || exec sleep 60
END
chmod +x frail
sweep 1 --grid a=1,2,3,4 -n 6 --timeout 2s --name frail -- ./frail '{a}'
says err "a=2: failed with status 3"
says err "2 of 4 cells failed"
is frail '[.cells[].state] == ["complete","failed","complete","failed"] and .state == "complete"'
is frail '.cells[1].runs == 1 and .cells[1].failure == "failed with status 3" and
    (.cells[3].failure | startswith("exceeded its timeout"))'
says tacho-out/frail/cells/a=2/latest/failure.txt "two is too much"
[ "$(jq -r .state tacho-out/frail/cells/a=2/latest/run.json)" = failed ] || fail "the state in run.json is not failed"
: >repaired
rm tried
sweep 0 --grid a=1,2,3,4 -n 6 --timeout 2s --name frail --retry-failed -- ./frail '{a}'
[ "$(sort tried | uniq -c | tr -s ' \n' ' ')" = " 6 2 6 4 " ] || fail "other cells than the failed ones ran again"
is frail 'all(.cells[]; .state == "complete" and .runs == 6)'

# A missing program fails its cells, not the sweep.
sweep 1 --grid p=true,nosuchprogram -n 6 --name missing -- '{p}'
is missing '[.cells[].state] == ["complete","failed"]'
sweep 1 --grid p=no1,no2 -n 2 --name none -- '{p}'
is none '.measures == [] and ([.cells[].state] == ["failed","failed"])'
[ -s tacho-out/none/report.html ] || fail "a sweep of failures has no report"

# --setup and --cleanup run once, --prepare before each run. --prepare and --env have the parameters.
# shellcheck disable=SC2016 # the variable is the program's
sweep 0 --grid a=x,y -n 3 --setup 'echo setup >>hooks' --cleanup 'echo cleanup >>hooks' \
    --prepare 'echo {a} >>hooks' --env 'WHICH={a}' --name hooks -- sh -c '[ "$WHICH" = {a} ]'
[ "$(sort hooks | uniq -c | tr -s ' \n' ' ')" = " 1 cleanup 1 setup 3 x 3 y " ] ||
    fail "hooks were not run as expected: $(cat hooks)"

# Errors say what failed and what to do.
sweep 1 --grid a=1,2 --grid b=1,2 -- ./prog '{a}' 0
says err "parameter 'b' is not used; write {b}"
sweep 64 --grid a=1,1 -- ./prog '{a}' 0
sweep 64 --grid a=1 --grid a=2 -- ./prog '{a}' 0
sweep 64 --range a=2:1 -- ./prog '{a}' 0
sweep 64 -- ./prog
sweep 64 --grid a=1
sweep 64 --grid a=1 --expect 'n!' -- ./prog '{a}' 0

# Unknown names are rejected before the first run. The names of tacho compare are known.
for bad in '--pareto speed' '--pareto wall,max:speed' '--cost speed' '--cost throughput' '--best-per kb' \
    '--best-per a,kb' '--along kb' "--expect n --along kb"; do
    # shellcheck disable=SC2086 # words are meant
    sweep 64 --grid a=1,2 -n 2 $bad --name p -- ./prog '{a}' 0
    [ ! -e tacho-out/p ] || fail "$bad was rejected only after the runs"
done
sweep 64 --grid a=1,2 -n 2 --pareto speed --name p -- ./prog '{a}' 0
says err "there is no measure 'speed'"
sweep 0 --grid a=1,2 --grid b=3,4 -n 2 --cost memory --pareto min:sum --best-per a,b --name p \
    --metric 'sum=([0-9]+)' -- ./prog '{a}' '{b}'
is p '.pareto_per == ["a", "b"] and all(.cells[]; .pareto == "best")'
is p '.pareto_by == [{"measure": "sum", "better": "less"}]'
sweep 0 --grid a=1,2 --grid b=3,4 -n 2 --pareto wall,memory --name p2 -- ./prog '{a}' '{b}'
# 9 rounds suffice to find the best cell, 2 rounds do not.
sweep 0 --grid a=1,2,3 -n 9 --pareto sum --metric 'sum=sum ([0-9]+)' --name p3 -- ./prog '{a}' 0
is p3 '[.cells[].pareto] == ["best", "no", "no"]'
sweep 0 --grid a=1,2,3 -n 2 --pareto sum --metric 'sum=sum ([0-9]+)' --name p4 -- ./prog '{a}' 0
is p4 'all(.cells[]; .pareto == "maybe")'
says out "3 cells cannot be distinguished from the best; 2 rounds are too few, use --repeat 6 or more"
grep -q 'framed: the best' tacho-out/p3/report.html || fail "the best cell is not framed"
! grep -q 'framed: the best' tacho-out/p4/report.html || fail "the title says that the best is framed, and none is"
# Measures that the best are chosen by have a column on the terminal, and throughput has its unit.
sweep 0 --grid a=1,2 --grid f=x,y -n 2 --work-per-run 3MB --pareto max:throughput,minor_faults --name p5 -- ./prog '{a}' '{f}'
grep -q 'throughput, MB/s *minor page faults' out || fail "$(cat out)"
says tacho-out/p5/report.html 'ringed: the best; colour: f'
says tacho-out/p5/figs/pareto.svg 'rotate(-90)">minor page faults'
is p2 '.pareto_per == [] and [.pareto_by[].measure] == ["wall_ns", "max_rss_bytes"]'

# A finished sweep removes its lock. Sweeps that waited for it continue one after the other.
[ ! -e tacho-out/p/.lock ] || fail "a finished sweep left its lock"
for i in 1 2 3 4; do
    "$tacho" sweep --grid a=1,2,3 -n 3 --name shared -- sleep '0.0{a}' >"out$i" 2>"err$i" </dev/null &
done
wait
for i in 1 2 3 4; do
    grep -q "^results: " "out$i" || grep -q "another tacho sweep is using" "err$i" || fail "$(cat "err$i")"
done
is shared '.state == "complete"'
for cell in tacho-out/shared/cells/*; do
    jq -e '[.samples[].run] == [1, 2, 3]' "$cell"/*/run.json >/dev/null || fail "two sweeps ran $cell at once"
done
[ ! -e tacho-out/shared/.lock ] || fail "the last sweep left its lock"

# Options are read from a section of a file, and the command line overrides them.
cat >tacho.yaml <<'END'
sweep:
  name: filed
  command: ./prog {a} {b}
  baseline: ./prog 0 1
  repeat: 2
  seed: 5
  grid:
    a: [1, 2]
  range:
    b: 1:100:log10
  metric: {sum: 'sum ([0-9]+)'}
  env: [X=1]
END
sweep 0
is filed '(.cells | length) == 6 and .plan.repeat == 2 and .plan.seed == 5 and .plan.env == ["X=1"]
    and .cells[5].measures.sum.median == 102'
sweep 0 --grid a=7 -n 3 --name over
is over '(.cells | length) == 3 and .plan.repeat == 3 and .cells[0].parameters.a == 7'
printf 'sweep:\n  repeat: 2\n  grdi: {a: [1]}\n' >bad.yaml
sweep 1 --file bad.yaml
says err "'grdi'"
says err "line 3"
printf 'bench: {}\n' >bad.yaml
sweep 1 --file bad.yaml
says err "has no section 'sweep'"

# A product has two main effects and no interaction, a sum has an interaction. Exact counts have no noise.
cat >product <<'END'
#!/bin/sh
echo "product $(($1 * $2)), sum $(($1 + $2))"
END
chmod +x product
sweep 0 --grid a=1,10,100 --grid b=1,2 -n 2 --cost product --metric 'product=product ([0-9]+)' --metric 'sum=sum ([0-9]+)' \
    --name effects -- ./product '{a}' '{b}'
is effects '[.effects[] | .parameters] == [["a"], ["b"], ["a", "b"]]'
is effects '.effects[0].share > 0.9 and .effects[2].share < 1e-9 and ([.effects[].share] | add) > 0.999999'
is effects '.effects[0].ratios | (.["1"] - 0.1 | fabs) < 1e-9 and (.["100"] - 10 | fabs) < 1e-9'
says out "1: 0.1x, 10: 1x, 100: 10x"
sweep 0 --grid a=1,10,100 --grid b=1,2 -n 2 --cost sum --metric 'sum=sum ([0-9]+)' --name sums -- ./product '{a}' '{b}'
is sums '.effects[] | select(.parameters == ["a", "b"]) | .share > 0.001'
