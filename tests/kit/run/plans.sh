#!/bin/sh
# plans.sh TACHO: the number of runs, their order, and messages about wrong usage.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# Until precise: the precision is checked only after 10, 20, 40, ... runs, and never beyond the limits.
run 0 --precision 100% -- sleep 0.2
holds sleep '.stopped == "precise" and (.samples | length) == 10 and .precision.reached <= 1'
holds sleep '.plan.alpha == 0.0294'
run 0 --precision 0.0001% --max-runs 15 -- true
holds true '.stopped == "max-runs" and (.samples | length) == 15'
run 0 --precision 0.0001% --max-time 300ms -- sleep 0.05
holds sleep '.stopped == "max-time" and (.samples | length) >= 1 and (.samples | length) <= 6'

# Runs stopped by --max-time have a 95 % interval before the first check, and that of one check after it.
run 0 --precision 0.0001% --max-time 1s --min-runs 7 -- sleep 0.2
holds sleep '.stopped == "max-time" and (.samples | length) == 7 and .plan.alpha == 0.0294'
holds sleep '.precision.alpha == 0.05 and .statistics.wall_ns.level == 1 - 2 / 128'
"$tacho" report -f json tacho-out/sleep >again || fail "no report"
jq -e '.statistics.wall_ns.level == 1 - 2 / 128' again >/dev/null || fail "a report changed the level"
run 0 --precision 0.0001% --max-time 10ms --min-runs 15 -- sleep 0.06
holds sleep '(.samples | length) == 15 and .precision.alpha == 0.0294'
holds sleep '.statistics.wall_ns.level == 0.95'

# At least 10 runs unless the user gives a time limit.
run 0 --precision 0.0001% -- sleep 0.6
holds sleep '.stopped == "max-time" and (.samples | length) == 10 and .statistics.wall_ns.level > 0.95'

# The time is per command: two commands get twice as much.
run 0 --precision 0.0001% --max-time 300ms --name a --name b -c 'sleep 0.05' -c 'sleep 0.05'
holds a '.stopped == "max-time" and .ended_unix_ns - .started_unix_ns >= 600000000'

# The same numbers have the same median and standard deviation in every command.
printf '%s\n' 9 1 4 2 >numbers
run 0 -n 6 --name a --metric 'all:x=([0-9]+)' -- cat "$PWD/numbers"
sd=$("$tacho" stats --json numbers | jq -c '[.percentiles[0].value, .percentiles[1].value, .stddev]')
jq -ne "$sd == [3, 9, 3.559026084010437]" >/dev/null || fail "stats says $sd"
"$tacho" run -q -n 1 --name one --metric 'all:x=([0-9]+)' -- cat "$PWD/numbers" >/dev/null || fail "no run"
holds one '.statistics.x | .median == 3 and .p95 == 9 and .stddev == 3.559026084010437'
"$tacho" compare --json tacho-out/a tacho-out/a >judged || fail "no comparison"
jq -e '[.rows[] | select(.metric == "x") | .a.median] == [3]' judged >/dev/null ||
    fail "compare has another median: $(jq -c .rows judged)"

# With too few runs for an interval, the table shows the range.
run 0 -n 2 --name a --name b -c 'sleep 0.001' -c 'sleep 0.001'
says out "(range)"
says tacho-out/b/latest/report.html "(range)"
says tacho-out/b/latest/report.md "(range)"

# Each round has both commands. Each has its own folder, and they share one group.
run 0 -n 4 --name a --name b -c 'sleep 0.001' -c "sh -c 'sleep 0.001'"
group=$(jq .group tacho-out/a/latest/run.json)
[ "$group" != null ] || fail "two commands have no group"
holds b ".group == $group and [.samples[].pair] == [1, 2, 3, 4]"
jq -s '[.[] | .name as $n | .samples[] | {n: $n, t: .start_ns}] | sort_by(.t) | map(.n) | . as $n
       | all(range(0; 8; 2); $n[.] != $n[. + 1])' tacho-out/a/latest/run.json tacho-out/b/latest/run.json | grep -q true ||
    fail "a round does not have one run of each command"
says out "(range "
run 0 -n 3 -c true -c true -c true
[ -d tacho-out/true-2/latest ] || fail "the names are not different"
[ -d tacho-out/true-3/latest ] || fail "the names are not different"

# Lines that need a shell are run by one, or refused.
run 1 'echo a | cat'
says err "tacho run --shell -c 'echo a | cat'"
run 64 -c 'echo a | cat'
says err "needs a shell"
run 0 -n 2 --shell --name piped --command-output seen -c 'echo a b | tr a-z A-Z'
says seen "A B"

# OUT/NAME means the latest run of that name.
"$tacho" report -f csv tacho-out/piped >rows 2>err || fail "the latest run was not found: $(cat err)"
[ "$(wc -l <rows)" -eq 3 ] || fail "not the samples of the latest run: $(cat rows)"

# --json prints JSON to standard output, and nothing else.
run 1 -n 3 --json -c true -c false --allow-nonzero
[ "$(jq -r '.name // .fastest' out | tr '\n' ' ')" = "true false true " ] || fail "--json gave: $(cat out)"

# Failed runs are left out of the statistics. If all failed there are no statistics, and tacho fails.
run 1 -n 3 -i -- false
says out "no statistics: no run succeeded"
holds false '.statistics == {} and (.samples | length) == 3 and .state == "complete"'
says tacho-out/false/latest/report.html "No statistics: no run succeeded"
says tacho-out/false/latest/report.md "No statistics: no run succeeded"
run 1 -n 3 -i -c true -c false
says out "false is not compared: no run of it succeeded"
"$tacho" compare tacho-out/true tacho-out/false >out 2>err && fail "compared with nothing: $(cat out)"
says err "cannot compare the run 'tacho-out/false': no run succeeded"
cat >fails-later <<'END'
#!/bin/sh
echo x >>count
n=$(wc -l <count)
echo "v$n"
[ "$n" -lt 3 ]
END
chmod +x fails-later
run 0 -n 4 -i --metric 'v=v([0-9]+)' -- ./fails-later
holds fails-later '.statistics | .wall_ns.n == 2 and .v.n == 2 and .v.max == 2'

# If nothing was run there is no report.
run 1 --setup false --name idle -- true
says err "setup failed"
[ ! -s out ] || fail "a table of nothing: $(cat out)"
[ ! -e tacho-out/idle/latest/report.html ] || fail "a report of nothing"
"$tacho" report -f md -o - tacho-out/idle | grep -q "No statistics: no run was made" || fail "an empty report"
"$tacho" report -f junit -o - tacho-out/idle | grep -q '<failure message="no run was made"' || fail "JUnit passes"

# Messages about wrong usage name the option and the reason.
for bad in '--runs 0' '--runs 3 --precision 1%' '--max-runs 9 -n 3' '--min-runs 9 -n 3' '--min-runs 9 --max-runs 8' '--min-runs 0' '--runs x' '--precision 0' '--precision 200%' '--max-time 5' '--timeout x' \
    '--cpu a' '--cpu 3-1' '--work-per-run x' '--env x' '--label =v' '--name a/b' '--metric x' \
    '--metric a=(' '--metric 1=a' '--interval 1us' '--command-output inherit --metric a=b'; do
    # shellcheck disable=SC2086 # words are meant
    run 64 $bad -- true
    says err "see 'tacho run --help'"
done
run 64
says err "there is no command"
run 64 -c true -- true
run 64 -n 2 --name x --name y -- true
run 64 -c "'"
says err "is not closed"
run 1 --input /no/such/file -- cat
says err "/no/such/file"
run 1 --config /no/such/file -- true
run 1 --cpu 1000 -n 1 -- true
says err "cannot run on CPU 1000"
run 64 --power-source nonsense -n 1 -- true
run 1 --out-dir /proc/nowhere -n 1 -- true
says err "/proc/nowhere"

# Two tacho processes at the same time do not collide.
"$tacho" run -q -n 5 -- true >/dev/null & first=$!
"$tacho" run -q -n 5 -- true >/dev/null & second=$!
wait $first || fail "the first of two failed"
wait $second || fail "the second of two failed"
[ "$(find tacho-out/true -mindepth 1 -maxdepth 1 -type d | wc -l)" -ge 2 ] || fail "two runs share a folder"
[ -z "$(find tacho-out/true -name '.latest*')" ] || fail "a temporary link is left"
