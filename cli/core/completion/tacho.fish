# fish completion of tacho, printed by 'tacho completion fish'. 'tacho __complete' knows what to offer.
function __tacho
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l lines (command tacho __complete $words[2..-1] "$word" 2>/dev/null)
    set -l action (string split ' ' -- $lines[1])
    set -l skip $action[2]
    set -l start (string sub -l "$skip" -- "$word")
    set -l rest (string sub -s (math 1 + "$skip") -- "$word")
    set -l offers $lines[2..-1]
    switch "$action[1]"
        case :command
            # Complete the rest of the line as that program would.
            set -l line (string escape -- $words[(math 1 + $skip)..-1]) $word
            complete --do-complete="$line"
            return
        case :files
            set -a offers (complete --do-complete="'' $rest")
        case :dirs
            set -a offers (complete --do-complete="'' $rest" | string match -r '^[^\t]*/(?:\t.*)?$')
        case :programs
            set -a offers (complete --do-complete="$rest")
    end
    for offer in $offers
        echo -- "$start$offer"
    end
end

complete -c tacho -e
complete -c tacho -f -a '(__tacho)'
