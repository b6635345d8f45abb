#!/bin/sh
# faults.sh TACHO [SCENARIO...]: makes system calls of tacho fail one after the other, by strace. See
# fault_lib.sh.
set -u
# shellcheck source=SCRIPTDIR/fault_lib.sh
. "$(dirname "$0")/fault_lib.sh"
shift
need strace
strace -qq -o /dev/null true 2>/dev/null || skip "strace may not trace here"

calls="write pwrite64 read pread64 openat rename renameat renameat2 fsync fdatasync mmap mkdir mkdirat \
ftruncate clone clone3 flock symlink symlinkat"
most=12 # limit of faults per scenario, system call and error, spread over the calls

# try SCENARIO CALL ERROR N: makes the N-th call fail, and if N ends with "+", all later ones, too.
try()
{
    label="$1, $2 number $4 fails with $3"
    inject "$1" strace -f -qq -o ../log -e "trace=$2" -e "inject=$2:error=$3:when=$4"
    ! grep -q INJECTED log || judge "$1"
}

# numbers CALL PATTERN: prints the numbers of at most $most matching calls from the log of a run without
# faults. Each process counts its own calls. Calls of the dynamic loader are left out.
numbers()
{
    awk -v call="$1" -v pattern="$2" '
        index($2, "openat(") == 1 && !/\.so/ { started = 1 }
        index($2, call "(") != 1 { next }
        { n[$1]++ }
        !started { loader = n[$1] }
        n[$1] > loader && $0 ~ pattern { print n[$1] }' calls |
        sort -nu | awk -v most="$most" '
        { list[NR] = $1 }
        END {
            for (i = 0; i < NR && i < most; i++)
                print list[NR <= most ? i + 1 : 1 + int(i * (NR - 1) / (most - 1))]
        }'
}

# each SCENARIO CALL ERROR [PATTERN]: makes each such call fail, alone and with all later ones, as on a
# full disk.
each()
{
    for number in $(numbers "$2" "${4-.}"); do
        try "$1" "$2" "$3" "$number"
        try "$1" "$2" "$3" "$number+"
    done
}

scenario()
{
    prepare "$1" strace -f -y -qq -o ../calls -e "trace=?$(echo "$calls" | sed 's/ /,?/g')" || return
    for call in $calls; do
        case $call in
        openat) each "$1" "$call" ENOSPC 'O_WRONLY|O_RDWR|O_CREAT' ;;
        write | pwrite64)
            each "$1" "$call" ENOSPC
            each "$1" "$call" EIO
            ;;
        mkdir* | symlink* | ftruncate) each "$1" "$call" ENOSPC ;;
        *read*) each "$1" "$call" EIO "<$scratch" ;; # of files, not of /proc
        mmap) each "$1" "$call" ENOMEM ;;
        clone*) each "$1" "$call" EAGAIN ;;
        *) each "$1" "$call" EIO ;;
        esac
    done
}

all_scenarios "$@"
