#!/bin/sh
# Checks that a call of a banned function does not compile with the flags of this build, and that an
# allowed one does.
#
#   banned.sh PROJECT BUILD-FOLDER
set -eu
. "$1/tests/support/lib.sh"
project=$1
commands=$2/compile_commands.json

# The command that compiles src/base/buf.c, without its input and output.
flags=$(sed -n 's|^ *"command": "\(.*\) -o .*src/base/buf\.c.*",$|\1|p' "$commands" |
    sed 's/\\\(.\)/\1/g' | head -n 1)
[ -n "$flags" ] || fail "src/base/buf.c is not in $commands"

# compiles BODY: returns whether a function with this body compiles. The messages of the compiler are in
# $scratch/said.
compiles()
{
    printf 'int probe(char *out, const char *in);\nint probe(char *out, const char *in)\n{\n%s\n}\n' \
        "$1" >"$scratch/probe.c"
    eval "$flags -o \"\$scratch/probe.o\" -c \"\$scratch/probe.c\"" >"$scratch/said" 2>&1
}

compiles '    return snprintf(out, 8, "%s", in);' ||
    { cat "$scratch/said"; fail "a correct function does not compile"; }
for call in 'strcpy(out, in)' 'strcat(out, in)' 'sprintf(out, "%s", in)' 'atoi(in)' \
    'strtol(in, NULL, 10)' 'strtok(out, in)' 'localtime(NULL)' 'mktemp(out)'; do
    ! compiles "    return $call != 0;" || fail "$call compiles"
    grep -q poison "$scratch/said" ||
        { cat "$scratch/said"; fail "$call does not compile, but not because it is banned"; }
done

# Every C source of src/ and cli/ includes the list by a compiler flag.
grep '"command"' "$commands" | grep -F -e "$project/src/" -e "$project/cli/" | grep -vF "banned.h" >"$scratch/free" || true
[ ! -s "$scratch/free" ] || { cat "$scratch/free"; fail "sources compiled without $project/src/base/banned.h"; }
