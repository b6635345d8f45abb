#!/bin/sh
# git_hooks.sh TACHO: a gate in a git hook changes neither the commit nor the index that git passes to the hook.
set -u
# shellcheck source=SCRIPTDIR/git_lib.sh
. "$(dirname "$0")/git_lib.sh"

# The gate of the hooks. Its build adds a file to the index that git finds, which must be that of the tree it builds.
cat >build.sh <<'END'
git rev-parse --show-toplevel >>"$1/trees"
case $PWD in
    */.against-*)
        echo built >built
        git add -f built && [ "$(git diff --cached --name-only)" = built ]
        ;;
esac
END
cat >hook.sh <<END
echo "ran \$0" >>'$scratch/hooks'
'$tacho' gate -q --against HEAD --build 'sh $scratch/build.sh $scratch' >'$scratch/hook.out' 2>&1 ||
    { cat '$scratch/hook.out' >&2; exit 1; }
END

# install HOOKS HOOK: makes the hook in the folder of hooks.
install()
{
    mkdir -p "$1"
    printf '#!/bin/sh\n. %s/hook.sh\n' "$scratch" >"$1/$2"
    chmod +x "$1/$2"
}

# ran HOOK REPOSITORY: the hook ran since the last call, its gate built in two trees, and nothing is left.
ran()
{
    grep -q "/$1\$" hooks || fail "the hook $1 was not run"
    [ "$(sort -u trees | wc -l)" -eq 2 ] || fail "$1: built in $(cat trees)"
    no_worktree "$2" "$1"
    rm hooks trees
}

# committed REPOSITORY: the last commit has the files of the project and no change is left, staged or not.
committed()
{
    have=$(git -C "$1" ls-tree -r --name-only HEAD | tr '\n' ' ')
    [ "$have" = ".gitignore file staged tacho.yaml " ] || fail "$1: the commit has the files '$have'"
    [ -z "$(git -C "$1" status --porcelain -uno)" ] || fail "$1: $(git -C "$1" status --porcelain -uno)"
    git -C "$1" fsck --no-progress --no-dangling >out 2>&1 || fail "$1: $(cat out)"
}

# commits REPOSITORY GIT-DIR: a staged file, `commit -a` and `commit FILE`, for which git uses three different indexes.
commits()
{
    install "$2/hooks" pre-commit
    echo staged >"$1/staged"
    git -C "$1" add staged
    git -C "$1" commit -qm staged || fail "$1: the commit failed"
    ran pre-commit "$1"
    committed "$1"
    echo changed >>"$1/file"
    git -C "$1" commit -qam changed || fail "$1: commit -a failed"
    ran pre-commit "$1"
    committed "$1"
    echo named >>"$1/file"
    git -C "$1" commit -qm named file || fail "$1: commit FILE failed"
    ran pre-commit "$1"
    committed "$1"
    [ "$(git -C "$1" show HEAD:file | tail -n 2 | tr '\n' ' ')" = "changed named " ] || fail "$1: a change was lost"
    rm "$2/hooks/pre-commit"
}

project repo
commits repo repo/.git

# A linked worktree: git passes the path of its repository, too.
git -C repo worktree add -q -b side ../linked HEAD~3
commits linked repo/.git
git -C repo worktree remove --force ../linked

# A submodule, whose repository is in that of its parent.
project inner
project outer
git -C outer submodule --quiet add "$scratch/inner" inner
git -C outer commit -qm submodule
commits outer/inner outer/.git/modules/inner

# Hooks of other commands.
git init -q --bare shared.git
git -C repo remote add origin "$scratch/shared.git"
install repo/.git/hooks pre-push
git -C repo push -q origin trunk || fail "the push failed"
ran pre-push repo
rm repo/.git/hooks/pre-push
install repo/.git/hooks post-checkout
git -C repo checkout -q -b topic || fail "the checkout failed"
ran post-checkout repo
rm repo/.git/hooks/post-checkout
committed repo

# A bare repository: its hook has GIT_DIR=. and gates a worktree of what was pushed.
cat >shared.git/hooks/post-receive <<END
#!/bin/sh
git worktree add -q '$scratch/deployed' topic
cd '$scratch/deployed' && . '$scratch/hook.sh'
END
chmod +x shared.git/hooks/post-receive
git -C repo push -q origin topic >out 2>&1 || fail "the push failed: $(cat out)"
ran post-receive deployed
committed deployed

# `tacho run` removes no variable from its command, but finds the repository by the folder.
# shellcheck disable=SC2016 # the command's own expansion
GIT_DIR=nowhere "$tacho" run -q -n 1 --name dir --cwd repo -- sh -c '[ "$GIT_DIR" = nowhere ]' >out 2>&1 ||
    fail "tacho run removed a variable: $(cat out)"
grep -q "$(git -C repo rev-parse HEAD)" tacho-out/dir/latest/run.json || fail "GIT_DIR hides the commit of the folder"

# Settings of the user stay, as of `git -c safe.directory=FOLDER`: git still sees these, and refuses them.
for settings in GIT_CONFIG_PARAMETERS=wrong GIT_CONFIG_COUNT=wrong; do
    (cd repo && ! env $settings "$tacho" gate -q --against HEAD) >out 2>&1 || fail "$settings was removed: $(cat out)"
    grep -q GIT_CONFIG out || fail "$settings: $(cat out)"
done
