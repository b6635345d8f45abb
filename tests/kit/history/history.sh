#!/bin/sh
# tacho history finds the commit at which a bench became slower, in a repository of 40 commits whose runs are made up.
#   history.sh TACHO PROJECT
tacho=$1
project=$2
# shellcheck source=SCRIPTDIR/../judge/lib.sh
. "$(dirname "$0")/../judge/lib.sh"
need git jq python3
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

# make_results: prints a history as github-action-benchmark keeps it. parse takes 12 % longer from change 23 on.
make_results()
{
    git log --reverse --format=%H --grep=change >commits
    python3 - <<'END'
import json, random
random.seed(1)
entries = []
for number, commit in enumerate(open("commits").read().split(), 1):
    benches = [{"name": name, "unit": "ns/iter", "value": level * random.gauss(1, 0.005)}
               for name, level in (("parse", 112e6 if number >= 23 else 100e6), ("print", 50e6))]
    entries.append({"commit": {"id": commit}, "date": 1700000000000 + number * 60000, "tool": "cargo", "benches": benches})
print("window.BENCHMARK_DATA =", json.dumps({"lastUpdate": 1, "entries": {"Suite": entries}}))
END
}

git init -q -b main repo && cd repo || exit 1
printf 'out\n.tacho\n' >.gitignore
git add . && git commit -qm start
i=1
while [ $i -le 40 ]; do
    git commit -q --allow-empty -m "change $i"
    i=$((i + 1))
done
make_results >data.js
"$tacho" import -o out data.js >imported || fail "cannot import"
"$tacho" history trend 2>err && fail "there is a store before anything was added"
grep -q "history add" err || fail "no hint: $(cat err)"
"$tacho" history add out >said || fail "cannot add"
grep -q "^80 runs added: .*/repo/.tacho/history.db$" said || fail "$(cat said)"
"$tacho" history add out/Suite_parse-*/ | grep -q "^0 runs added, 40 were already there" || fail "added twice"

mkdir -p deeper
(cd deeper && "$tacho" history log --json) >log.json || fail "no log from a folder below"
jq -e '.schema == "tacho.history.v1" and (.series | length) == 2' log.json >/dev/null || fail "$(cat log.json)"
jq -e '[.series[] | select(.bench == "Suite/print") | .shifts[]] == []' log.json >/dev/null || fail "print did not change"
wanted=$(git log --format=%H --grep='^change 23$')
jq -e --arg c "$wanted" '.series[] | select(.bench == "Suite/parse") | .shifts | length == 1 and
    (.[0] | .commit == $c and .direction == "worse" and .low < 1.12 and .high > 1.10 and .high < 1.14)' \
    log.json >/dev/null || fail "parse became slower at $wanted: $(cat log.json)"
"$tacho" history log | grep -q "Suite/parse .*wall time .*+1[12].* change 23$" || fail "$("$tacho" history log)"
"$tacho" history show Suite/parse.wall | grep -q "40 points" || fail "show"
"$tacho" history trend | grep -q "^Suite/print .* - *$" || fail "$("$tacho" history trend)"
"$tacho" history show nothing 2>err && fail "shows a bench that is not there"
grep -q "the store has no 'nothing'" err || fail "$(cat err)"

{
    "$tacho" history log --json
    "$tacho" history show --json Suite/parse
} >all.json
"$project/tests/support/check-schema" "$project/docs/schemas" <all.json || [ $? -eq 77 ] || fail "the schema"

# Points of commits that are not on the branch are left out, and that is said.
git checkout -q -b short HEAD~30
"$tacho" history show Suite/parse.wall >out.txt || fail "short"
grep -q "left out: 30 points at commits that are not on the branch" out.txt || fail "$(cat out.txt)"
"$tacho" history show --branch main Suite/parse.wall | grep -q "40 points" || fail "--branch"
"$tacho" history log --branch no-such-branch 2>err && fail "a branch that is not there"
grep -q "'no-such-branch' is not a branch" err || fail "$(cat err)"
finish
