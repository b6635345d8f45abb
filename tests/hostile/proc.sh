#!/bin/sh
# proc.sh TACHO: where /proc does not describe the machine, no baseline is saved or used.
set -u
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
cd "$scratch" || exit 1
with_mounts true 2>/dev/null || skip "no mount namespace can be made here"
cat >tacho.yaml <<'END'
benches: [{name: one, command: 'true', runs: 6, max_runs: 6}]
END

# blind COMMAND...: runs it with an empty /proc/meminfo.
blind()
{
    with_mounts sh -c 'mount --bind /dev/null /proc/meminfo && exec "$@"' blind "$@" >out 2>err
}

"$tacho" baseline save -q >out 2>err || fail "baseline save: $(cat out err)"
blind "$tacho" fingerprint env || skip "nothing can be mounted over /proc here: $(cat err)"
grep -q '^machine_class *unknown$' out || fail "the machine class: $(cat out)"
blind "$tacho" gate
[ $? -eq 4 ] || fail "the gate did not exit with 4: $(cat out err)"
grep -q '^NOT JUDGED' out || fail "the gate judged: $(cat out)"
cat out err | grep -q "the class of this machine is not known" || fail "no reason: $(cat out err)"
blind "$tacho" baseline save && fail "a baseline of an unknown machine was saved"
grep -q "the class of this machine is not known" err || fail "no reason: $(cat err)"
[ "$(find .tacho -name '*.json' | wc -l)" -eq 1 ] || fail "another baseline: $(find .tacho)"
