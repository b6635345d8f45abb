# completion.bash SCRIPT LINE: prints what bash offers at the end of LINE, one word per line.
source "$1"

# readline passes the line split at blanks and at COMP_WORDBREAKS, which contains "=".
line=${2//=/ = }
read -ra COMP_WORDS <<<"$line"
[[ $line == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
_tacho
for word in "${COMPREPLY[@]}"; do
    echo "$word"
done
