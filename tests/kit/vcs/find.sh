#!/bin/sh
# find.sh TACHO SCHEMAS CHECK_SCHEMA: run.json records the commit, whether files differ from it, and the program.
set -u
schemas=$2
check_schema=$3
# shellcheck source=SCRIPTDIR/../run/lib.sh
. "$(dirname "$0")/../run/lib.sh"
command -v git >/dev/null || skip "there is no git here"
unset GIT_DIR GIT_WORK_TREE
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost
export GIT_CEILING_DIRECTORIES="$scratch"

run 0 -n 1 --name none -- true
holds none '.vcs == null and .commit == null'

git init -q -b trunk repo && cd repo || exit 1
run 0 -n 1 --name empty -- true
holds empty '.vcs == null'
printf '#!/bin/sh\nexit 0\n' >prog
chmod +x prog
git add prog && git commit -qm first
run 0 -n 1 --name first -- ./prog
holds first '.vcs.parent == null and .vcs.branch == "trunk" and .vcs.dirty == false and .vcs.remote == null'
git remote add origin https://ann:s3cret@example.org/a/b.git
git commit -q --allow-empty -m second

# An untracked file, such as a run folder, does not make the commit dirty.
touch unknown
run 0 -n 1 --name clean -- ./prog
holds clean ".vcs.sha == \"$(git rev-parse HEAD)\" and .commit == .vcs.sha"
holds clean ".vcs.tree == \"$(git rev-parse 'HEAD^{tree}')\" and .vcs.parent == \"$(git rev-parse HEAD~1)\""
holds clean ".vcs.committed_at == \"$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)\""
holds clean '.vcs.dirty == false and .vcs.remote == "https://example.org/a/b.git"'
holds clean ".program_sha256 == \"$(sha256sum <prog | cut -d' ' -f1)\""
! grep -r s3cret tacho-out || fail "the password of the remote was recorded"
"$tacho" report -f md -o clean.md tacho-out/clean/latest >out 2>err
grep -q "complete, commit [0-9a-f]\{12\}$" clean.md || fail "no commit in the report"

# Changed files, staged files and files in a subfolder make it dirty, and reports say so.
echo 'true' >>prog
run 0 -n 1 --name changed -- ./prog
holds changed '.vcs.dirty'
holds changed ".program_sha256 == \"$(sha256sum <prog | cut -d' ' -f1)\""
git add prog
mkdir below
run 0 -n 1 --name staged --cwd below -- ../prog
holds staged '.vcs.dirty'
holds staged ".program_sha256 == \"$(sha256sum <prog | cut -d' ' -f1)\""
"$tacho" report -f md -o changed.md tacho-out/changed/latest >out 2>err
grep -q "[0-9a-f]\{12\}-dirty$" changed.md || fail "the report does not mention the changes"
grep -q '[0-9a-f]\{12\}-dirty' tacho-out/changed/latest/report.html || fail "report.html does not mention the changes"
"$tacho" compare tacho-out/clean/latest tacho-out/changed/latest >out 2>&1
says out dirty
says out program_sha256
git checkout -q HEAD -- prog
git checkout -q --detach
run 0 -n 1 --name detached -- ./prog
holds detached '.vcs.branch == null and .vcs.dirty == false'

# The hash is that of the program that --setup built. A shell line has no hash.
printf '#!/bin/sh\nexit 1\n' >built && chmod +x built
run 0 -n 1 --name built --setup 'cp prog built' -- ./built
holds built ".program_sha256 == \"$(sha256sum <prog | cut -d' ' -f1)\""
run 0 -n 1 --name shell --shell -c 'true | true'
holds shell '.program_sha256 == null'
# The hash of the environment does not depend on the commit.
[ "$(jq -r .environment_hash tacho-out/first/latest/run.json)" = \
    "$(jq -r .environment_hash tacho-out/changed/latest/run.json)" ] || fail "the commit changes the environment's hash"
for name in none empty clean changed detached; do
    file=tacho-out/$name/latest/run.json
    [ -f "$file" ] || file=../$file
    "$check_schema" "$schemas" <"$file" || fail "$file is not what its schema says"
done
