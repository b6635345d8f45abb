#!/bin/sh
# With 'confirm: commit', what looks worse than a baseline is run in pairs with the baseline's commit, and only
# they decide. The programs print numbers, so that every verdict is certain; a file outside the repository
# plays the machine.
#   confirm.sh TACHO
tacho=$1
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need git jq
unset CI

mkdir repository && cd repository || exit 1
cat >prog <<END
#!/bin/sh
echo "v \$((\$(cat value) + \$(cat $dir/machine)))"
END
chmod +x prog
settings()
{
    printf 'build: "true"\n%s\nbenches:\n  - {name: one, command: ./prog, runs: 10, max_runs: 10, warmup: 0,\n' "$1"
    printf "     metrics: {v: 'v ([0-9.]+)'}, budgets: {v: {tolerance: 5%%, direction: lower}}}\n"
}
settings "confirm: commit" >tacho.yaml
printf 'tacho-out\n.tacho\n*.json\nout\n' >.gitignore
echo 100 >value
echo 0 >"$dir/machine"
{ git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -qm one; } || fail "no repository"
ends_with 0 "$tacho" baseline save -q
commit=$(git rev-parse HEAD | cut -c1-12)

# The machine became slower, the program did not.
echo 20 >"$dir/machine"
ends_with 0 "$tacho" gate --json-file shifted.json
says "one: looks worse than its baseline, so it was run in pairs with the baseline's commit $commit, which alone decide: it does not FAIL"
holds shifted.json '.rows[0] | [.verdict, .a.median, .b.median] == ["PASS", 120, 120]'

# The program became slower.
echo 0 >"$dir/machine"
echo 120 >value
git -c user.name=t -c user.email=t@t commit -qam two || fail "no second commit"
ends_with 2 "$tacho" gate --json-file slower.json
says "which alone decide: it FAILs"
holds slower.json '.rows[0] | [.verdict, .a.median, .b.median] == ["FAIL", 100, 120]'
[ -z "$(git worktree list | sed 1d)" ] || fail "a worktree remains: $(git worktree list)"

# Without it nothing is confirmed, and the row names the command that decides.
settings "confirm: none" >tacho.yaml
ends_with 0 "$tacho" gate --json-file none.json
says "tacho gate --against $commit --exact -b one decides"
holds none.json '.rows[0].verdict == "WARN"'

# It is the default in CI only.
settings "" >tacho.yaml
ends_with 0 "$tacho" gate
says "decides"
ends_with 2 env CI=true "$tacho" gate
says "which alone decide: it FAILs"

# A commit that cannot be built leaves the verdict as it is.
settings "confirm: commit" >tacho.yaml
# shellcheck disable=SC2016 # the build expands it
ends_with 0 "$tacho" gate --build '[ "$(cat value)" = 120 ]' --json-file unbuilt.json
says "cannot build"
says "one: could not be run in pairs with commit $commit"
holds unbuilt.json '.rows[0].verdict == "WARN"'

settings "confirm: perhaps" >tacho.yaml
ends_with 1 "$tacho" gate
says "'confirm' must be commit or none"
finish
