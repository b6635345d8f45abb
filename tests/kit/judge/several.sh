#!/bin/sh
# tacho gate and tacho baseline with several benches: each exits, judges every bench, and stops when it
# is interrupted.
#   several.sh TACHO COUNT...
tacho=$1
shift
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need git
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

# settings COUNT COMMAND: writes a tacho.yaml with COUNT benches.
settings()
{
    echo "build: 'true'"
    echo "defaults: {runs: 6, max_runs: 6}"
    echo "benches:"
    for i in $(seq "$1"); do
        echo "- {name: bench$i, command: \"$2\", budgets: {wall: {tolerance: 1000000000000%}}}"
    done
}

git init -q repo && cd repo || exit 1
for count; do
    settings "$count" true >tacho.yaml
    printf 'tacho-out\n' >.gitignore
    git add . && git commit -qm "$count benches"
    rm -rf .tacho tacho-out

    ends_with 4 in_time "$tacho" gate
    ends_with 0 in_time "$tacho" baseline save
    [ "$(find .tacho/baselines -name '*.json' | wc -l)" -eq "$count" ] ||
        fail "not every one of $count benches was saved: $(ls .tacho/baselines)"
    ends_with 0 in_time "$tacho" gate --json-file gate.json
    [ "$(jq '[.rows[].bench] | unique | length' gate.json)" -eq "$count" ] ||
        fail "not every one of $count benches was judged: $(cat gate.json)"
    ends_with 0 in_time "$tacho" gate --against HEAD --json-file gate.json
    [ "$(jq '[.rows[].bench] | unique | length' gate.json)" -eq "$count" ] ||
        fail "--against: not every one of $count benches was judged: $(cat gate.json)"
    for i in 1 "$count"; do
        [ "$(jq '.samples | length' "tacho-out/bench$i/latest/run.json")" = 6 ] || fail "bench$i was not run 6 times"
    done
done

# interrupt SIGNAL COMMAND...: checks that the command and the program that it runs exit within seconds
# of the signal, which is sent once the program has written its pid to ./stage.
interrupt()
{
    sig=$1
    shift
    rm -f stage
    in_time setsid "$@" >out 2>&1 &
    waiting=$!
    eventually [ -s stage ] || {
        kill "$waiting"
        fail "'$*' never reached its stage: $(cat out)"
        return
    }
    pid=$(cat stage)
    # The session's leader is tacho: setsid(1) has become it.
    leader=$(ps -o sid= -p "$pid" | tr -d ' ')
    kill "-$sig" "$leader" 2>/dev/null || fail "there is no tacho to signal"
    wait "$waiting"
    got=$?
    case $got in
    124 | 137) fail "'$*' hung after SIG$sig" ;;
    "$([ "$sig" = INT ] && echo 130 || echo 143)") ;;
    *) fail "'$*' exited with $got after SIG$sig" ;;
    esac
    eventually dead "$pid" || fail "'$*': the program that it ran is still running"
}

# Stages: in the first bench, in a later bench, in the build of the other commit.
cat >stall.sh <<END
#!/bin/sh
echo \$\$ >$PWD/stage.new && mv $PWD/stage.new $PWD/stage && exec sleep 60
END
chmod +x stall.sh
for where in 1 3; do
    settings 3 true | sed "s|bench$where, command: \"true\"|bench$where, command: \"$PWD/stall.sh\"|" >tacho.yaml
    for sig in INT TERM; do
        interrupt "$sig" "$tacho" gate
        interrupt "$sig" "$tacho" baseline save
        interrupt "$sig" "$tacho" gate --against HEAD
    done
done
settings 2 true | sed "s|^build: .*|build: $PWD/stall.sh|" >tacho.yaml
for sig in INT TERM; do
    interrupt "$sig" "$tacho" gate --against HEAD
done
[ "$(git worktree list | wc -l)" -eq 1 ] || fail "a worktree is left: $(git worktree list)"
finish
