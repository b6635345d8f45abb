#!/bin/sh
# tacho gate --against a commit that cannot be compared completely: benches that only one side has, and sides that
# cannot be built or run. Everything else is judged, and every file is written.
#   against_new.sh TACHO CHECK_SCHEMA SCHEMAS
tacho=$1
check_schema=$2
schemas=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need git
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

# gate STATUS OPTIONS...: checks that the gate exits with STATUS and writes every file.
gate()
{
    wanted=$1
    shift
    rm -rf files && mkdir files
    ends_with "$wanted" "$tacho" gate -q --md files/md --junit files/junit --prometheus files/prom \
        --json-file files/json --badge files/badge --html files/html "$@"
    for name in md junit prom json badge html; do
        [ -s "files/$name" ] || fail "after '$*' there is no $name: $(cat out)"
    done
    "$check_schema" "$schemas" <files/json >checked 2>&1
    [ $? -ne 1 ] || fail "the JSON does not match its schema: $(cat checked)"
    if command -v xmllint >/dev/null; then
        xmllint --noout files/junit files/badge || fail "after '$*' junit or badge is not XML"
    fi
    if command -v promtool >/dev/null; then
        promtool check metrics <files/prom >checked 2>&1 || fail "promtool: $(cat checked files/prom)"
    fi
    [ "$(git worktree list | wc -l)" -eq 1 ] || fail "a worktree is left"
}

# holds FILTER: jq's filter is true for the verdict.
holds()
{
    jq -e "$1" files/json >/dev/null || fail "the filter is not true: $1: $(cat files/json)"
}

git init -q repo && cd repo || exit 1
cat >tacho.yaml <<END
build: test ! -e broken && cp old.in old && chmod +x old
defaults: {runs: 10, max_runs: 10, metrics: {v: 'v ([0-9]+)'}, budgets: {v: {tolerance: 5%, direction: lower, max: 100}}}
benches:
- {name: old, command: ./old}
- {name: gone, command: ./old}
END
printf '#!/bin/sh\necho v 5\n' >old.in
printf 'tacho-out\nold\nout\nchecked\nfiles\n' >.gitignore
git add . && git commit -qm one && git tag before

# A program that the build should have made there is not called new.
cp old.in old && chmod +x old
gate 0 --against before --build true
holds '.verdict == "WARN" and ([.rows[] | select(.a.n == 0 and .budget == null)] | length == 2)'
holds '.notes | any(startswith("old is not compared: before (") and contains("its build did not make '"'./old'"'"))'

# A pull request adds two benches, one by a shell, and removes one.
sed -i '/name: gone/d' tacho.yaml
cat >>tacho.yaml <<END
- {name: added, command: ./added}
- {name: piped, command: ./added | cat, shell: true}
END
printf '#!/bin/sh\necho v 7\n' >added && chmod +x added
sed -i 's/, shell: true//; s/command: .\/added | cat/command: "test -x added \&\& .\/added | cat", shell: true/' tacho.yaml
git add . && git commit -qm two && git tag two
gate 0 --against before
holds '.verdict == "PASS" and .problems == []'
holds '[.rows[] | select(.bench == "old") | .verdict] == ["PASS", "PASS"]'
holds '[.rows[] | select(.bench == "added") | [.b.median, .a.n, .verdict]] == [[7, 0, null], [7, 0, "PASS"]]'
holds '[.rows[] | select(.bench == "piped") | [.b.median, .a.n, .verdict]] == [[7, 0, null], [7, 0, "PASS"]]'
holds '.notes | any(startswith("added is new: before (") and endswith("has no '"'./added'"', so there is nothing to compare with"))'
holds '.notes | any(startswith("piped cannot be run on before (") and contains("failed with status 1"))'
holds '.notes | any(startswith("gone was removed"))'
says "new"
grep -q 'added is new' files/md files/html || fail "the comment does not say that it is new"
gate 3 --fail-on-warn --against before

holds ".b == \"the working tree ($(git rev-parse HEAD | cut -c1-12))\""

# One bench is worse than allowed, another one is new. The report says that files differ from the commit.
printf '#!/bin/sh\necho v 9\n' >old.in
gate 2 --against before
holds '.verdict == "FAIL"'
holds ".b == \"the working tree ($(git rev-parse HEAD | cut -c1-12)-dirty)\""
git checkout -q old.in

# Our own side of one bench fails: the others are judged.
printf '#!/bin/sh\necho went wrong >&2\nexit 4\n' >added
gate 1 --against before
holds '.verdict == "NOT JUDGED" and (.problems | any(. == "added: '"'./added'"' failed with status 4 in the working tree"))'
holds '[.rows[] | select(.bench == "old") | .verdict] == ["PASS", "PASS"]'
says "NOT JUDGED"
says "went wrong"
grep -q 'NOT JUDGED' files/md files/badge || fail "comment and badge are those of a PASS"
grep -q '<error message=' files/junit || fail "JUnit has no error: $(cat files/junit)"
grep -q '^tacho_gate_problems 1$' files/prom || fail "$(cat files/prom)"
rm added
gate 1 --against before
holds '(.problems | any(contains("./added"))) and ([.rows[] | select(.bench == "old")] | length == 2)'
git checkout -q added

# The other side cannot be built: ours is measured, limits are judged, and the gate fails.
git rm -q --cached added && touch broken && git add broken && git commit -qm "cannot be built" && git tag unbuildable
rm broken
gate 1 --against unbuildable
says "cannot build unbuildable ("
[ "$(grep -c "cannot build" out)" = 1 ] || fail "the failed build is reported more than once: $(cat out)"
holds '.verdict == "NOT JUDGED" and (.problems | length == 1) and ([.rows[] | select(.a.n > 0)] == [])'
holds '[.rows[] | select(.bench == "old") | .b.median] == [5, 5]'

# Ours cannot be built, or there is no such commit: nothing is measured.
touch broken
gate 1 --against two
says "cannot build the working tree"
holds '.verdict == "NOT JUDGED" and .rows == [] and (.problems | length == 1)'
gate 1
says "cannot build the working tree"
rm broken
gate 1 --against nowhere
holds '.verdict == "NOT JUDGED" and (.problems[0] | contains("is not a commit"))'

# A command that is not installed is the problem of its bench.
sed -i 's/^- {name: old, command: .*/&\n- {name: tool, command: no-such-tool-xyz}/' tacho.yaml
gate 1 -b old -b tool
holds '(.problems | any(contains("no-such-tool-xyz"))) and ([.rows[] | select(.bench == "old")] | length == 2)'
finish
