# shellcheck shell=bash
# bash completion of tacho, printed by 'tacho completion bash'. 'tacho __complete' knows what to offer.
_tacho()
{
    local rest=${COMP_LINE:0:COMP_POINT} words=() places=() lines=() word blank line kind skip i

    # bash splits words at "=" and ":" too. Here only blanks separate words.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${rest%%[![:space:]]*}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=${rest#"$blank"} # the word up to the cursor
        rest=${rest#"$blank$word"}
        if [[ $i == 0 || $blank ]]; then
            words+=("$word") places+=("$i")
        else
            words[-1]+=$word
        fi
    done
    COMPREPLY=()
    mapfile -t lines < <(tacho __complete "${words[@]:1}" 2>/dev/null)
    read -r kind skip <<<"${lines[0]}"
    if [[ $kind == :command ]] && declare -F _command_offset >/dev/null; then
        _command_offset "${places[skip]}"
        return
    fi
    [[ $kind != :command ]] || kind=:files skip=0
    lines=("${lines[@]:1}")
    lines=("${lines[@]%%$'\t'*}")

    # bash replaces only the part of the word after the last "=" or ":", which is $word or nothing.
    local all=${words[-1]} part=$word
    [[ $part != [=:]* ]] || part=''
    case $kind in
    :files) mapfile -t -O ${#lines[@]} lines < <(compgen -f -- "${all:skip}") ;;
    :dirs) mapfile -t -O ${#lines[@]} lines < <(compgen -d -- "${all:skip}") ;;
    :programs) mapfile -t -O ${#lines[@]} lines < <(compgen -c -- "${all:skip}") ;;
    esac
    [[ $kind == :words ]] || compopt -o filenames 2>/dev/null # bash quotes them
    for line in "${lines[@]}"; do
        line=${all:0:skip}$line
        [[ $line == "$all"* ]] || continue
        line=${line#"${all%"$part"}"}
        [[ $kind != :words ]] || printf -v line %q "$line"
        COMPREPLY+=("$line")
    done
}

complete -F _tacho tacho
