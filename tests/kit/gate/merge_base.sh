#!/bin/sh
# tacho gate --against REF compares with the merge base of REF and HEAD: a branch is not blamed for what its target did.
# What each commit costs is a number that it prints.
#   merge_base.sh TACHO
tacho=$1
# shellcheck source=SCRIPTDIR/../judge/lib.sh
. "$(dirname "$0")/../judge/lib.sh"
need git jq
unset GITHUB_ACTIONS GITHUB_BASE_REF GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

# commit VALUE TEXT: a commit of the current branch that costs VALUE.
commit()
{
    echo "v $1" >value
    echo "$2" >>history
    git add . && git commit -qm "$2"
}

# gate STATUS OPTIONS...
gate()
{
    wanted=$1
    shift
    ends_with "$wanted" "$tacho" gate -q --json-file gate.json "$@"
    [ "$(git worktree list | wc -l)" -eq 1 ] || fail "a worktree is left"
}

git init -q -b main repo && cd repo || exit 1
cat >tacho.yaml <<'END'
build: "true"
defaults: {runs: 10, max_runs: 10, metrics: {v: 'v ([0-9]+)'}, budgets: {v: {tolerance: 5%, direction: lower}}}
benches: [{name: value, command: cat value}]
END
printf 'tacho-out\ngate.json\nout\nhistory.*\n' >.gitignore
commit 180 one
git branch docs
base=$(git rev-parse --short=12 HEAD)
commit 100 "main became faster"
commit 100 "and grew"
git checkout -q docs
echo text >README && git add README && git commit -qm "docs only"

# The branch changed nothing, so it passes. The report says what it was compared with.
gate 0 --against main
holds gate.json '.verdict == "PASS" and .rows[0].a.median == 180'
holds gate.json ".a == \"the merge base with main ($base)\""
says "compared with $base, the merge base of HEAD and main; what main did since (2 commits) is not judged; --exact compares with its tip"
# With the tip it FAILs.
gate 2 --against main --exact
holds gate.json '.verdict == "FAIL" and .rows[0].a.median == 100 and (.a | startswith("main ("))'
holds gate.json '.reproduce | contains("--against main --exact")'

# --dry-run checks REF and says the same.
ends_with 0 "$tacho" gate --dry-run --against main
says "would check the merge base with main ($base) out"
ends_with 1 "$tacho" gate --dry-run --against nowhere
says "'nowhere' is not a commit"
ends_with 64 "$tacho" gate --exact
says "--exact needs --against REF"

# A commit that main contains: there is nothing but changes that are not committed.
git checkout -q main~1
gate 0 --against main
says "HEAD is an ancestor of main, so the merge base is HEAD itself"
echo "v 300" >value
gate 2 --against main
git checkout -q value

# CI checks out a merge of the branch into the target, which has moved on since. Its first parent is the other side.
git checkout -q -b merged main~1
git merge -q --no-ff -m merge docs
target=$(git rev-parse --short=12 main~1)
gate 0 --against main
holds gate.json ".rows[0].a.median == 100 and .a == \"the merge base with main ($target)\""
gate 0 --against HEAD^1
holds gate.json ".a == \"HEAD^1 ($target)\""
cd .. || exit 1

# In a shallow clone of that merge, the first parent is there and the merge base is not.
git clone -q --depth 2 --branch merged "file://$dir/repo" shallow && cd shallow || exit 1
gate 0 --against HEAD^1
ends_with 1 "$tacho" gate --against origin/main
says "'origin/main' is not a commit"
git fetch -q --depth 1 origin +refs/heads/main:refs/remotes/origin/main
gate 1 --against origin/main
says "this clone is shallow and does not contain the merge base"
says "or compare with 'origin/main' itself: --exact"
GITHUB_BASE_REF=main gate 0 --against origin/main
holds gate.json ".a == \"the merge base with origin/main ($target)\""
# The command of the message helps.
gate 1 --against origin/main
sed -n "s/.*to fetch it: \(git fetch .*\); or .*/\1/p" out | head -1 >command.sh
grep -q unshallow command.sh || fail "no command in: $(cat out)"
sh -e command.sh || fail "'$(cat command.sh)' failed"
gate 0 --against origin/main
cd .. || exit 1

# A branch that was never fetched, in a shallow clone and in a complete one of a single branch.
for depth in '--depth 1' ''; do
    rm -rf single
    # shellcheck disable=SC2086  # it may be two words
    git clone -q $depth --single-branch --branch docs "file://$dir/repo" single && cd single || exit 1
    ends_with 1 "$tacho" gate --dry-run --against origin/main
    sed -n "s/.*to fetch it: \(git fetch .*\)/\1/p" out >command.sh
    sh -e command.sh || fail "'$(cat command.sh)' failed"
    gate 0 --against origin/main
    ends_with 1 "$tacho" gate --dry-run --against main
    says "'main' is a branch of origin only; use 'origin/main'"
    cd .. || exit 1
done

# Histories that have nothing in common.
cd repo || exit 1
git checkout -q --orphan other && commit 100 "another root"
gate 1 --against main
says "have no common commit"
gate 0 --against main --exact
finish
