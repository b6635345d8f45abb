#!/bin/sh
# git_worktrees.sh TACHO: gates that run at the same time have separate worktrees, and the next gate removes the
# worktree of one that was killed.
set -u
# shellcheck source=SCRIPTDIR/git_lib.sh
. "$(dirname "$0")/git_lib.sh"

project repo
cd repo || exit 1

# gate BUILD [NUMBER]: builds only in the other tree. The output is in outNUMBER.
gate()
{
    "$tacho" gate -q --against HEAD --build "[ \"\$PWD\" = '$scratch/repo' ] || $1" >"$scratch/out${2-}" 2>&1
}

# Two gates of one commit: each waits in its build for the other, so that both trees exist at once.
cat >"$scratch/meet" <<END
pwd >>'$scratch/trees'
tries=0
until [ "\$(wc -l <'$scratch/trees')" -ge 2 ]; do
    tries=\$((tries + 1))
    [ \$tries -lt 600 ] || exit 1
    sleep 0.05
done
END
for i in 1 2; do
    (
        gate "sh $scratch/meet" $i
        echo $? >"$scratch/status$i"
    ) &
done
wait
for i in 1 2; do
    [ "$(cat "$scratch/status$i")" = 0 ] || fail "gate $i of two: $(cat "$scratch/out$i")"
done
[ "$(sort -u "$scratch/trees" | wc -l)" -eq 2 ] || fail "two gates shared a tree: $(cat "$scratch/trees")"
no_worktree . "two gates"

# gate_killed SIGNAL: kills a gate while it builds the other commit.
gate_killed()
{
    rm -f "$scratch/pids"
    "$tacho" gate -q --against HEAD --build "
        [ \"\$PWD\" = '$scratch/repo' ] || { echo \$\$ >>$scratch/pids; exec sleep 97; }" >"$scratch/out" 2>&1 &
    pid=$!
    await "$scratch/pids" 1
    kill "-$1" $pid
    wait $pid
    status=$?
}

for signal in HUP QUIT TERM; do
    gate_killed $signal
    [ $status -eq 1 ] || [ $status -gt 128 ] || fail "SIG$signal: exited with $status"
    no_worktree . "SIG$signal"
done

# SIGKILL leaves a worktree. The next gate removes it, whatever it compares with.
gate_killed KILL
[ -n "$(find . -name '.against-*')" ] || fail "this test no longer kills a gate that has a worktree"
git commit -q --allow-empty -m second
gate true || fail "after SIGKILL: $(cat "$scratch/out")"
no_worktree . "the gate after SIGKILL"

# A worktree in each state in which a kill can leave it.
tree=tacho-out/.against-$(git rev-parse HEAD | cut -c1-12)
for state in none empty no_git locked missing; do
    touch "$tree.lock"
    case $state in
        none) ;;
        empty) mkdir "$tree" ;;
        no_git) git worktree add -q --detach "$tree" HEAD && rm "$tree/.git" ;;
        locked) git worktree add -q --lock --detach "$tree" HEAD ;;
        missing) git worktree add -q --detach "$tree" HEAD && rm -r "$tree" ;;
    esac
    gate true || fail "after $state: $(cat "$scratch/out")"
    no_worktree . "$state"
done

# A gate that still runs keeps its worktree.
"$tacho" gate -q --against HEAD --build "
    [ \"\$PWD\" = '$scratch/repo' ] || { touch alive; echo \$\$ >>$scratch/long; exec cat $scratch/fifo; }" \
    >"$scratch/out3" 2>&1 &
mkfifo "$scratch/fifo"
await "$scratch/long" 1
gate true || fail "beside another gate: $(cat "$scratch/out")"
[ -e "$tree/alive" ] || fail "a gate removed the worktree of another one that runs"
: >"$scratch/fifo"
wait $! || fail "the gate that continued: $(cat "$scratch/out3")"
no_worktree . "the gate that continued"

# A link in the place of a lock is not followed. Worktrees and folders of others stay.
echo keep >"$scratch/keep"
ln -s "$scratch/keep" "$tree.lock"
git worktree add -q --detach ../mine HEAD
mkdir tacho-out/.against-mine tacho-out/.against-mine.lock
gate true || fail "with a link: $(cat "$scratch/out")"
[ "$(cat "$scratch/keep")" = keep ] || fail "a link was followed"
[ -d tacho-out/.against-mine ] || fail "a folder without a lock was removed"
[ "$(git worktree list | wc -l)" -eq 2 ] || fail "$(git worktree list)"
