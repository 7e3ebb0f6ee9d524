// Completes command lines. The script of each shell runs the hidden command `__complete`.

import JOSEBytes

struct Completion {
    let commands: [Command]

    /// Returns the candidates for the last of `words`, one a line: the word, a tab, a description.
    /// Returns `:files` for a file name. A shell may split `--name=value` at the equals sign.
    func candidates(_ words: [String]) -> String {
        var words = words
        var current = words.popLast() ?? ""
        let isAttached = current == "=" || words.last == "="
        if current == "=" {
            current = ""
        } else if isAttached {
            words.removeLast()
        }
        let isPage =
            ["man", "help"].contains(words.first) && !current.begins(with: "-") && !isAttached
        if isPage { words.removeFirst() }
        guard let (command, rest) = Command.find(words[...], among: commands) else {
            return lines(names(words, current, isPage: isPage), current)
        }
        guard !isPage else { return "" }
        if let option = command.allOptions.first(where: { $0.flags.contains(rest.last ?? "") }),
            option.value != nil, !option.isValueOptional || isAttached
        {
            return values(of: option, current, prefix: "")
        }
        for option in command.allOptions where option.value != nil {
            for flag in option.flags where current.begins(with: flag + "=") {
                let value = String(current.dropFirst(flag.count + 1))
                return values(of: option, value, prefix: flag + "=")
            }
        }
        guard !current.begins(with: "-") else {
            let flags = command.allOptions.flatMap { option in
                option.flags.map { ($0, option.help) }
            }
            return lines(flags, current)
        }
        guard command.argumentValues.isEmpty else {
            return rest.isEmpty ? lines(command.argumentValues.map { ($0, "") }, current) : ""
        }
        return command.takesFiles ? ":files\n" : ""
    }

    /// Returns the first words of all commands or, after a group such as `keys`, the second words.
    private func names(
        _ words: [String], _ current: String, isPage: Bool
    ) -> [(word: String, description: String)] {
        if words.isEmpty, !isPage, current.begins(with: "-") {
            return [("--help", "list the commands"), ("--version", "show the versions")]
        }
        var found: [(word: String, description: String)] = []
        for command in commands {
            let parts = command.name.split(separator: " ").map(String.init)
            guard parts.count > words.count, parts.starts(with: words) else { continue }
            let word = parts[words.count]
            guard !found.contains(where: { $0.word == word }) else { continue }
            let isGroup = parts.count > words.count + 1
            found.append((word, isGroup ? "commands on \(word)" : command.summary))
        }
        return words.isEmpty && !isPage ? found + [("help", "show the help of a command")] : found
    }

    private func values(
        of option: Option, _ current: String, prefix: String
    ) -> String {
        if case .any = option.values { return option.takesFile ? ":files\n" : "" }
        var (prefix, last) = (prefix, current)
        if case .commaSeparated = option.values, let comma = current.lastIndex(of: ",") {
            prefix += current[...comma]
            last = String(current[current.index(after: comma)...])
        }
        return lines(option.values.all.map { ($0, "") }, last, prefix: prefix)
    }

    private func lines(
        _ candidates: [(word: String, description: String)], _ current: String, prefix: String = ""
    ) -> String {
        candidates.filter { $0.word.begins(with: current) }
            .map { "\(prefix)\($0.word)\t\($0.description)\n" }.joined()
    }
}

enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The script that makes the shell run `josectl __complete`.
    var completion: String {
        switch self {
        case .bash:
            """
            _josectl() {
                local current=${COMP_WORDS[COMP_CWORD]} lines
                mapfile -t lines < <(josectl __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
                COMPREPLY=("${lines[@]%%$'\\t'*}")
                if [[ ${lines-} == :files ]]; then
                    compopt -o filenames 2>/dev/null || :
                    mapfile -t COMPREPLY < <(compgen -f -- "${current#=}")
                fi
            }
            complete -F _josectl josectl

            """
        case .zsh:
            """
            #compdef josectl
            _josectl() {
                local line
                local -a lines found before=("${(@Q)words[2,CURRENT-1]}")
                lines=("${(@f)$(josectl __complete "$before[@]" "${(Q)PREFIX}" 2>/dev/null)}")
                if [[ $lines[1] == :files ]]; then
                    compset -P '--*='
                    _files
                    return
                fi
                for line in $lines; do
                    found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
                done
                _describe -V josectl found
            }
            if [[ $funcstack[1] == _josectl ]]; then
                _josectl "$@"
            else
                compdef _josectl josectl
            fi

            """
        case .fish:
            """
            function __josectl
                set -l words (commandline -opc)
                set -l current (commandline -ct)
                set -l lines (josectl __complete $words[2..-1] "$current" 2>/dev/null)
                if test "$lines" = :files
                    set -l flag (string match -r -- '^--[a-z-]+=' "$current")
                    set -l path (string replace -r -- '^--[a-z-]+=' '' "$current")
                    printf "$flag%s\\n" (__fish_complete_path $path)
                else if test -n "$lines"
                    printf '%s\\n' $lines
                end
            end
            complete -c josectl -f -a '(__josectl)'

            """
        }
    }
}
