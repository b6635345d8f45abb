#!/bin/sh
# links.sh TACHO: links, FIFOs and devices under the names that tacho itself chooses, in folders of
# sweeps, baselines, flamegraphs and witness logs. None is followed, waited for or written to.
set -u
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
cd "$scratch" || exit 1
mkdir outside
echo precious >outside/victim

# ends STATUS COMMAND...: checks that the command exits with the status and in time, and that nothing
# outside changed.
ends()
{
    want=$1
    shift
    in_time "$@" </dev/null >out 2>err
    status=$?
    [ $status -eq "$want" ] || fail "'$*' ended with $status: $(cat out err)"
    [ "$(ls outside)" = victim ] || fail "'$*' wrote to a folder elsewhere: $(ls outside)"
    [ "$(cat outside/victim)" = precious ] || fail "'$*' overwrote a file elsewhere"
}

says()
{
    grep -qF -- "$1" err || fail "no word of '$1': $(cat err)"
}

is_file()
{
    if [ ! -s "$1" ] || [ -L "$1" ]; then
        fail "$1 is not a file of its own"
    fi
}

# The folders of a sweep.
for name in figs cells; do
    mkdir -p "tacho-out/$name"
    ln -s "$PWD/outside" "tacho-out/$name/$name"
    ends 1 "$tacho" sweep -q -g n=1,2 --repeat 2 --name $name -- true '{n}'
    says "$name/$name' is a symbolic link, not a folder; remove it"
done
mkfifo tacho.yaml
ends 1 "$tacho" sweep
says "'tacho.yaml' is not a regular file"
rm tacho.yaml

# A baseline, which comes with a checkout.
echo "benches: [{name: one, command: 'true', runs: 6, max_runs: 6}]" >tacho.yaml
class=$("$tacho" fingerprint env | sed -n 's/^machine_class *//p')
mkdir -p .tacho/baselines/one
ln -s "$PWD/outside/new" ".tacho/baselines/one/$class.json"
ends 1 "$tacho" baseline save -q
says "is a symbolic link"
ends 4 "$tacho" gate -q
ends 1 "$tacho" baseline promote one
ends 0 "$tacho" baseline remove one
rmdir .tacho/baselines/one
ln -s "$PWD/outside" .tacho/baselines/one
ends 1 "$tacho" baseline save -q
says "Not a directory"
rm .tacho/baselines/one
ends 0 "$tacho" baseline save -q

# Flamegraphs that a label names. Without --force they are not replaced.
echo 'main;work 5' >folded
ln -s "$PWD/outside/victim" flamegraph-x.svg
ends 1 "$tacho" flame draw --label x folded
says "is a symbolic link"
ends 0 "$tacho" flame draw --label x --force folded
is_file flamegraph-x.svg
rm flamegraph-x.svg
mkfifo flamegraph-x.svg
ends 1 "$tacho" flame draw --label x folded
says "is a FIFO"
rm flamegraph-x.svg flamegraph-x.old.svg
for name in svg folded pb.gz speedscope.json; do
    ln -s "$PWD/outside/victim" "flamegraph-x.$name"
done
ends 1 "$tacho" flame -q --label x -- true
says "is a symbolic link"
# shellcheck disable=SC2016 # the program's variables
if "$tacho" flame -q --label y -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' >out 2>err; then
    # shellcheck disable=SC2016
    ends 0 "$tacho" flame -q --label x --force --folded --pprof --speedscope -- \
        sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
    for name in svg folded pb.gz speedscope.json; do
        is_file "flamegraph-x.$name"
    done
else
    echo "tacho flame cannot sample here: $(cat err)"
fi

# A folder of witness logs.
mkdir logs
mkfifo logs/a.jsonl
ends 1 "$tacho" witness verify logs
says "is a FIFO"
ends 1 "$tacho" witness pack -o logs.rvf logs
rm logs/a.jsonl
ln -s /dev/zero logs/a.jsonl
ends 1 "$tacho" witness verify logs
says "is a symbolic link"
