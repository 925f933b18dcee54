# bash completion of rowcast, printed by 'rowcast docs completion bash'
_rowcast()
{
    local line cur=${COMP_WORDS[COMP_CWORD]}
    [[ $cur == = ]] && cur=''
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files | :dirs)
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "-${line:1:1}" -- "$cur")
            ;;
        *) COMPREPLY+=("$line") ;;
        esac
    done < <("${COMP_WORDS[0]}" docs -- complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _rowcast rowcast
