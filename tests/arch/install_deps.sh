#!/bin/sh
# Tests scripts/install-deps on made-up machines: its calls of apt, with and without sudo, and its
# messages where apt is missing.
#
#   install_deps.sh PROJECT
#
# shellcheck disable=SC2016 # the made-up tools expand these, not this script
set -eu
. "$1/tests/support/lib.sh"
script=$1/scripts/install-deps
bin=$scratch/bin

# machine USER-ID TOOL...: makes a machine with these tools and those that every system has.
machine()
{
    rm -rf "$bin"
    mkdir "$bin"
    : >"$scratch/log"
    for tool in sh awk sed grep tr env; do
        ln -s "$(command -v "$tool")" "$bin/$tool"
    done
    tool id "echo $1"
    shift
    for name; do
        # Each tool logs its call and runs the commands in $scratch/NAME.
        tool "$name" "printf '%s\\n' \"$name \$*\" >>'$scratch/log'; [ ! -f '$scratch/$name' ] || . '$scratch/$name'"
    done
}

tool()
{
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# run STATUS ARGS...: checks that install-deps exits with STATUS on that machine.
run()
{
    wanted=$1
    shift
    status=0
    PATH=$bin "$script" "$@" >"$scratch/out" 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || { cat "$scratch/out"; fail "$* exited with $status, not $wanted"; }
}

logged()
{
    grep -qF -- "$1" "$scratch/log" || { cat "$scratch/log"; fail "was not called: $1"; }
}

never()
{
    ! grep -F -- "$1" "$scratch/log" || fail "should not be called: $1"
}

said()
{
    grep -qF -- "$1" "$scratch/out" || { cat "$scratch/out"; fail "not printed: $1"; }
}

# Everything is installed: install-deps queries dpkg once and does nothing else.
machine 1000 apt-get dpkg-query
echo 'shift 3; for p; do echo "ii $p"; done' >"$scratch/dpkg-query"
run 0 test
[ "$(grep -c . "$scratch/log")" -eq 1 ] || { cat "$scratch/log"; fail "more than one call"; }
never apt-get

# Two packages are missing, one of them removed but configured: root installs them without fetching the
# lists.
echo 'shift 3; for p; do case $p in cmake) ;; make) echo "rc $p" ;; *) echo "ii $p" ;; esac; done; exit 1' \
    >"$scratch/dpkg-query"
machine 0 apt-get dpkg-query
run 0 build
logged 'apt-get -q install -y --no-install-recommends cmake make'
never 'apt-get -q update'

# Another user needs sudo. Without sudo, install-deps says what to do.
machine 1000 apt-get dpkg-query sudo
run 0 build
logged 'sudo env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends cmake make'
machine 1000 apt-get dpkg-query
run 1 build
said 'as root, apt-get install cmake make'
never apt-get

# A machine that never fetched the lists fetches them first; one that cannot install fails.
machine 0 apt-get dpkg-query
echo "case \$2 in update) : >'$scratch/lists' ;; *) [ -f '$scratch/lists' ] ;; esac" >"$scratch/apt-get"
run 0 build
logged 'apt-get -q update'
echo 'exit 100' >"$scratch/apt-get"
run 100 build

# A package has another name on some systems, and some do not have it. apt knows neither before it has
# fetched the lists.
machine 0 apt-get dpkg-query
rm -f "$scratch/lists"
cat >"$scratch/apt-get" <<END
case \$* in *update*) : >'$scratch/lists' ;; esac
[ -f '$scratch/lists' ] || exit 100
case \$* in *linux-perf* | *clang-format-14*) exit 100 ;; esac
END
echo 'shift 3; for p; do case $p in linux-* | clang-format-14) ;; *) echo "ii $p" ;; esac; done; exit 1' \
    >"$scratch/dpkg-query"
run 0 bench
logged 'apt-get -q install -y --no-install-recommends linux-tools-generic'
never 'apt-get -q install -y --no-install-recommends linux-perf'
# For a package that the system does not have, it neither needs sudo nor fetches the lists each time.
machine 1000 apt-get dpkg-query
run 0 test
never update
# One of its names is installed: nothing is missing.
machine 1000 apt-get dpkg-query
echo 'shift 3; for p; do case $p in linux-perf) ;; *) echo "ii $p" ;; esac; done; exit 1' >"$scratch/dpkg-query"
run 0 bench
never install

# On other systems it prints the names of missing packages, installs nothing and exits with 1; with 0
# when nothing is missing.
machine 0 dnf rpm
echo '[ "$3" != ninja-build ]' >"$scratch/rpm"
run 1 build
said 'sudo dnf install ninja-build'
never dnf
machine 0 pacman
echo 'echo ninja; exit 127' >"$scratch/pacman"
run 1 build
said 'sudo pacman -S --needed ninja'
machine 1000 brew
echo '[ "$3" != ninja ]' >"$scratch/brew"
run 1 build
said 'brew install ninja'
echo 'true' >"$scratch/brew"
run 0 build
machine 0
run 1 test
said 'Fedora:         gcc glibc-devel cmake'

# The group "package" needs the packages of a build and of the packager, but no browser.
run 1 package
said 'dpkg-dev file'
said 'Debian, Ubuntu: gcc libc6-dev'
! grep -q 'chromium\|libcmocka-dev' "$scratch/out" || { cat "$scratch/out"; fail "too much for a package"; }

run 64 everything
said "'everything' is not one of"
