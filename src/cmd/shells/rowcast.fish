# fish completion of rowcast, printed by 'rowcast docs completion fish'
function __rowcast_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (command $words[1] docs -- complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :dirs
                __fish_complete_directories (commandline -ct) ''
            case '*'
                echo $line
        end
    end
end
complete -c rowcast -f -a '(__rowcast_complete)'
