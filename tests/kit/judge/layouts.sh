#!/bin/sh
# Layouts: blocks of runs with one seed each, one value per layout in run, compare and gate; and the
# note if the layout was not varied.
#   layouts.sh TACHO CHECK_SCHEMA SCHEMAS
tacho=$1
check_schema=$2
schemas=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need git jq

# sets SIDE FILTER: makes up the samples of a run.
sets()
{
    file=tacho-out/$1/latest/run.json
    jq ".samples |= map($2)" "$file" >made.json && cp made.json "$file"
}

# The seed is a variable and a word; blocks have the same size.
# shellcheck disable=SC2016 # sh -c expands it
ends_with 0 "$tacho" run -n 12 --layouts 4 --name one \
    --relink 'echo {seed} $TACHO_LAYOUT_SEED x{seed} >>links' -- true
says "layouts: 4 layouts, 12 runs; wall time differs by"
printf '1 1 x1\n2 2 x2\n3 3 x3\n4 4 x4\n' | cmp -s - links || fail "other seeds: $(cat links)"
run="tacho-out/one/latest/run.json"
holds "$run" '[.samples[].layout] == [1,1,1,2,2,2,3,3,3,4,4,4]'
holds "$run" '.statistics.wall_ns.n == 4 and .statistics.wall_ns.values == 12'
holds "$run" '.layouts.layouts == 4 and .layouts.runs == 12 and .plan.layouts == 4'
jq -c . "$run" | "$check_schema" "$schemas" >out 2>&1 || fail "run.json: $(cat out)"

# A relink that fails stops the run.
ends_with 1 "$tacho" run --layouts 2 --relink 'exit 3' -- true
says "--relink failed: 'exit 3' exited with status 3"

# A relink that changes nothing varies no layout.
holds "$run" '[.warnings[] | select(.code == "same-layout")] | length == 1'
says_not() { grep -qF -- "$1" out && fail "'$1' is in: $(cat out)"; }
cp /bin/true moved
ends_with 0 "$tacho" run -n 4 --layouts 2 --name moved --relink 'cp /bin/true moved; echo {seed} >>moved' -- ./moved
says_not "same bytes in all layouts"
ends_with 0 "$tacho" run -n 4 --layouts 2 --name moved --relink true -- ./moved
says "the program './moved' has the same bytes in all layouts, so no layout was varied"

# Two commands, made-up times: B is 1 % slower, layouts differ by 5 %, runs of one by 0.1 %.
"$tacho" run -q --layouts 8 -n 32 --name a --name b --relink true -c 'true a' -c 'true b' >out 2>&1 ||
    fail "tacho run failed: $(cat out)"
noise='(1 + 0.001 * ((.run * 7 % 5) - 2))'
sets a ".wall_ns = (1e7 * (1 + 0.05 * ((.layout * 3 % 8) / 4 - 1)) * $noise | floor)"
sets b ".wall_ns = (1.01e7 * (1 + 0.05 * ((.layout * 5 % 8) / 4 - 1)) * $noise | floor)"
ends_with 0 "$tacho" compare --json -t wall=20% tacho-out/a tacho-out/b
cp out layouts.json
holds layouts.json '.rows[] | select(.metric == "wall") | .a.n == 8 and .b.n == 8 and .paired
    and .verdict == "PASS"'
holds layouts.json '[.notes[] | select(test("^B: 8 layouts, 32 runs; wall time differs by 0.1[0-9]* % within a layout and by 3[.0-9]* % between"))]
    | length == 1'
"$check_schema" "$schemas" <layouts.json >out 2>&1 || fail "the verdict: $(cat out)"

# Without layouts the same runs would be a clear change, and a note says what to do. The note needs
# programs whose bytes differ, the same arguments, and a change below 5 %.
mkdir old new
cp /bin/true old/prog
cp old/prog new/prog
echo x >>new/prog
sentence="another layout of the program's code alone can do that; to judge over layouts: tacho run --layouts"
"$tacho" run -q -n 12 --name old --name new -c 'old/prog x' -c 'new/prog x' >out 2>&1 ||
    fail "tacho run failed: $(cat out)"
sets old ".wall_ns = (1e7 * $noise | floor)"
sets new ".wall_ns = (1.03e7 * $noise | floor)"
ends_with 0 "$tacho" compare --html page.html tacho-out/old tacho-out/new
says "$sentence"
grep -qF "layout of the program" page.html || fail "the page does not have the sentence"
sets new ".wall_ns = (1.1e7 * $noise | floor)"
ends_with 0 "$tacho" compare tacho-out/old tacho-out/new
grep -qF "$sentence" out && fail "a layout cannot cause a change of 10 %: $(cat out)"
cp old/prog new/prog
"$tacho" run -q -n 12 --name old --name new -c 'old/prog x' -c 'new/prog x' >out 2>&1 ||
    fail "tacho run failed: $(cat out)"
sets old ".wall_ns = (1e7 * $noise | floor)"
sets new ".wall_ns = (1.03e7 * $noise | floor)"
ends_with 0 "$tacho" compare tacho-out/old tacho-out/new
grep -qF "$sentence" out && fail "the bytes are the same: $(cat out)"

# The gate links both sides with the same seeds, each in its own folder.
git init -q gate && cd gate || exit 1
cat >tacho.yaml <<END
benches:
  - name: try
    command: sh -c 'echo v=\$(cat value)'
    layouts: {count: 6, runs: 2, relink: 'echo "\$TACHO_LAYOUT_SEED \$PWD" >>$dir/linked; echo 10{seed} >value'}
    max_runs: 12
    metrics: {v: 'v=([0-9]+)'}
    budgets: {v: {tolerance: 1%, direction: lower}}
END
git add . && git -c user.name=t -c user.email=t@example.org commit -qm first
"$tacho" gate --build true --against HEAD --json >gate.json 2>out ||
    fail "the gate has another status or verdict: $(cat out gate.json)"
holds gate.json '.rows[0] | .verdict == "PASS" and .a.n == 6 and .b.n == 6 and .a.median == 103.5'
holds gate.json '[.notes[] | select(test("^try, [AB]: 6 layouts, 12 runs"))] | length == 2'
cut -d' ' -f1 "$dir/linked" | uniq -c | awk '$1 != 2 || $2 != NR { exit 1 } END { exit NR != 6 }' ||
    fail "the sides have other seeds: $(cat "$dir/linked")"
[ "$(cut -d' ' -f2 "$dir/linked" | sort -u | wc -l)" -eq 2 ] || fail "only one side was linked"

# A suspect is run again in fresh layouts, which alone decide.
rm "$dir/linked"
# shellcheck disable=SC2016 # the bench expands it
sed -i 's|cat value)|cat value)$(cat worse 2>/dev/null)|' tacho.yaml
echo 0 >worse
"$tacho" gate --build true --against HEAD --json >fresh.json 2>out
[ $? -eq 2 ] || fail "ten times the value does not FAIL: $(cat out fresh.json)"
holds fresh.json '.rows[0] | .verdict == "FAIL" and .a.n == 6 and .b.n == 6 and .b.median > 10 * 107'
holds fresh.json '[.notes[] | select(test("try: run again before FAIL, in a fresh block of 12 pairs, which alone decides: it FAILs"))]
    | length == 1'
[ "$(cut -d' ' -f1 "$dir/linked" | sort -un | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 9 10 11 12 " ] ||
    fail "the fresh block does not have 6 new layouts: $(cat "$dir/linked")"
finish
