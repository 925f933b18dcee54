#compdef rowcast
# zsh completion of rowcast, printed by 'rowcast docs completion zsh'
_rowcast()
{
    local line
    local -a offered
    for line in "${(@f)$("${words[1]}" docs -- complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
        (:files) compset -P '--*='; _files ;;
        (:dirs) compset -P '--*='; _files -/ ;;
        (?*) offered+=("$line") ;;
        esac
    done
    (( $#offered )) && compadd -- "${offered[@]}"
}
if [ "$funcstack[1]" = _rowcast ]; then
    _rowcast "$@"
else
    compdef _rowcast rowcast
fi
