#!/bin/sh
# tacho gate and tacho baseline: settings, baselines, files for CI.
#   gate.sh TACHO SPIN CHECK_SCHEMA SCHEMAS
tacho=$1
spin=$2
check_schema=$3
schemas=$4
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SERVER_URL CI_JOB_URL

# Without settings the gate says what they are.
ends_with 1 "$tacho" gate
says "tacho gate init"

# init, and the files it wrote are valid.
touch Makefile
ends_with 0 "$tacho" gate init
[ -f .github/workflows/tacho.yml ] || fail "GitHub's workflow is missing"
[ -f .gitlab/tacho.yml ] || fail "GitLab's workflow is missing"
ends_with 0 "$tacho" gate --dry-run
says "./PROGRAM"
says "(missing)"
[ ! -e tacho-out ] || fail "--dry-run has made run folders"
ends_with 0 "$tacho" gate init
says "exists and was not changed"

# Settings with a mistake name line and column.
printf 'benches:\n- name: spin\n  command: %s 5\n  rnus: 8\n' "$spin" >tacho.yaml
ends_with 1 "$tacho" gate
says "line 4, column 9: 'rnus' is not a key of a bench"

cat >tacho.yaml <<END
suspicious: 1000000x
defaults: {runs: 6, max_runs: 6}
benches:
- name: spin
  command: $spin 10
  budgets:
    wall: {tolerance: 1000000000000%, max: 10s}
END

# No baseline yet, but a limit: a warning, or a failure.
ends_with 0 "$tacho" gate
says "has no baseline"
says "tacho baseline save"
ends_with 3 "$tacho" gate --fail-on-warn
ends_with 2 "$tacho" gate --require-baseline
ends_with 1 "$tacho" gate --build 'echo broken; exit 3'
says "cannot build the working tree"
says "broken"
ends_with 1 "$tacho" gate --bench nothing
says "there is no bench 'nothing'"

# No baseline and no limit: nothing can be judged, and every format says so.
sed 's/, max: 10s//' tacho.yaml >unlimited.yaml
GITHUB_ACTIONS=true GITHUB_OUTPUT=$PWD/output "$tacho" gate -c unlimited.yaml --md none.md --junit none.xml \
    --prometheus none.prom --json-file none.json --badge none.svg --fail-on-warn >out 2>&1
[ $? -eq 4 ] || fail "a gate without a baseline did not exit with 4: $(cat out)"
says "NOT JUDGED"
says "tacho: nothing was judged: spin has no baseline"
says "::error title=tacho NOT JUDGED::nothing was judged: spin has no baseline"
grep -q "^verdict=NOT JUDGED$" output || fail "the output for later steps: $(cat output)"
grep -q "tacho: NOT JUDGED" none.md || fail "the comment: $(cat none.md)"
grep -q '<testsuite name="tacho gate" tests="2" failures="0" errors="1" skipped="1"' none.xml || fail "$(cat none.xml)"
grep -q '^tacho_gate_problems 1$' none.prom || fail "$(cat none.prom)"
grep -q 'performance: NOT JUDGED' none.svg || fail "$(cat none.svg)"
jq -e '.verdict == "NOT JUDGED" and (.problems[0] | contains("tacho baseline save"))' none.json >/dev/null ||
    fail "$(cat none.json)"
"$check_schema" "$schemas" <none.json >out 2>&1
[ $? -ne 1 ] || fail "none.json: $(cat out)"
# The first gate --save-baseline has nothing to judge, and saves.
ends_with 4 "$tacho" gate -c unlimited.yaml --save-baseline
ends_with 0 "$tacho" gate -c unlimited.yaml
rm -r .tacho

# With a baseline it passes: the tolerance is larger than any slow-down by a busy machine.
ends_with 0 "$tacho" baseline save
ends_with 0 "$tacho" baseline save
ends_with 0 "$tacho" baseline list
says "spin"
ends_with 0 "$tacho" baseline show spin
says "wall"
ends_with 0 "$tacho" gate --md gate.md --junit gate.xml --prometheus gate.prom \
    --json-file gate.json --badge gate.svg
says "PASS"
grep -q "tacho: PASS" gate.md || fail "no verdict in the comment: $(cat gate.md)"
grep -q "To reproduce: .tacho gate.$" gate.md || fail "the comment has no command to reproduce it"
[ "$(jq -r .verdict gate.json)" = PASS ] || fail "$(cat gate.json)"
[ "$(jq -r '[.rows[].metric] | join(" ")' gate.json)" = "wall wall" ] || fail "$(cat gate.json)"
jq -e '.rows[0].session_spread > 0' gate.json >/dev/null || fail "the row has no session spread"
"$tacho" gate --json 2>/dev/null | jq -e '.schema == "tacho.verdict.v1"' >/dev/null ||
    fail "--json prints no verdict"

# Other programs can read its output.
if command -v xmllint >/dev/null; then
    xmllint --noout gate.xml gate.svg || fail "gate.xml or gate.svg is not XML"
    [ "$(xmllint --xpath 'count(//testcase)' gate.xml)" = 2 ] || fail "$(cat gate.xml)"
fi
if command -v promtool >/dev/null; then
    promtool check metrics <gate.prom >out 2>&1 || fail "promtool: $(cat out)"
fi
grep -q '^tacho_gate_verdict{bench="spin",metric="wall",budget="ratio"} 0$' gate.prom ||
    fail "$(cat gate.prom)"
grep -q '^tacho_gate_largest_change{bench="spin",metric="wall",budget="ratio"} [0-9]' gate.prom || fail "$(cat gate.prom)"
grep -q 'PASS, at most ' gate.xml || fail "$(cat gate.xml)"
baseline=$(ls .tacho/baselines/spin/*.json)
for file in gate.json "$baseline"; do
    jq -c . "$file" | "$check_schema" "$schemas" >out 2>&1
    [ $? -ne 1 ] || fail "$file: $(cat out)"
done
"$tacho" baseline list --json | "$check_schema" "$schemas" >out 2>&1
[ $? -ne 1 ] || fail "baseline list: $(cat out)"
# The schema of tacho.yaml accepts and refuses the same files as tacho.
if python3 -c 'import yaml, jsonschema' 2>/dev/null; then
    python3 - "$schemas/tacho.yaml.schema.json" tacho.yaml <<'END' >out 2>&1 || fail "$(cat out)"
import json, sys, jsonschema, yaml
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
checker = jsonschema.Draft202012Validator(schema)
document = yaml.safe_load(open(sys.argv[2]))
checker.validate(document)
for broken in ({**document, "bench": 1}, {"benches": []}, {"benches": [{"name": "a"}]},
               {"benches": [{"name": "a", "command": "b", "runs": 3}]}):
    assert not checker.is_valid(broken), broken
END
fi

# On GitHub: annotations, and a summary.
sed -i 's/max: 10s/max: 1us/' tacho.yaml
GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$PWD/summary.md "$tacho" gate --junit fail.xml >out 2>&1
[ $? -eq 2 ] || fail "a maximum that is passed does not fail: $(cat out)"
says "::error title=tacho FAIL::spin: wall time, at most 1.000 us"
grep -q "tacho: FAIL" summary.md || fail "no summary"
grep -q "<failure message=" fail.xml || fail "$(cat fail.xml)"

# A required metric that is not available.
sed -i 's/max: 1us/max: 10s/; /max: 10s/a\    energy: {tolerance: 5%, required: true}' tacho.yaml
"$tacho" gate --json >missing.json 2>/dev/null
status=$?
if jq -e '.rows[] | select(.metric == "energy") | .b.n == 0' missing.json >/dev/null; then
    [ "$status" -eq 2 ] || fail "a required metric that is missing exited with $status"
fi
sed -i '/^ *energy:/d' tacho.yaml

# A command that fails, or does not exist, is reported.
sed -i "s|command: .*|command: false|" tacho.yaml
ends_with 1 "$tacho" gate
says "failed with status 1"
sed -i "s|command: .*|command: ./not-here|" tacho.yaml
ends_with 1 "$tacho" gate
says "not-here"
sed -i "s|command: .*|command: $spin 10|" tacho.yaml

# --save-baseline adds an occasion; promote moves the reference; an existing run can be saved.
before=$(jq '.occasions | length' "$baseline")
ends_with 0 "$tacho" gate --save-baseline
[ "$(jq '.occasions | length' "$baseline")" -eq $((before + 1)) ] || fail "--save-baseline has saved nothing"
first=$(jq -r .reference "$baseline")
ends_with 0 "$tacho" baseline promote spin
[ "$(jq -r .reference "$baseline")" != "$first" ] || fail "nothing was promoted"
ends_with 0 "$tacho" baseline promote spin "$first"
[ "$(jq -r .reference "$baseline")" = "$first" ] || fail "not promoted back"
ends_with 1 "$tacho" baseline promote spin 1999
ends_with 0 "$tacho" baseline save --from tacho-out/spin/latest --bench other
[ -d .tacho/baselines/other ] || fail "--from has saved nothing"
ends_with 0 "$tacho" baseline remove other
ends_with 1 "$tacho" baseline remove other

# A page that cannot be written is not named as the report.
rm -rf tacho-out/gate.html && mkdir -p tacho-out/gate.html/x
"$tacho" gate >out 2>err && fail "a page that cannot be written does not fail the gate"
grep -q "gate.html" err || fail "the page that cannot be written is not named: $(cat err)"
grep -q "^report:" out && fail "a page is named that was not written"
rm -r tacho-out/gate.html

# An occasion of another command is refused, whatever saves it.
cp "$baseline" kept
run=$(readlink -f tacho-out/spin/latest)
sed -i "s|command: .*|command: $spin 11|" tacho.yaml
for how in 'baseline save' 'baseline save --promote' 'gate --save-baseline'; do
    # shellcheck disable=SC2086 # words
    "$tacho" $how >out 2>err && fail "'$how' saves an occasion of another command"
    grep -q "spin 10', the bench is '.*spin 11'; to start over: tacho baseline save --replace --bench spin" err ||
        fail "'$how' says: $(cat err)"
    cmp -s kept "$baseline" || fail "'$how' changed the baseline"
done
ends_with 0 "$tacho" baseline save --replace --bench spin
ends_with 1 "$tacho" baseline save --from "$run"
says "to start over: tacho baseline save --replace --bench spin"
[ "$(jq -r '[.occasions[].command | test("spin 11$")] | all' "$baseline")" = true ] || fail "--from added another command"
sed -i "s|command: .*|command: $spin 10|" tacho.yaml
cp kept "$baseline"

# A corrupt baseline is named and not changed.
printf '{"schema": "tacho.baseline.v1", "bench": ' >"$baseline"
cp "$baseline" corrupt
ends_with 4 "$tacho" gate
says "$(basename "$baseline")"
ends_with 1 "$tacho" baseline show spin
says "was not changed"
ends_with 1 "$tacho" baseline save
ends_with 1 "$tacho" baseline list
cmp -s corrupt "$baseline" || fail "the corrupt baseline was changed"
# Both commands build first, so no stale program is measured. --build replaces the setting.
mkdir built && cd built || exit 1
printf 'echo v 3\n' >prog.in
cat >tacho.yaml <<END
build: cp prog.in prog && chmod +x prog
obvious: 1.1x
defaults: {runs: 6, max_runs: 6}
benches:
- {name: prog, command: ./prog, shell: true, metrics: {v: 'v ([0-9]+)'}, budgets: {v: {tolerance: 1%, direction: lower}}}
END
ends_with 0 "$tacho" gate --dry-run
says "would run 'cp prog.in prog"
[ ! -e prog ] || fail "--dry-run builds"
ends_with 0 "$tacho" baseline save -q
printf 'echo v 5\n' >prog.in
ends_with 2 "$tacho" gate -q
says "+66.7 %"
ends_with 0 "$tacho" baseline save -q --build 'echo "echo v 7" >prog'
ends_with 0 "$tacho" baseline show prog --json
jq -e '.occasions[1].metrics.v[0] == 7' out >/dev/null || fail "--build was not used: $(cat out)"

# A baseline of files that differ from their commit is marked.
if command -v git >/dev/null; then
    export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost
    git init -q . && git add prog.in tacho.yaml && git commit -qm one
    ends_with 0 "$tacho" baseline save -q
    ends_with 0 "$tacho" baseline show prog
    says "$(git rev-parse HEAD | cut -c1-12)  "
    printf 'echo v 4\n' >prog.in
    ends_with 0 "$tacho" baseline save -q --promote
    says "files differ from the commit"
    ends_with 0 "$tacho" baseline show prog
    says "$(git rev-parse HEAD | cut -c1-12)-dirty"
    ends_with 0 "$tacho" baseline list
    says "$(git rev-parse HEAD | cut -c1-12)-dirty"
    "$tacho" baseline show prog --json | jq -c . | "$check_schema" "$schemas" >out 2>&1
    [ $? -ne 1 ] || fail "a dirty baseline does not match its schema: $(cat out)"
fi
cd .. || exit 1

# --dry-run shows limits with their units and directions.
mkdir limits && cd limits || exit 1
cat >tacho.yaml <<'YAML'
benches:
- name: one
  command: echo tps 5
  metrics: {tps: 'tps ([0-9]+)'}
  budgets: {wall: {max: 2s}, tps: {tolerance: 5%, max: 10, direction: higher}}
YAML
ends_with 0 "$tacho" gate --dry-run
says "wall must have a median of at most 2.000 s"
says "tps may be worse by 5 %, and must have a median of at least 10"
# A bench that has only limits needs no baseline.
sed -i 's/budgets: .*/budgets: {wall: {max: 1h}}/' tacho.yaml
ends_with 0 "$tacho" gate --fail-on-warn
grep -q "no baseline" out && fail "a limit asks for a baseline: $(cat out)"
cd .. || exit 1
finish
