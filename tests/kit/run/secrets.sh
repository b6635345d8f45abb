#!/bin/sh
# Secrets on command lines and in variables reach the command, but no file, page or message.
#   secrets.sh TACHO
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

secret=vErYsEcReT
cat >prog <<'END'
#!/bin/sh
echo "$A_TOKEN $*" >>"$SEEN"
END
chmod +x prog
export SEEN="$scratch/seen"

# hidden WHAT: no file or file name here contains the secret, and the command got it.
hidden()
{
    grep -qF "$secret" "$SEEN" || fail "$1: the command was not given the secret"
    : >"$SEEN"
    ! grep -rlF "$secret" out err tacho-out* || fail "$1: the secret is in these files"
    ! find . -name "*$secret*" | grep . || fail "$1: the secret is in these names"
}

# Arguments, variables and hooks, in every form.
export TACHO_API_TOKEN="$secret"
run 0 -n 6 --env "A_TOKEN=$secret" --env THREADS=4 --setup "true --password '$secret'" \
    --prepare "A_TOKEN=$secret true" -- ./prog --api-key "$secret" "--auth=$secret two" \
    "PASSWORD=$secret" -H "Authorization: Bearer $secret" --max-tokens 128
hidden run
hash=$(printf %s "$secret" | sha256sum | cut -c1-8)
holds prog ".command.argv[2] == \"masked:$hash\" and .command.argv[-1] == \"128\""
holds prog ".command.env == {\"A_TOKEN\": \"masked:$hash\", \"THREADS\": \"4\"}"
holds prog ".environment.variables.TACHO_API_TOKEN == \"masked:$hash\""
holds prog ".plan.setup == \"true --password masked:$hash\""
first=$(jq -r .environment_hash tacho-out/prog/latest/run.json)
for format in text md csv json junit prometheus html; do
    "$tacho" report --format "$format" tacho-out/prog/latest >out 2>err || :
    ! grep -qF "$secret" out err || fail "report --format $format shows the secret"
done

# Another secret gives another fingerprint.
TACHO_API_TOKEN=another run 0 -n 6 -- ./prog
second=$(jq -r .environment_hash tacho-out/prog/latest/run.json)
[ "$first" != "$second" ] || fail "a change of the secret does not change the fingerprint"
"$tacho" fingerprint env >out
! grep -qF "$secret" out || fail "fingerprint env shows the secret"
says out "masked:$hash"
"$tacho" fingerprint env --keep-env OTHER --keep-env TACHO_API_TOKEN >out
says out "$secret"

# Command lines, several commands, names made from them.
run 0 -n 6 -c "./prog --token $secret" -c "./prog --token='$secret' 2"
hidden "run -c"
"$tacho" compare tacho-out/prog*/latest >out 2>err || :
! grep -qF "$secret" out err || fail "compare shows the secret"
run 0 -n 6 --shell -c "A_TOKEN=$secret ./prog; ./prog --password $secret"
hidden "run --shell"
run 0 -n 6 -- sh -c "A_TOKEN=$secret ./prog"
hidden "run sh -c"

# Failures.
run 1 -n 6 --shell -c "A_TOKEN=$secret ./prog; exit 3"
hidden "a failing command"
run 1 -n 6 --prepare "A_TOKEN=$secret ./prog; exit 3" -- true
hidden "a failing hook"
status=0
"$tacho" run -c "./prog --token $secret | cat" >out 2>err || status=$?
[ "$status" -eq 64 ] || fail "a line that needs a shell exited with $status"
! grep -qF "$secret" err || fail "a line that needs a shell is shown with the secret"

# --keep-env.
run 0 -n 6 --keep-env TACHO_API_TOKEN --keep-env api-key -- ./prog --api-key "$secret" --token x
holds prog ".environment.variables.TACHO_API_TOKEN == \"$secret\""
holds prog ".command.line == \"./prog --api-key $secret --token masked:2d711642\""
run 64 --keep-env A=B -- true
rm -r tacho-out
: >"$SEEN"

# A sweep.
"$tacho" sweep --grid n=1,2 --repeat 2 --name s --env "A_TOKEN=$secret" --setup "true --token $secret" \
    --baseline "./prog --token $secret" -- ./prog "{n}" --token "$secret" >out 2>err ||
    fail "sweep: $(cat out err)"
hidden sweep
jq -e ".plan.env == [\"A_TOKEN=masked:$hash\"]" tacho-out/s/sweep.json >/dev/null ||
    fail "sweep.json does not have the variable"
cat >tacho.yaml <<END
sweep:
  name: kept
  command: [./prog, '{n}', --token, $secret]
  grid: {n: [1, 2]}
  repeat: 2
  keep-env: [token]
END
"$tacho" sweep >out 2>err || fail "sweep of a file: $(cat out err)"
says tacho-out/kept/sweep.json "$secret"
rm -r tacho-out
: >"$SEEN"

# The gate: lists, lines, the build, baselines.
cat >tacho.yaml <<END
build: A_TOKEN=$secret ./prog
defaults: {runs: 6, max_runs: 6, budgets: {wall: {tolerance: 1000000000000%}}}
benches:
- {name: words, command: [./prog, --token, '$secret two']}
- {name: line, command: ./prog --token $secret, env: {A_TOKEN: $secret}}
- {name: shell, shell: true, command: 'A_TOKEN=$secret ./prog'}
- {name: kept, command: ./prog --token kept, keep_env: [token]}
END
for arguments in --dry-run --save-baseline "--html tacho-out/g.html --md tacho-out/g.md --junit tacho-out/g.xml"; do
    # shellcheck disable=SC2086
    "$tacho" gate $arguments >out 2>err
    status=$?
    case $arguments in --save-baseline) want=4 ;; *) want=0 ;; esac # the first baselines: there is nothing to compare with
    [ "$status" -eq "$want" ] || fail "gate $arguments exits with $status: $(cat out err)"
    ! grep -qF "$secret" out err || fail "gate $arguments shows the secret"
done
hidden gate
! grep -rlF "$secret" .tacho || fail "the secret is in a baseline"
# A baseline that an earlier version wrote still belongs to this command.
for file in .tacho/baselines/line/*.json; do
    jq --arg masked "masked:$hash" --arg secret "$secret" \
        'walk(if type == "object" and has("command") then .command |= gsub($masked; $secret) else . end)' \
        "$file" >old.json && mv old.json "$file"
done
grep -rqF "$secret" .tacho || fail "the baseline does not have the command"
"$tacho" gate --bench line >out 2>err || fail "gate with an old baseline: $(cat out err)"
hidden "gate with an old baseline"
holds kept '.command.line == "./prog --token kept"'
"$tacho" gate --build "A_TOKEN=$secret ./prog; exit 3" >out 2>err && fail "a failed build passes"
hidden "a failed build"
