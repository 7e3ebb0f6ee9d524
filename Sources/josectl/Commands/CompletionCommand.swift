// josectl completion: what a shell reads to complete command lines of the tool.

import JOSEBytes

extension Command {
    static let completion = Command(
        name: "completion",
        summary: "write the completion script of a shell",
        arguments: "bash|zsh|fish", argumentCount: 1,
        argumentWords: Shell.allCases.map(\.rawValue),
        details: """
            bash reads it from a file in ~/.local/share/bash-completion/completions, zsh from a file _josectl
            in a folder of $fpath, fish from one in ~/.config/fish/completions.
            """,
        options: [],
        example: "source <(josectl completion bash)"
    ) { invocation in
        guard let word = invocation.line.arguments.first, let shell = Shell(rawValue: word) else {
            throw UsageError("name a shell: \(Option.listed(Shell.allCases.map(\.rawValue)))")
        }
        try invocation.print(shell.completion(invocation.commands), as: "script")
        return .accepted
    }
}

extension Invocation {
    /// A text of ours on standard output; with `--json` as this member.
    func print(_ text: String, as name: StaticString) throws {
        try output.bytes(
            output.isJSON ? Output.json { $0.member(name, text) } : Array(text.utf8))
    }
}
