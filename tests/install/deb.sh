#!/bin/sh
# Builds the Debian packages, installs them into a separate root with this machine's packages as
# dependencies, and uses them. The system itself is not changed.
#
#   deb.sh PROJECT CMAKE
set -eu
. "$1/tests/support/lib.sh"
project=$1
cmake=$2
need dpkg dpkg-deb dpkg-shlibdeps file pkg-config ninja gcc gzip
if [ "$(id -u)" -ne 0 ]; then
    need fakeroot
    as_root=fakeroot
else
    as_root="env"
fi

{
    (cd "$project" && "$cmake" --preset package -B "$scratch/build") &&
        "$cmake" --build "$scratch/build" &&
        (cd "$scratch/build" && "$(dirname "$cmake")/cpack" -G DEB)
} >"$scratch/log" 2>&1 || { tail -n 60 "$scratch/log"; fail "the packages cannot be built"; }
packages=$scratch/build/packages

# new_root ROOT: makes an empty system whose dpkg lists the packages of this machine as installed.
new_root()
{
    mkdir -p "$1/var/lib/dpkg/info" "$1/var/lib/dpkg/updates" "$1/var/lib/dpkg/triggers"
    # The tested packages may be installed on this machine, but they are not in the new root.
    awk -v RS= -v ORS='\n\n' '!/^Package: (libtacho0|libtachokit0|libtacho-dev|tacho|python3-tacho)\n/' /var/lib/dpkg/status \
        >"$1/var/lib/dpkg/status"
}

# install ROOT PACKAGE...: returns 0 when dpkg has installed and configured the packages.
install()
{
    root=$1
    shift
    "$as_root" dpkg --root="$root" --force-script-chrootless -i "$@" >"$scratch/dpkg.log" 2>&1
}

new_root "$scratch/lone"
! install "$scratch/lone" "$packages"/libtacho-dev_*.deb || fail "libtacho-dev installs without libtacho0"
grep -q 'libtacho-dev depends on libtacho0' "$scratch/dpkg.log" ||
    { cat "$scratch/dpkg.log"; fail "dpkg refused libtacho-dev, but not because libtacho0 is missing"; }

new_root "$scratch/root"
install "$scratch/root" "$packages"/*.deb || { cat "$scratch/dpkg.log"; fail "dpkg refused the packages"; }
cd "$scratch/root"

version=$(sed -n 's/^#define TACHO_VERSION  *"\(.*\)"/\1/p' "$project/include/tacho/version.h")
# The folder in which Debian's zsh looks for functions of packages.
[ -s usr/share/zsh/vendor-completions/_tacho ] || fail "zsh does not find its completion"
for package in libtacho0 libtachokit0 libtacho-dev tacho python3-tacho; do
    state=$(dpkg-query --admindir=var/lib/dpkg -W -f '${db:Status-Abbrev}${Version}' "$package")
    [ "$state" = "ii $version-1" ] || fail "$package is '$state'"
    for name in copyright changelog.gz changelog.Debian.gz; do
        [ -s "usr/share/doc/$package/$name" ] || fail "$package has no $name"
    done
    cmp -s "$project/LICENSE" "usr/share/doc/$package/copyright" || fail "$package: copyright is not LICENSE"
done
dpkg-deb -f "$packages"/libtacho0_*.deb Depends | grep -qE '^libc6 \(>= [0-9.]+\)$' ||
    fail "libtacho0 should depend on libc6 alone"
# Accepts the package names of Debian 12 and of later versions: libelf1t64, zlib1g.
kit=$(dpkg-deb -f "$packages"/libtachokit0_*.deb Depends | tr ',' '\n' | sed 's/^ *\([a-z0-9-]*\).*/\1/')
echo "$kit" | grep -qx 'libdw1\(t64\)\?' || fail "libtachokit0 should depend on libdw1"
! echo "$kit" | grep -qvE '^(libc6|libdw1|libelf1|liblzma5|zlib1g)(t64)?$' ||
    fail "libtachokit0 depends on more than flamegraphs need: $(echo "$kit" | tr "\n" " ")"

libdir=$(dirname "$(find "$scratch/root" -name libtacho.a)")
[ "$(usr/bin/tacho --version)" = "tacho $version" ] || fail "tacho --version says '$(usr/bin/tacho --version)'"
gzip -t usr/share/man/man1/*.1.gz || fail "the manual pages are not compressed"

# Uses Debian's python3, because only that knows the folder of the architecture.
python=usr/lib/python3/dist-packages
if [ -x /usr/bin/python3 ]; then
    PYTHONPATH=$python /usr/bin/python3 -B -W error -c '
import importlib.metadata, tacho
with tacho.span("s"):
    print(tacho.library_version(), importlib.metadata.version("tacho"))' >"$scratch/out" || fail "the Python package does not work"
    [ "$(cat "$scratch/out")" = "$version $version" ] || fail "the Python package says '$(cat "$scratch/out")'"
fi
[ -z "$(find "$python" -name __pycache__)" ] || fail "python3-tacho contains compiled files"

cflags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags tacho)
libs=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --libs tacho)
# shellcheck disable=SC2086  # lists of flags
gcc $cflags "$project/tests/install/outside/program.c" -o "$scratch/program" $libs
LD_LIBRARY_PATH=$libdir "$scratch/program" || fail "the program exited with $?"
