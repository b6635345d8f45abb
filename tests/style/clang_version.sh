#!/bin/sh
# The checks by clang's tools run with version 14 only, under either of its names, and are skipped with any other.
#
#   clang_version.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
project=$1

# tool NAME VERSION: makes a tool of that version
tool()
{
    printf '#!/bin/sh\necho "Debian clang version %s"\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

# says STATUS TEXT SCRIPT [ARGUMENT]: the script prints the text and exits with the status
says()
{
    status=0
    got=$(PATH=$scratch/bin "$project/scripts/$3" ${4:+"$4"} 2>&1) || status=$?
    [ "$status $got" = "$1 $2" ] || fail "$3 ends with '$status $got', not '$1 $2'"
}

mkdir "$scratch/bin"
for name in sh grep dirname; do
    ln -s "$(command -v $name)" "$scratch/bin/$name"
done
for name in format tidy; do
    missing="skipped: clang-$name 14 is not installed; scripts/install-deps test installs it where apt has it"
    says 77 "$missing" clang-tool clang-$name
    tool clang-$name 19.1.7
    says 77 "$missing" clang-tool clang-$name
    says 77 "$missing" check-$name build
    tool clang-$name 14.0.6
    says 0 clang-$name clang-tool clang-$name
    tool clang-$name 18.1.14
    tool clang-$name-14 14.0.6
    says 0 clang-$name-14 clang-tool clang-$name
done
