#!/bin/sh
# options_exist.sh SOURCE TACHO: checks that every --option that a message or a help text names exists.
set -u
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$1/tests/support/lib.sh"
source=$1
tacho=$2

# Lists the options of all commands, as their help shows them.
commands=$("$tacho" help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p')
for command in $commands; do
    "$tacho" "$command" --help
    for sub in $("$tacho" "$command" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  .*/\1/p'); do
        "$tacho" "$command" "$sub" --help
    done
done | grep -oE -- '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u >"$scratch/there"
[ "$(wc -l <"$scratch/there")" -gt 50 ] || fail "the help lists only $(wc -l <"$scratch/there") options"

# Options of other programs that tacho calls or suggests, options of examples, and variables of CSS.
cat >>"$scratch/there" <<'END'
--all-kernel
--all-user
--argument-names
--auto
--benchmark
--benchmark-json
--benchmark-save-data
--branch
--buildtype
--cache-sim
--cachegrind-out-file
--cap-add
--card
--child-silent-after-fork
--command-line-only
--cpuset-cpus
--detach
--dim
--do-complete
--end-of-options
--export-json
--record-samples
--table
--fg
--first-parent
--full-tree
--get
--get-regexp
--height
--ignore-submodules
--init
--interpreted-frames-native-stack
--is-ancestor
--is-shallow-repository
--lib
--line
--log-file
--max-depth
--name-only
--no-ahead-behind
--no-bpf-event
--no-renames
--no-show-signature
--object-format
--path-format
--perf-basic-prof
--porcelain
--quick
--recursive
--release
--samples
--security-opt
--show-prefix
--show-toplevel
--size
--softmax
--sort
--tags
--template
--tool
--trace-children
--unshallow
--untracked-files
--verify
--version
--vgdb
--warn
END
sort -u -o "$scratch/there" "$scratch/there"
find "$source/cli" "$source/src/kit" -name '*.c' -exec cat {} + |
    grep -v '^ *\(/\*\|\*\|//\)' | grep -oE '"([^"\\]|\\.)*"' | grep -oE -- '(^|[^a-z-])--[a-z][a-z-]+' |
    grep -oE -- '--[a-z][a-z-]+' | sort -u >"$scratch/named"
missing=$(comm -13 "$scratch/there" "$scratch/named")
[ -z "$missing" ] || fail "messages name options that do not exist: $missing"
