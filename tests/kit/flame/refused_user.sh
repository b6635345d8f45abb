# shellcheck shell=sh
# Captures as an ordinary user to whom the kernel refuses perf events; sourced with PROJECT TACHO
# WORKLOAD-FOLDER.
. "$1/tests/kit/flame/capture.sh"
refuse=$3/refuse
"$refuse" EPERM true || skip "no seccomp filters here"

# Copies that everybody may read: the build folder may be closed to others.
chmod 755 "$scratch"
for file in "$tacho" "$3"/workload "$3"/workload_static "$3"/hostile_signals "$3"/libworkload.so "$refuse"; do
    cp "$file" "$scratch/"
done
mkdir preload
cp "$(dirname "$tacho")/../preload/tacho-sampler.so" preload/
export TACHO_PRELOAD_DIR="$scratch/preload"
mkdir -m 777 open
user=
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    user='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all'
fi

# flame LABEL OPTION... -- COMMAND...: folded stacks in open/flamegraph-LABEL.folded. $refused is
# what the kernel refuses.
refused=EPERM
flame()
{
    label=$1
    shift
    # shellcheck disable=SC2086  # several words
    $user "$scratch/refuse" $refused "$scratch/tacho" flame --folded --force --label "$label" --out-dir open "$@" >out.txt 2>err.txt ||
        { cat out.txt err.txt; fail "$label cannot be captured"; }
}

# rooted_well LABEL: at least 95 % of the stacks reach main or the start of a thread
rooted_well()
{
    awk -v got="$(rooted "open/flamegraph-$1.folded")" 'BEGIN { exit !(got >= 95) }' ||
        { cat "open/flamegraph-$1.folded"; fail "$1: only $(rooted "open/flamegraph-$1.folded") % of the stacks reach the root"; }
}

# says TEXT: the messages contain it
says()
{
    grep -qF -- "$1" err.txt || { cat err.txt; fail "it does not say '$1'"; }
}

# expect LABEL FRAME PERCENT [POINTS]
expect()
{
    near "$1, $2" "$(share "open/flamegraph-$1.folded" "$2")" "$3" "${4:-$points}"
}
