// The completion for zsh.

struct ZshCompletion {
    let commands: [Command]

    var script: String {
        Shell.zsh.heading(behind: "#compdef josectl\n") + """
            _josectl() {
                local at=2 name count
                local -a found
                # The manual is asked for by the name of a command.
                [[ ${words[2]} == (man|help) && $PREFIX != -* ]] && (( CURRENT > 2 )) && at=3
                name=${words[at]}
                if (( CURRENT == at )); then
                    if [[ $PREFIX == -* ]]; then
                        found=('--help:all commands' '--version:the versions')
                    else
                        found=(
            \(described(CommandWord.all(commands).map { ($0.word, $0.summary) }))
                        )
                    fi
                    _describe -t commands command found
                    return
                fi
                case $name in
            \(groups)
                esac
                (( at == 3 )) && return 1
                # What stands behind the command's name.
                found=(${=name})
                count=$#found
                words=(josectl "${(@)words[count + 2, -1]}")
                (( CURRENT -= count ))
                case $name in
            \(options)
                esac
            }

            if [[ $funcstack[1] == _josectl ]]; then
                _josectl "$@"
            else
                compdef _josectl josectl
            fi

            """
    }

    private func described(_ words: [(word: String, summary: String)]) -> String {
        words.map { "                \(shellQuoted("\($0.word):\($0.summary)"))" }
            .joined(separator: "\n")
    }

    private var groups: String {
        CommandWord.all(commands).filter { !$0.seconds.isEmpty }.map { group in
            """
                    \(group.word))
                        if (( CURRENT == at + 1 )); then
                            found=(
            \(described(group.seconds))
                            )
                            _describe -t commands command found
                            return
                        fi
                        name+=" ${words[at + 1]}"
                        ;;
            """
        }.joined(separator: "\n")
    }

    private var options: String {
        commands.map { command in
            var lines = command.allOptions.flatMap(specifications)
            if !command.argumentWords.isEmpty {
                let words = command.argumentWords.joined(separator: " ")
                lines.append(shellQuoted("1:\(command.arguments):(\(words))"))
            } else if command.takesFiles {
                lines.append(shellQuoted("*:FILE:_files"))
            }
            let text = lines.map { " \\\n                \($0)" }.joined()
            return
                "        \(shellQuoted(command.name)))\n            _arguments\(text)\n            ;;"
        }.joined(separator: "\n")
    }

    /// The option as `_arguments` wants it, once for each of its names.
    private func specifications(_ option: Option) -> [String] {
        option.flags.map { flag in
            let help = option.sentence.map { "[]\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
            let again = option.repeats ? "*" : ""
            guard let value = option.value else { return shellQuoted("\(again)\(flag)[\(help)]") }
            return shellQuoted("\(again)\(flag)=[\(help)]:\(value):\(action(option))")
        }
    }

    private func action(_ option: Option) -> String {
        let words = option.words.all.joined(separator: " ")
        return switch option.words {
        case .closed, .open: "(\(words))"
        case .several: "_sequence compadd - \(words)"
        case .unknown where option.takesFile: "_files"
        case .unknown where option.takesFolder: "_files -/"
        case .unknown: " "
        }
    }
}
