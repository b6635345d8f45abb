# shellcheck shell=sh
# Shared by the tests with git repositories: $tacho, a user, and a project with a gate.

# shellcheck disable=SC2034 # for the tests
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
need git
cd "$scratch" || exit 1
unset TACHO_RUN_DIR TACHO_TRACE_OUT TACHO_PROFILE_JSONL GITHUB_ACTIONS GITHUB_STEP_SUMMARY
# shellcheck disable=SC2046 # one word per variable
unset $(git rev-parse --local-env-vars)
export HOME="$scratch" GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES="$scratch"
git config --global user.name x
git config --global user.email x@localhost
git config --global init.defaultBranch trunk
git config --global protocol.file.allow always # for submodules

# project FOLDER: makes a repository with a gate whose budget is always met.
project()
{
    git init -q "$1"
    cat >"$1/tacho.yaml" <<'YAML'
build: 'true'
defaults: {runs: 6, max_runs: 6}
benches:
- {name: b, command: "true", budgets: {wall: {tolerance: 1000000000000%}}}
YAML
    echo tacho-out >"$1/.gitignore"
    echo one >"$1/file"
    git -C "$1" add .
    git -C "$1" commit -qm first
}

# no_worktree REPOSITORY WHAT: no worktree of a gate is registered, and none is on the disk.
no_worktree()
{
    ! git -C "$1" worktree list | grep -F .against- || fail "$2: a worktree is registered"
    [ -z "$(find "$1" -name '.against-*')" ] || fail "$2: left: $(find "$1" -name '.against-*')"
}
