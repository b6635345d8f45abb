#!/bin/sh
# disks.sh TACHO [SCENARIO...]: runs tacho on a disk that becomes full after a few kilobytes. See fault_lib.sh.
set -u
# shellcheck source=SCRIPTDIR/fault_lib.sh
. "$(dirname "$0")/fault_lib.sh"
shift
if [ -z "${DISKS_MOUNTED-}" ]; then
    with_mounts true 2>/dev/null || skip "no mount namespace can be made here"
    DISKS_MOUNTED=1 with_mounts "$0" "$tacho" "$@"
    exit $?
fi

# inject_full SCENARIO KIB: runs the command where so many KiB are free.
inject_full()
{
    mount -t tmpfs -o size=4m none work || fail "cannot mount"
    cp -r "before.$1/." work
    # A file of zeros takes all the space except the last KiB.
    free=$(df -k --output=avail work | tail -n 1)
    head -c $(((free - $2) * 1024)) /dev/zero >work/fill
    cd work || exit 1
    "${1}_do" timeout -k 5 $seconds >../out 2>../err
    status=$?
    cd ..
    rm -f work/fill
}

scenario()
{
    prepare "$1" || return
    rm -rf work
    mkdir work
    for kib in 0 4 8 16 24 32 48 64 96 128 192 256; do
        label="$1, $kib KiB are free"
        : >log
        inject_full "$1" $kib
        judge "$1"
        umount work || fail "cannot unmount"
    done
}

all_scenarios "$@"
