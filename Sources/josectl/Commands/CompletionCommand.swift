// josectl completion: writes the script that completes command lines in a shell.

import JOSEBytes

extension Command {
    static let completion = Command(
        name: "completion",
        summary: "write the completion script of a shell",
        arguments: "bash|zsh|fish", maxArguments: 1,
        argumentValues: Shell.allCases.map(\.rawValue),
        details: """
            Install the script for bash as ~/.local/share/bash-completion/completions/josectl, for \
            zsh as _josectl in a directory of $fpath, for fish as \
            ~/.config/fish/completions/josectl.fish. It runs josectl from your PATH.
            """,
        options: [],
        example: "source <(josectl completion bash)"
    ) { invocation in
        guard let word = invocation.line.arguments.first, let shell = Shell(rawValue: word) else {
            throw UsageError("name a shell: \(Option.listed(Shell.allCases.map(\.rawValue)))")
        }
        try invocation.print(shell.completion, as: "script")
        return .accepted
    }
}

extension Invocation {
    func print(_ text: String, as name: StaticString) throws {
        try output.bytes(
            output.isJSON ? Output.json { $0.member(name, text) } : Array(text.utf8))
    }
}
