#!/bin/sh
# tacho gate with damaged inputs: checks the exit status, verdict and message of each. None is a PASS.
#   spoilt.sh TACHO
tacho=$1
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost
export GIT_CEILING_DIRECTORIES="$dir"

# A project whose gate passes, with a baseline; every row starts from a copy of it.
mkdir sound && cd sound || exit 1
cat >tacho.yaml <<'YAML'
build: "true"
obvious: 1.1x
defaults: {runs: 8, max_runs: 8}
benches:
- {name: one, command: sh ./prog, metrics: {v: 'v ([0-9a-z.]+)'}, budgets: {v: {tolerance: 20%, direction: lower}}}
YAML
echo 'echo v 100' >prog
ends_with 0 "$tacho" baseline save -q
ends_with 0 "$tacho" gate -q
says "PASS"
cd .. || exit 1

# spoilt STATUS WORD LINE SPOIL [OPTION...]: checks the gate after the shell line SPOIL. WORD is its last line, "-": none.
spoilt()
{
    status=$1 word=$2 line=$3 spoil=$4
    shift 4
    rm -rf copy && cp -r sound copy && cd copy || exit 1
    file=$(ls .tacho/baselines/one/*.json)
    eval "$spoil" >spoiling 2>&1 || fail "cannot spoil by '$spoil': $(cat spoiling)"
    ends_with "$status" "$tacho" gate -q "$@"
    says "$line"
    grep -qx PASS out && fail "PASS after '$spoil'"
    [ "$word" = - ] || grep -qx "$word" out || fail "no $word after '$spoil': $(cat out)"
    cd .. || exit 1
}

# edit FILTER: edits the baseline with jq.
edit()
{
    jq "$1" "$file" >edited && mv edited "$file"
}

# The baseline.
spoilt 4 'NOT JUDGED' "nothing was judged: one has no baseline for this machine class" 'rm -r .tacho'
spoilt 4 'NOT JUDGED' "nothing was judged: one has no baseline" "mv \$file .tacho/baselines/one/other-class.json"
spoilt 4 'NOT JUDGED' "nothing was judged: one has no baseline" "edit '.occasions = [] | .reference = \"\"'"
spoilt 4 'NOT JUDGED' "cannot be used and was not changed: the file is empty" ": >\$file"
spoilt 4 'NOT JUDGED' "to start over: tacho baseline save --replace --bench one" "truncate -s 300 \$file"
spoilt 4 'NOT JUDGED' "its schema is 'tacho.baseline.v9', not tacho.baseline.v1" "sed -i s/baseline.v1/baseline.v9/ \$file"
spoilt 4 'NOT JUDGED' "it is the baseline of 'one' on x" "edit '.machine_class = \"x\"'"
spoilt 4 'NOT JUDGED' "measured with 'sh ./prog', the bench is 'sh ././prog'; to start over: tacho baseline save --replace --bench one" \
    "sed -i 's|sh ./prog|sh ././prog|' tacho.yaml"
spoilt 4 'NOT JUDGED' "measured with variables.SIZE none, the bench has \"9\"; to start over: tacho baseline save --replace --bench one" \
    "sed -i 's|metrics:|env: {SIZE: 9}, &|' tacho.yaml"
spoilt 4 'NOT JUDGED' "measured with work.amount none, the bench has 20" "sed -i 's|metrics:|work: 20, &|' tacho.yaml"
spoilt 4 'NOT JUDGED' "measured with config_sha256 \"x\", the bench has none" "edit '.occasions[0].settings.config_sha256 = \"x\"'"
spoilt 4 'NOT JUDGED' "the baseline has no v, so it is not judged" "edit 'del(.occasions[0].metrics.v)'"
spoilt 4 'NOT JUDGED' "the baseline has no v, so it is not judged" "edit '.occasions[0].metrics.v = []'"
spoilt 4 'NOT JUDGED' "'at' of an occasion must be a time such as" "edit '.occasions[0].at = \"yesterday\"'"
spoilt 0 INCONCLUSIVE "too few runs for an interval: A has 1, B has 8" "edit '.occasions[0].metrics.v = [100]'"
spoilt 4 'NOT JUDGED' "nothing was judged: two has no baseline" "sed -i 's/name: one/name: two/' tacho.yaml"

# An old baseline.
spoilt 0 WARN "days old; 'tacho baseline save --promote' makes a new reference" "edit '.occasions[0].at = \"2020-01-01T00:00:00Z\"'"
spoilt 3 WARN "days old" "edit '.occasions[0].at = \"2020-01-01T00:00:00Z\"'" --fail-on-warn
spoilt 0 WARN "one: its baseline is less than a day old" "sed -i '1i baseline: {max_age: 1s}' tacho.yaml; sleep 1"
spoilt 0 WARN "dated 2999-01-01T00:00:00Z, which is in the future" "edit '.occasions[0].at = \"2999-01-01T00:00:00Z\"'"
cp -r sound old && cd old || exit 1
file=$(ls .tacho/baselines/one/*.json)
edit '.occasions[0].at = "2020-01-01T00:00:00Z"'
ends_with 0 "$tacho" gate -q --json
jq -e '.verdict == "WARN" and .baselines[0].old and .baselines[0].age_days > 2000' out >old.json || fail "the age is not in the JSON"
sed -i '1i baseline: {max_age: 99999d}' tacho.yaml
ends_with 0 "$tacho" gate -q
says PASS
grep -q "days old" out && fail "max_age is not used: $(cat out)"
cd .. || exit 1

# The program.
spoilt 1 'NOT JUDGED' "failed with status 2 in the working tree" 'rm prog'
spoilt 1 'NOT JUDGED' "no-such-program" "sed -i 's|sh ./prog|no-such-program|' tacho.yaml"
spoilt 1 'NOT JUDGED' "one: 'sh ./prog' was killed by signal 9" "echo 'kill -9 \$\$' >prog"
spoilt 1 'NOT JUDGED' "failed with status 3 in the working tree" "echo 'exit 3' >>prog"
spoilt 1 'NOT JUDGED' "exceeded its timeout" "echo 'sleep 9' >prog; sed -i 's/max_runs: 8/&, timeout: 100ms/' tacho.yaml"
spoilt 4 'NOT JUDGED' "one: v was not measured, so it is not judged" "echo : >prog"

# A check that every run passes, or none, or all except the fifth.
cp -r sound checked && cd checked || exit 1
sed -i "s/metrics:/check: {output: '^v [0-9]+$', command: 'grep -qx \"v 100\"'}, &/" tacho.yaml
ends_with 0 "$tacho" gate -q
says PASS
ends_with 0 "$tacho" gate --dry-run
says "a line it prints matches '^v [0-9]+$'"
says "by 'grep -qx \"v 100\"'"
[ "$(jq -r .plan.check_output tacho-out/one/latest/run.json)" = '^v [0-9]+$' ] || fail "run.json has no check"
cd .. || exit 1
spoilt 1 'NOT JUDGED' "one: 'sh ./prog' did not pass its check: no line of its output matches 'done' in the working tree" \
    "sed -i 's/metrics:/check: {output: done}, &/' tacho.yaml"
spoilt 1 'NOT JUDGED' "did not pass its check: 'cmp -s - expected' exited with status 1" \
    "echo v 99 >expected; sed -i 's/metrics:/check: {command: cmp -s - expected}, &/' tacho.yaml"
spoilt 1 'NOT JUDGED' "did not pass its check: no line of its output matches 'v'" \
    "echo 'echo >>n; [ \$(wc -l <n) = 5 ] || echo v 100' >prog; sed -i 's/metrics:/check: {output: v}, &/' tacho.yaml"
spoilt 1 'NOT JUDGED' "last lines of 'one' on standard output:" "sed -i 's/metrics:/check: {output: done}, &/' tacho.yaml"
spoilt 1 'NOT JUDGED' "v 100" "sed -i 's/metrics:/check: {command: grep -q done}, &/' tacho.yaml"
spoilt 1 - "'output' of a check is not a valid regular expression" "sed -i 's/metrics:/check: {output: (}, &/' tacho.yaml"
spoilt 1 - "'check' needs 'output', a regular expression, or 'command'" "sed -i 's/metrics:/check: {}, &/' tacho.yaml"

# The metric.
spoilt 4 'NOT JUDGED' "one: v was not measured, so it is not judged" "echo echo v nan >prog"
spoilt 0 WARN "one: v was not measured, so it is not judged" \
    "echo : >prog; sed -i 's/budgets: {/&wall: {max: 1h}, /' tacho.yaml" --junit gate.xml
grep -q 'tests="2" failures="0" skipped="1"' copy/gate.xml || fail "JUnit does not count the budget: $(cat copy/gate.xml)"
grep -A1 'classname="tacho.gate.one" name="v"' copy/gate.xml | grep -q '<skipped message="one: v was not measured' ||
    fail "JUnit has no case for a budget that was not judged: $(cat copy/gate.xml)"
spoilt 2 FAIL "it is required but was not measured" "echo : >prog; sed -i 's/direction: lower/&, required: true/' tacho.yaml"
spoilt 2 FAIL "it is required but was not measured" \
    "rm -r .tacho; echo : >prog; sed -i 's/direction: lower/&, required: true/' tacho.yaml"
spoilt 0 INCONCLUSIVE "4 of 8 runs did not report it" \
    "echo 'echo >>n; [ \$((\$(wc -l <n) % 2)) = 0 ] || echo v 100' >prog"
spoilt 0 WARN "it is 0: is the work still done?" "echo echo v 0 >prog"
spoilt 2 FAIL "+30.0 %" "echo echo v 130 >prog"
spoilt 0 WARN "it is 0 in every run: is it measured?" "echo echo v 0 >prog; edit '.occasions[0].metrics.v |= map(0)'"
if grep -q branch_misses sound/.tacho/baselines/one/*.json; then
    echo "counters can be read here: what happens where they cannot is not tested"
else
    spoilt 4 'NOT JUDGED' "branch misses was not measured, so it is not judged" \
        "sed -i 's/budgets: {v:.*/budgets: {branch_misses: {tolerance: 5%}}}/' tacho.yaml"
fi
spoilt 0 WARN "10 times less than before: is the work still done?" "echo echo v 10 >prog"
spoilt 0 WARN "12500 times less than before: is the work still done?" "echo echo v 0.008 >prog"
spoilt 3 WARN "is the work still done?" "echo echo v 10 >prog" --fail-on-warn

# u is reported by every other run, so there is a second analysis. Only its runs report v.
spoilt 0 INCONCLUSIVE "9 of 16 runs did not report it" \
    "echo 'echo >>n; k=\$(wc -l <n); [ \$((k % 2)) = 0 ] || echo u 1; [ \$k -lt 10 ] || echo v 100' >prog
    sed -i \"s/max_runs: 8/max_runs: 16/; s/metrics: {/&u: 'u ([0-9]+)', /; s/budgets: {/&u: {max: 9, direction: lower}, /\" tacho.yaml"
grep "v was not measured" copy/out && fail "the note of the first analysis stays"

# tacho compare of a metric that no run reported.
ends_with 0 "$tacho" run -q -n 6 --metric 'w=w ([0-9]+)' --name a --name b -c 'echo a' -c 'echo b'
ends_with 4 "$tacho" compare -t w=5% --lower-is-better w tacho-out/a/latest tacho-out/b/latest
says "nothing was judged: no metric with a tolerance was measured on both sides"
grep -qx 'NOT JUDGED' out || fail "no NOT JUDGED of a comparison: $(cat out)"

# A metric that no pair of runs has on both sides is not compared.
# shellcheck disable=SC2016 # the script expands them
echo 'echo >>$1; [ $(($(wc -l <$1) % 2)) = "$2" ] || echo v 100' >half
ends_with 0 "$tacho" run -q -n 6 --metric 'v=v ([0-9]+)' --name a --name b -c 'sh half n 0' -c 'sh half m 1'
ends_with 0 "$tacho" compare tacho-out/a/latest tacho-out/b/latest
grep -q '^v .* not compared$' out || fail "v is compared: $(cat out)"

# The settings.
spoilt 1 - "'runs' must be at least 6" "sed -i 's/{runs: 8/{runs: 0/' tacho.yaml"
spoilt 1 - "'runs' must be at least 6" "sed -i 's/{runs: 8/{runs: 1/' tacho.yaml"
spoilt 1 - "there are two benches called 'one'" "sed -n '/name: one/p' tacho.yaml >line; cat line >>tacho.yaml"
spoilt 1 - "'benches' needs a list" "sed -i '/name: one/d' tacho.yaml"
spoilt 1 - "there is no 'tacho.yaml'" "rm tacho.yaml"

# Output files are checked before the first run.
for option in --md --junit --prometheus --json-file --badge --html; do
    spoilt 1 - "nothing was run" "rm -r tacho-out; echo >file" "$option" file/x
    [ ! -e copy/tacho-out ] || fail "$option is checked after the run"
done

# The other commit.
if command -v git >/dev/null; then
    spoilt 1 'NOT JUDGED' "is not in a git repository that git can read, so --against has no commit to compare with" : --against HEAD
    # shellcheck disable=SC2016  # the spoilt folder's shell expands them
    spoilt 1 'NOT JUDGED' "to fetch it: git fetch --unshallow --tags" \
        "git init -q o; cp prog tacho.yaml o; for i in 1 2; do git -C o add .; git -C o commit --allow-empty -qm x; done;
        git clone -q --depth 1 file://\$PWD/o c; mv c/.git ." --against HEAD~1

    # The tree: dirty; its baseline of another branch; without git.
    mkdir repository && cd sound && cp -r . ../repository && cd ../repository || exit 1
    git init -q . && git add prog tacho.yaml && git commit -qm x
    ends_with 0 "$tacho" baseline save --replace -q
    echo '# more' >>prog
    ends_with 0 "$tacho" gate -q
    says "files differ from commit $(git rev-parse --short=12 HEAD): the verdict is about the working tree"
    says "PASS, of files that differ from commit"
    grep -qx PASS out && fail "PASS of a dirty tree"
    git checkout -q prog && git checkout -q --orphan other && git commit -qm y
    ends_with 0 "$tacho" gate -q
    says "which is not an ancestor of this one"
    grep -qx WARN out || fail "no WARN for another branch: $(cat out)"
    mkdir path && for i in sh cat "$tacho"; do ln -s "$(command -v "$i")" path; done
    ends_with 1 env PATH="$PWD/path" "$tacho" gate -q --against HEAD
    says "--against needs git, which cannot be run: cannot run 'git'"
    grep -qx 'NOT JUDGED' out || fail "PASS without git"
    cd .. || exit 1
fi
finish
