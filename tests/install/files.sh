#!/bin/sh
# Checks the installed files one by one, with another prefix and DESTDIR. Internal files must not be
# installed.
#
#   files.sh PROJECT BUILD-FOLDER CMAKE
set -eu
. "$1/tests/install/lib.sh"

# install COMPONENT: lists the files of a component, without the prefix, in $scratch/COMPONENT.
install()
{
    DESTDIR=$scratch/stage-$1 "$cmake" --install "$build" --prefix /opt/tacho --component "$1" >"$scratch/log" ||
        { cat "$scratch/log"; fail "component $1 cannot be installed"; }
    (cd "$scratch/stage-$1" && find . ! -type d) | sed 's|^\./opt/tacho/||' | LC_ALL=C sort >"$scratch/$1"
}

install runtime
printf '%s\n' "$libdir/libtacho.so.0" "$libdir/libtacho.so.$version" >"$scratch/wanted"
expect_same runtime "$scratch/wanted" "$scratch/runtime"

install kit
printf '%s\n' "$libdir/libtachokit.so.0" "$libdir/libtachokit.so.$version" >"$scratch/wanted"
expect_same kit "$scratch/wanted" "$scratch/kit"

install dev
{
    for header in "$project"/include/tacho/*.h "$project"/include/tacho/*.hpp; do
        echo "include/tacho/${header##*/}"
    done
    build_type=$(cached CMAKE_BUILD_TYPE | tr '[:upper:]' '[:lower:]')
    for name in Config ConfigVersion Targets "Targets-${build_type:-noconfig}"; do
        echo "$libdir/cmake/tacho/tacho$name.cmake"
    done
    printf '%s\n' "$libdir/libtacho.a" "$libdir/libtacho.so" "$libdir/libtachokit.so" \
        "$libdir/pkgconfig/tacho.pc" "$libdir/pkgconfig/tachokit.pc"
} | LC_ALL=C sort >"$scratch/wanted"
expect_same dev "$scratch/wanted" "$scratch/dev"

install command
{
    for source in "$project"/cli/*/cmd_*.c; do
        name=${source##*/cmd_}
        case $name in
        *_*) continue ;; # a sub-command, which the page of its command describes
        esac
        echo "share/man/man1/tacho-${name%.c}.1"
    done
    printf '%s\n' bin/tacho "$libdir/tacho/tacho-allocations.so" share/man/man1/tacho.1 share/bash-completion/completions/tacho \
        share/zsh/site-functions/_tacho share/fish/vendor_completions.d/tacho.fish \
        share/doc/tacho/README.md share/doc/tacho/CHANGELOG.md
    [ "$(uname -m)" != x86_64 ] || echo "$libdir/tacho/tacho-sampler.so"
    (cd "$project" && find docs examples -type f ! -name CMakeLists.txt ! -name 'test*.sh') | sed 's|^|share/doc/tacho/|'
} | LC_ALL=C sort >"$scratch/wanted"
expect_same command "$scratch/wanted" "$scratch/command"

install python
{
    (cd "$project/python" && find tacho -name '*.py' -o -name py.typed) | sed 's|^|lib/python3/dist-packages/|'
    echo "lib/python3/dist-packages/tacho-$version.dist-info/METADATA"
} | LC_ALL=C sort >"$scratch/wanted"
expect_same python "$scratch/wanted" "$scratch/python"

# Files that documents and settings name are installed: links between documents, and docs/gate.md for
# tacho.yaml.
doc=$scratch/stage-command/opt/tacho/share/doc/tacho
[ -s "$doc/docs/gate.md" ] || fail "docs/gate.md, which tacho.yaml names, is not installed"
[ -s "$doc/docs/schemas/run.v1.schema.json" ] || fail "the schemas are not installed"
for page in "$doc"/README.md "$doc"/docs/*.md; do
    grep -o ']([^)#:]*)' "$page" | sed 's/^](//; s/)$//' | sort -u | while read -r link; do
        case $link in
        CONTRIBUTING.md | LICENSE | Makefile | bench/* | fuzz/* | scripts/* | ../bench/*) ;; # only in the repository
        *) [ -e "$(dirname "$page")/$link" ] || echo "${page##*/} links to $link, which is not installed" ;;
        esac
    done
done >"$scratch/links"
[ ! -s "$scratch/links" ] || { cat "$scratch/links"; fail "links of installed documents lead nowhere"; }

# The examples compile against the installed files with only the settings of POSIX, as a README says.
for folder in "$doc"/examples/*/; do
    [ ! -e "$folder/pipeline.cpp" ] || continue
    # shellcheck disable=SC2086  # lists of flags
    (cd "$folder" && "$cc" $flags -I"$scratch/stage-dev/opt/tacho/include" -D_POSIX_C_SOURCE=200809L \
        -fsyntax-only ./*.c) || fail "the installed example $folder does not compile"
done
