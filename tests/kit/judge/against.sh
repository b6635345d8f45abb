#!/bin/sh
# tacho gate --against: a git repository with a regression in one commit.
#   against.sh TACHO SPIN
tacho=$1
spin=$2
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need git
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

git init -q repo && cd repo || exit 1
mkdir perf
cat >perf/tacho.yaml <<END
alpha: 1%
build: cp prog.in prog && chmod +x prog
defaults: {runs: 10, max_runs: 40}
benches:
- name: prog
  command: ./prog
  setup: test -x prog
  budgets: {cpu: {tolerance: 5%}}
END
cat >perf/prog.in <<END
#!/bin/sh
exec $spin 20
END
printf 'tacho-out\nprog\n' >.gitignore
git add . && git commit -qm "as fast as ever"
git tag good
sed -i 's/ 20$/ 26/' perf/prog.in
git commit -qam "slower by accident"
cd perf || exit 1

# Slower than the commit before: FAIL. The budget is for CPU time, which does not depend on the load of the machine.
ends_with 2 "$tacho" gate --against good --md gate.md --json-file gate.json
says "FAIL"
says "good ("
[ "$(jq -r .mode gate.json)" = against ] || fail "$(cat gate.json)"
[ "$(jq -r .rows[0].paired gate.json)" = true ] || fail "the sides were not interleaved"
# The gate ran it again before it said FAIL: more than the first 10 pairs.
[ "$(jq -r .rows[0].b.n gate.json)" -gt 10 ] || fail "it FAILed at the first analysis"
commits=$(jq -r .commit tacho-out/prog-before/latest/run.json tacho-out/prog/latest/run.json)
[ "$(echo "$commits" | sort -u | wc -l)" -eq 2 ] || fail "both sides have the same commit"
[ "$(echo "$commits" | head -1)" = "$(git rev-parse good)" ] || fail "$commits"
[ "$(git worktree list | wc -l)" -eq 1 ] || fail "a worktree is left: $(git worktree list)"
[ -z "$(git status --porcelain -uno)" ] || fail "the working tree was changed"

# Against itself: no FAIL.
ends_with 0 "$tacho" gate --against HEAD

# Fixed: no FAIL.
git checkout -q good -- prog.in
ends_with 0 "$tacho" gate --against good

# Failures are reported and leave no worktree.
ends_with 1 "$tacho" gate --against no-such-ref
says "is not a commit"
ends_with 1 "$tacho" gate --against good --build 'echo broken >&2; exit 3'
says "broken"
says "exited with status 3"
[ "$(git worktree list | wc -l)" -eq 1 ] || fail "a worktree is left after a failure"
sed -i '/^build/d' tacho.yaml
ends_with 64 "$tacho" gate --against good
says "--build"
finish
