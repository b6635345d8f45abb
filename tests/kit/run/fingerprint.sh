#!/bin/sh
# The fingerprint of a run changes with everything that defines the run, and with nothing else.
#   fingerprint.sh TACHO
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

printf '#!/bin/sh\ntrue\n' >prog
printf '#!/bin/sh\n:\n' >other
chmod +x prog other
echo '{"a": 1}' >config.json
echo x >input
echo y >another

# of OPTIONS...: prints the fingerprint of a run.
of()
{
    run 0 -n 1 --name it "$@"
    jq -er .fingerprint tacho-out/it/latest/run.json || fail "run.json has no fingerprint"
}

# Everything that defines the run changes it.
{
    of -- ./prog
    of -- ./prog 1
    of -- ./prog 1 ''
    of -- ./other
    of --env A=1 -- ./prog
    of --env A=2 -- ./prog
    of --label k=1 -- ./prog
    of --config config.json -- ./prog
    of --input input -- ./prog
    of --input another -- ./prog
    of --cpu 0 -- ./prog
    of --prepare true -- ./prog
    of --setup "printf '#!/bin/sh\n# again\n' >prog" -- ./prog
    of --setup true -- ./prog
} >all
printf '#!/bin/sh\ntrue\n' >prog
of --shell -c ./prog >>all
[ "$(sort -u all | wc -l)" -eq 15 ] || fail "runs that differ share a fingerprint: $(sort all | uniq -d)"

# Nothing else does: neither the number of runs and their limits, nor the order of options, nor the name.
first=$(of --env A=1 --env B=2 --label k=1 --label l=2 --env C=3 -- ./prog)
[ "$(of -n 2 --warmup 1 --timeout 9s --env C=3 --env B=0 --env B=2 --env A=1 --label l=2 --label k=1 --work-per-run 3x -- ./prog)" = "$first" ] ||
    fail "the same run has another fingerprint"

# With several commands, a seed given by the user changes it; a seed that was drawn does not.
pair()
{
    run 0 -n 1 "$@" -c ./prog -c ./other
    jq -r .fingerprint tacho-out/prog/latest/run.json
}
drawn=$(pair)
[ "$(pair)" = "$drawn" ] || fail "the seed that was drawn is part of the fingerprint"
[ "$(for seed in '' 5 6; do pair ${seed:+--seed $seed}; done | sort -u | wc -l)" -eq 3 ] ||
    fail "the seed is not part of the fingerprint"

# The command shows the document, and whether it still matches run.json.
"$tacho" fingerprint run tacho-out/it/latest >out || fail "fingerprint run exited with $?"
says out 'argv            ["./prog"]'
says out "program_sha256  $(sha256sum <prog | cut -d' ' -f1)"
says out 'variables       {"A":"1","B":"2","C":"3"}'
says out 'parameters      {"k":"1","l":"2"}'
says out "fingerprint     $first"
"$tacho" fingerprint run --json tacho-out/it/latest >out
[ "$(jq -j .sha256 out)" = "$(jq -cj .document out | sha256sum | cut -d' ' -f1)" ] ||
    fail "the hash is not that of the document"
mkdir elsewhere changed
cp prog input elsewhere
[ "$(of --input input -- ./prog)" = "$(cd elsewhere && "$tacho" run -q -n 1 --input input -- ./prog >/dev/null &&
    jq -r .fingerprint tacho-out/prog/latest/run.json)" ] || fail "the folder is part of the fingerprint"
of --env A=1 --env B=2 --env C=3 --label k=1 --label l=2 -- ./prog >/dev/null
jq '.command.argv[0] = "./other"' tacho-out/it/latest/run.json >changed/run.json
status=0
"$tacho" fingerprint run changed >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "a changed run.json is not found"
says err "run.json was changed after the run, which recorded the fingerprint $first"
jq . tacho-out/it/latest/run.json >changed/run.json
"$tacho" fingerprint run changed >out 2>err || fail "blanks in run.json change the fingerprint: $(cat err)"
jq 'del(.fingerprint)' tacho-out/it/latest/run.json >changed/run.json
"$tacho" fingerprint run changed >out 2>err || fail "a run of an earlier version has no fingerprint: $(cat err)"
says err 'the run recorded no fingerprint'

# A cell of a sweep has a fingerprint, too, from its own parameters and the seed.
sweep()
{
    "$tacho" sweep -q -o "$1" --name s --grid n=1,2 --repeat 1 --seed "$2" -- ./prog '{n}' >out 2>err ||
        fail "tacho sweep: $(cat err)"
    jq -r '.cells[].fingerprint' "$1"/s/sweep.json
    jq -r .fingerprint "$1"/s/cells/*/latest/run.json >>cells
}
sweep one 1 >fingerprints
sweep two 2 >>fingerprints
[ "$(sort -u fingerprints | wc -l)" -eq 4 ] || fail "cells share a fingerprint: $(cat fingerprints)"
sort cells >a
sort fingerprints >b
expect_same "the fingerprints of sweep.json" a b
"$tacho" fingerprint run one/s/cells/*1*/latest >out || fail "a cell has no fingerprint"
says out 'parameters      {"n":"1"}'
says out 'seed            1'

# The environment's hash is that of 'tacho fingerprint env', secrets masked or not.
export TACHO_API_TOKEN=1 FERRUM_N=2
for keep in '' '--keep-env=TACHO_API_TOKEN'; do
    # shellcheck disable=SC2086 # one word or none
    run 0 -n 1 $keep --name it --env TACHO_X=1 -- ./prog
    # shellcheck disable=SC2086
    [ "$("$tacho" fingerprint env $keep --json | jq -r .env_hash)" = "$(jq -r .environment_hash tacho-out/it/latest/run.json)" ] ||
        fail "fingerprint env $keep is not the environment_hash of a run"
done
