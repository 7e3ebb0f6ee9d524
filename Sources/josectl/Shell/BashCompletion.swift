// The completion for bash.

struct BashCompletion {
    let commands: [Command]

    var script: String {
        Shell.bash.heading() + """
            _josectl() {
                local at=1 kind= words= options= files= given=
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                COMPREPLY=()
                # bash takes --name=value apart at its sign.
                if [[ $current == '=' ]]; then
                    current=
                elif [[ $previous == '=' ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                # The manual is asked for by the name of a command.
                [[ ${COMP_WORDS[1]} == @(man|help) && $current != -* ]] && (( COMP_CWORD > 1 )) && at=2
                local name=${COMP_WORDS[at]}
                if (( COMP_CWORD == at )); then
                    words=\(shellQuoted(firstWords))
                    [[ $current == -* ]] && words='--help --version'
                    kind=word
                else
                    case $name in
            \(groups)
                    esac
                fi
                [[ -z $kind ]] && (( at == 2 )) && return
                if [[ -z $kind ]]; then
                    case "$name $previous" in
            \(values)
                    esac
                fi
                if [[ -z $kind ]]; then
                    case $name in
            \(options)
                    esac
                    if [[ $current == -* ]]; then
                        kind=word words=$options
                    else
                        kind=${files:-nothing}
                    fi
                fi
                case $kind in
                    word) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
                    several)
                        [[ $current == *,* ]] && given=${current%,*},
                        COMPREPLY=($(compgen -P "$given" -W "$words" -- "${current##*,}"))
                        ;;
                    file)
                        compopt -o filenames 2>/dev/null || :
                        mapfile -t COMPREPLY < <(compgen -f -- "$current")
                        ;;
                    folder)
                        compopt -o filenames 2>/dev/null || :
                        mapfile -t COMPREPLY < <(compgen -d -- "$current")
                        ;;
                esac
            }
            complete -F _josectl josectl

            """
    }

    private var firstWords: String {
        CommandWord.all(commands).map(\.word).joined(separator: " ") + " help"
    }

    /// The second words, and the name with them.
    private var groups: String {
        CommandWord.all(commands).filter { !$0.seconds.isEmpty }.map { group in
            """
                        \(group.word))
                            if (( COMP_CWORD == at + 1 )); then
                                kind=word words=\(shellQuoted(group.seconds.map(\.word).joined(separator: " ")))
                            else
                                name+=" ${COMP_WORDS[at + 1]}"
                            fi
                            ;;
            """
        }.joined(separator: "\n")
    }

    private var values: String {
        commands.flatMap { command in
            command.allOptions.filter { $0.value != nil }.map { option in
                let pattern = option.flags.map { shellQuoted("\(command.name) \($0)") }
                return "            \(pattern.joined(separator: " | "))) \(kind(option)) ;;"
            }
        }.joined(separator: "\n")
    }

    private func kind(_ option: Option) -> String {
        let words = shellQuoted(option.words.all.joined(separator: " "))
        return switch option.words {
        case .closed, .open: "kind=word words=\(words)"
        case .several: "kind=several words=\(words)"
        case .unknown where option.takesFile: "kind=file"
        case .unknown where option.takesFolder: "kind=folder"
        case .unknown: "kind=nothing"
        }
    }

    private var options: String {
        commands.map { command in
            let options = command.allOptions.flatMap(\.flags).joined(separator: " ")
            let arguments =
                !command.argumentWords.isEmpty
                ? " files=word words=\(shellQuoted(command.argumentWords.joined(separator: " ")))"
                : command.takesFiles ? " files=file" : ""
            return "            \(shellQuoted(command.name)))"
                + " options=\(shellQuoted(options))\(arguments) ;;"
        }.joined(separator: "\n")
    }
}
