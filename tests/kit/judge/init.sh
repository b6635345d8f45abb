#!/bin/sh
# tacho gate init: it writes valid YAML, its shell lines pass shellcheck, and the steps of GitHub's workflow work, with a
# repository of tacho, a gh and a runner that this test makes up.
#   init.sh TACHO PROJECT
tacho=$1
project=$2
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

# Files are written once; links are not written through, neither as files nor as folders.
mkdir links outside && cd links || exit 1
echo mine >../outside/victim
ln -s ../outside/victim tacho.yaml
ends_with 1 "$tacho" gate init --force
says "'tacho.yaml' is a symbolic link"
rm tacho.yaml && ln -s ../outside .github
ends_with 1 "$tacho" gate init
says "'.github' is a symbolic link"
rm .github && mkdir .github && ln -s ../../outside .github/workflows
ends_with 1 "$tacho" gate init --force
says "'.github/workflows' is a symbolic link"
[ "$(cat ../outside/victim)" = mine ] || fail "gate init wrote through a link"
[ "$(ls ../outside)" = victim ] || fail "gate init wrote into the folder of a link"
# Neither is the page of a gate written through a link, unless the user named it.
rm -r .github tacho.yaml
printf 'build: "true"\nbenches: [{name: a, command: "true", runs: 6, max_runs: 6}]\n' >tacho.yaml
mkdir tacho-out && ln -s ../../outside/victim tacho-out/gate.html && ln -s ../../outside/victim tacho-out/build-now.log
ends_with 4 "$tacho" gate -q
[ "$(cat ../outside/victim)" = mine ] || fail "the gate wrote through a link"
[ -s tacho-out/gate.html ] || fail "the page is missing"
cd .. || exit 1

python3 -c 'import yaml' 2>/dev/null || {
    echo "python3 has no yaml: the rest is left out"
    finish
    exit 0
}

# script FILE STEP: prints the shell lines of a step of GitHub's workflow, after `set -e` as the runner does; for "gitlab" those of the job.
script()
{
    python3 - "$1" "$2" <<'END'
import sys, yaml
doc = yaml.safe_load(open(sys.argv[1]))
if sys.argv[2] == "gitlab":
    job = doc["performance"]
    print("set -e\n" + "\n".join(job["before_script"] + job["script"]))
else:
    [step] = [s for s in doc["jobs"]["gate"]["steps"] if s.get("name") == sys.argv[2]]
    print("set -e\n" + step["run"])
END
}

# For each kind of project: valid YAML, valid settings, and shell lines without errors.
for file in Cargo.toml meson.build CMakeLists.txt go.mod configure Makefile none; do
    mkdir "kind-$file" && cd "kind-$file" || exit 1
    [ "$file" = none ] || touch "$file"
    ends_with 0 "$tacho" gate init
    ends_with 0 "$tacho" gate --dry-run
    python3 - <<'END' || fail "the files written for $file are not valid"
import re, yaml
flow = yaml.safe_load(open(".github/workflows/tacho.yml"))
assert flow["permissions"] == {"contents": "read", "pull-requests": "write"}, flow["permissions"]
steps = flow["jobs"]["gate"]["steps"]
assert steps[0]["uses"].startswith("actions/checkout@")
assert [s.get("name") for s in steps if s.get("name")] == ["install tacho", "tacho gate", "comment", "keep the report"]
for step in steps: # text that others choose, such as the name of a branch, is never part of a shell line
    assert "${{" not in step.get("run", ""), step
    assert set(step) <= {"name", "id", "if", "uses", "with", "env", "run"}, step
text = open(".github/workflows/tacho.yml").read() + open(".gitlab/tacho.yml").read() + open("tacho.yaml").read()
assert not re.search(r"@[A-Z]+@", text)
assert yaml.safe_load(open(".gitlab/tacho.yml"))["performance"]["artifacts"]["reports"] == {"junit": "gate.xml"}
assert yaml.safe_load(open("tacho.yaml"))["benches"]
END
    if command -v shellcheck >/dev/null; then
        for step in 'install tacho' 'tacho gate' comment; do
            script .github/workflows/tacho.yml "$step" | shellcheck -s bash - || fail "$file: step '$step'"
        done
        script .gitlab/tacho.yml gitlab | shellcheck -s sh - || fail "$file: GitLab's lines"
    fi
    cd .. || exit 1
done

# The scripts that the install step calls exist in this project.
[ -x "$project/scripts/install-deps" ] || fail "there is no scripts/install-deps"
jq -e '[.configurePresets[], .buildPresets[]] | map(select(.name == "release")) | length == 2' \
    "$project/CMakePresets.json" >/dev/null || fail "there is no preset 'release'"

# --- The steps, one after the other ---

if ! command -v cmake >/dev/null || ! command -v git >/dev/null; then
    finish
    exit 0
fi
# A repository that builds and installs a tacho: this one.
mkdir -p tool/scripts && cd tool || exit 1
cat >scripts/install-deps <<'END'
#!/bin/sh
[ "$1" = build ]
END
chmod +x scripts/install-deps
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(tacho NONE)
file(CREATE_LINK "$tacho" \${CMAKE_BINARY_DIR}/tacho SYMBOLIC)
install(FILES \${CMAKE_BINARY_DIR}/tacho TYPE BIN)
install(FILES tacho.pc DESTINATION lib/pkgconfig)
END
touch tacho.pc
cat >CMakePresets.json <<'END'
{"version": 6, "configurePresets": [{"name": "release", "binaryDir": "build/release"}],
 "buildPresets": [{"name": "release", "configurePreset": "release"}]}
END
git init -q . && git add . && git commit -qm tacho && git config uploadpack.allowAnySHA1InWant true
cd .. || exit 1

# A gh that keeps comments in a folder, a sudo that refuses, and the runner's variables.
mkdir bin comments runner
cat >bin/gh <<'END'
#!/bin/bash
# gh api [--paginate|--silent] [--method M] PATH [--jq FILTER] [-F body=@FILE]
set -euo pipefail
[ "$1" = api ] && [ "$GH_TOKEN" = secret ]
shift
method=GET
while [ $# -gt 0 ]; do
    case $1 in
    --paginate | --silent) shift ;;
    --method) method=$2; shift 2 ;;
    --jq) filter=$2; shift 2 ;;
    -F) body=${2#body=@}; shift 2 ;;
    *) path=$1; shift ;;
    esac
done
echo "$method $path" >>"$COMMENTS/../calls"
case $method:$path in
GET:repos/me/it/issues/7/comments)
    for f in "$COMMENTS"/*; do
        [ ! -f "$f" ] || jq -Rs --arg id "${f##*/}" '{id: ($id | tonumber), body: ., user: {login: (if $id == "5" then "someone" else "github-actions[bot]" end)}}' "$f"
    done | jq -s . | jq -r "$filter" ;;
POST:repos/me/it/issues/7/comments) cat "$body" >"$COMMENTS/1$(ls "$COMMENTS" | wc -l)" ;;
PATCH:repos/me/it/issues/comments/*) cat "$body" >"$COMMENTS/${path##*/}" ;;
*) exit 9 ;;
esac
END
printf '#!/bin/sh\nexit 1\n' >bin/sudo
chmod +x bin/gh bin/sudo
# Somebody else's comment with our mark is not changed.
printf '<!-- tacho gate -->\nnot ours\n' >comments/5

git init -q repo && cd repo || exit 1
git checkout -q -b main
touch Makefile && ends_with 0 "$tacho" gate init
printf 'v 5\n' >value
cat >tacho.yaml <<'END'
build: "true"
defaults: {runs: 10, max_runs: 10, metrics: {v: 'v ([0-9]+)'}, budgets: {v: {tolerance: 5%, direction: lower}}}
benches: [{name: value, command: cat value}]
END
printf 'tacho-out\ngate.*\nout\n' >.gitignore
git add . && git commit -qm one
# The runner checks out a merge of the pull request into its target, which moved on after the branch began.
git checkout -q -b branch && printf 'v 9\n' >value && git commit -qam "slower"
git checkout -q main && printf 'faster\n' >README && git add README && git commit -qm "the target moved on"
git checkout -q --detach && git merge -q --no-ff -m merge branch

# step NAME VARIABLES...: as the runner runs it. Its status is in $status.
step()
{
    name=$1
    shift
    script .github/workflows/tacho.yml "$name" >../step.sh
    env "$@" PATH="$(tr '\n' ':' <../runner/path)$dir/bin:$PATH" COMMENTS="$dir/comments" RUNNER_TEMP="$dir/runner" \
        GITHUB_PATH="$dir/runner/path" GITHUB_ENV="$dir/runner/env" GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$dir/runner/summary" \
        GITHUB_OUTPUT="$dir/runner/output" HOME="$dir/runner/home" bash -o pipefail ../step.sh >out 2>&1
    status=$?
}
: >../runner/path
commit=$(git -C ../tool rev-parse HEAD)
step "install tacho" TACHO_COMMIT="$commit"
[ $status -ne 0 ] || fail "the step continues without a repository of tacho"
says "TACHO_REPOSITORY: set this variable"
step "install tacho" TACHO_REPOSITORY="file://$dir/tool" TACHO_COMMIT=HEAD
[ $status -ne 0 ] || fail "a name in place of a commit is not pinned, but is accepted"
rm -rf ../runner/tacho
step "install tacho" TACHO_REPOSITORY="file://$dir/tool" TACHO_COMMIT="$commit"
[ $status -eq 0 ] || fail "the install step failed: $(cat out)"
[ -x ../runner/tacho-installed/bin/tacho ] || fail "tacho was not installed"
[ "$(cat ../runner/path)" = "$dir/runner/tacho-installed/bin" ] || fail "it is not on the path of later steps"
# Benches of later steps find libtacho, when they are built and when they run.
lib=$dir/runner/tacho-installed/lib
grep -qE "^PKG_CONFIG_PATH=$lib/pkgconfig(:|\$)" ../runner/env || fail "PKG_CONFIG_PATH: $(cat ../runner/env)"
grep -qE "^LD_LIBRARY_PATH=$lib(:|\$)" ../runner/env || fail "LD_LIBRARY_PATH: $(cat ../runner/env)"

step "tacho gate"
[ $status -eq 2 ] || fail "the gate exited with $status: $(cat out)"
jq -e ".a == \"HEAD^1 ($(git rev-parse --short=12 main))\"" gate.json >/dev/null || fail "not compared with the target"
for file in gate.md gate.xml gate.json gate.html; do
    [ -s $file ] || fail "there is no $file"
done
says "::error title=tacho FAIL::"
grep -q '^verdict=FAIL$' ../runner/output || fail "no output: $(cat ../runner/output)"
grep -q '^report=gate.html$' ../runner/output || fail "no output: $(cat ../runner/output)"
grep -q 'tacho: FAIL' ../runner/summary || fail "the summary has no verdict"

# One comment, which the next push updates.
step comment GH_TOKEN=secret REPOSITORY=me/it NUMBER=7
[ $status -eq 0 ] || fail "the comment step failed: $(cat out)"
[ "$(find ../comments -type f | wc -l)" -eq 2 ] || fail "there is no comment: $(ls ../comments)"
printf 'v 5\n' >value
step "tacho gate"
[ $status -eq 0 ] || fail "the gate of the fixed program exited with $status: $(cat out)"
step comment GH_TOKEN=secret REPOSITORY=me/it NUMBER=7
[ "$(find ../comments -type f | wc -l)" -eq 2 ] || fail "the second push made a second comment: $(cat ../calls)"
grep -q 'tacho: PASS' ../comments/1* || fail "the comment was not updated"
grep -q 'not ours' ../comments/5 || fail "somebody else's comment was changed"
finish
