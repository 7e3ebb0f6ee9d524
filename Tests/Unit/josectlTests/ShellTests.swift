// Shell completion scripts and manual pages are generated completely from the command table.

import Foundation
import Testing

@testable import josectl

@Suite("Shell completion and manual")
struct ShellTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        // The scripts run josectl from the PATH.
        tool.environment["PATH"] =
            Tool.path.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin"
        try tool.write(tool.run("completion", "bash").text, to: "completion.bash")
        try tool.write("", to: "a file")
    }

    /// The completions that bash offers for the last word, by the script.
    private func offered(_ words: [String]) throws -> [String] {
        // Split as readline does it. `complete -p` names the function to call.
        try tool.write(
            """
            set -u
            . ./completion.bash
            [[ $(complete -p josectl) == "complete -F _josectl josectl" ]] || exit 1
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _josectl
            (( ${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "${COMPREPLY[@]}"
            """, to: "ask")
        let bash = URL(fileURLWithPath: "/bin/bash")
        let response = try tool.run(["ask", "josectl"] + words, program: bash)
        #expect(response.code == 0 && response.error.isEmpty, "\(response.error)")
        return response.lines
    }

    @Test("bash completes every command word by word") func commands() throws {
        let first = try offered([""])
        let firsts = Set(Command.all.map { $0.name.prefix { $0 != " " } }.map(String.init))
        #expect(Set(first) == firsts.union(["help"]))
        #expect(try offered(["-"]) == ["--help", "--version"])
        #expect(
            try offered(["keys", ""])
                == Command.all.filter { $0.name.hasPrefix("keys ") }.map {
                    String($0.name.dropFirst(5))
                })
        #expect(try offered(["keys", "th"]) == ["thumbprint"])
        #expect(try offered(["man", "ke"]) == ["keys"] && offered(["help", "ba"]) == ["batch"])
        #expect(try offered(["man", "keys", "th"]) == ["thumbprint"])
        #expect(try offered(["man", "batch", ""]).isEmpty)
        #expect(try offered(["completion", ""]) == ["bash", "zsh", "fish"])
    }

    @Test(
        "bash completes every option of every command, and its values",
        arguments: Command.all.map(\.name))
    func options(name: String) throws {
        let command = try #require(Command.all.first { $0.name == name })
        let words = name.split(separator: " ").map(String.init)
        #expect(try offered(words + ["--"]) == command.allOptions.flatMap(\.flags))
        for option in command.allOptions where option.value != nil {
            for flag in option.flags {
                let found = try offered(words + [flag, option.isValueOptional ? "=" : ""])
                switch option.values {
                case .closed(let known), .suggested(let known), .commaSeparated(let known):
                    #expect(found == known)
                case .any where option.takesFile: #expect(found.contains("a file"))
                case .any: #expect(found.isEmpty)
                }
            }
        }
        let files = try offered(words + ["a"])
        #expect(files.contains("a file") == command.takesFiles, "\(files)")
    }

    @Test("bash completes lists, --option=value, and algorithms of the tables")
    func values() throws {
        #expect(try offered(["verify", "--alg", "RS256,ES25"]) == ["RS256,ES256", "RS256,ES256K"])
        #expect(try offered(["sign", "--alg", "=", "PS5"]) == ["PS512"])
        #expect(try offered(["sign", "--alg", "="]).contains("RS256"))
        #expect(try offered(["keys", "new", "--alg", "RSA-OAEP-2"]) == ["RSA-OAEP-256"])
        #expect(try offered(["encrypt", "--enc", "A256G"]) == ["A256GCM"])
    }

    @Test("fish and zsh call the tool: whole words with --, and a description after a tab")
    func candidates() {
        let completion = Completion(commands: Command.all)
        #expect(completion.candidates(["verify", "--form=js"]) == "--form=json\t\n")
        #expect(
            completion.candidates(["verify", "--alg=RS256,PS5"]) == "--alg=RS256,PS512\t\n")
        #expect(completion.candidates(["verify", "--key=a"]) == ":files\n")
        #expect(completion.candidates(["verify", "--fips=a"]) == ":files\n")
        #expect(!completion.candidates(["selftest", "--fips", ""]).contains(":files"))
        #expect(
            completion.candidates(["selft"]) == "selftest\t\(Command.selftest.summary)\n")
        #expect(completion.candidates(["nonsense", ""]).isEmpty)
        // A tab or line break in a description would be read as another candidate.
        for command in Command.all {
            for text in [command.summary] + command.allOptions.map(\.help) {
                #expect(text.utf8.allSatisfy { $0 >= 0x20 }, "\(text)")
            }
        }
    }

    @Test(
        "An option with a closed list accepts exactly these values",
        arguments: Command.all.map(\.name))
    func closed(name: String) throws {
        let command = try #require(Command.all.first { $0.name == name })
        for option in command.options {
            guard case .closed(let words) = option.values else { continue }
            for word in words {
                _ = try ParsedCommandLine(["--\(option.name)", word], for: command)
                #expect(option.help.contains(word))
            }
            for word in ["", words[0] + "x", words.joined(separator: ",") + ",", "none"] {
                let error = #expect(throws: UsageError.self) {
                    _ = try ParsedCommandLine(["--\(option.name)", word], for: command)
                }
                #expect(error?.message.hasPrefix("--\(option.name) must be \(words[0])") == true)
            }
        }
    }

    // MARK: the manual

    @Test("the shell commands of docs/josectl.md run as printed") func page() throws {
        let commands = try Tool.consoleExamples(of: "docs/josectl.md", part: "shells")
        #expect(commands.count == 5)
        tool.environment["HOME"] = tool.folder.path
        let files = [
            (Shell.bash, ".local/share/bash-completion/completions/josectl"),
            (.zsh, ".zfunc/_josectl"), (.fish, ".config/fish/completions/josectl.fish"),
        ]
        for (_, file) in files {
            try FileManager.default.createDirectory(
                at: tool.folder.appending(path: file).deletingLastPathComponent(),
                withIntermediateDirectories: true)
        }
        // The man program may be missing on a test machine.
        let response = try tool.runAll(
            ["man() { [[ $* == '-l -' ]] && cat; }"] + commands
                + ["complete -p josectl"], shell: "/bin/bash")
        #expect(response.code == 0, "\(response.error)")
        #expect(response.lines.last == "complete -F _josectl josectl")
        #expect(response.text.contains(".TH") && response.text.contains(#"\-\-bits"#))
        for (shell, file) in files {
            #expect(
                try tool.read(file) == tool.run("completion", shell.rawValue).text, "\(file)")
        }
    }

    @Test("The manual has a page for each command, with each option of the table")
    func pages() throws {
        let list = try tool.run("man", "--list").lines
        #expect(list == ["josectl"] + Command.all.map { "\(Manual.name($0)) \($0.name)" })
        let whole = try tool.run("man").text
        for command in Command.all {
            let page = try tool.run(["man"] + command.name.split(separator: " ").map(String.init))
            #expect(page.code == 0 && page.text.hasPrefix(".TH JOSECTL\\-"))
            for option in command.allOptions {
                let name = option.name.split(separator: "-").joined(separator: "\\-")
                #expect(page.text.contains(".TP\n\\fB\\-\\-\(name)\\fR"), "\(option.name)")
            }
            let name = command.name.split(separator: "-").joined(separator: "\\-")
            #expect(whole.contains(".B josectl \(name)\n"))
            // No text line is a roff request, and nothing but roff's own escapes is non-ASCII.
            for line in page.text.split(separator: "\n") where line.first == "." {
                let request = line.dropFirst().prefix { $0 != " " }
                #expect(["TH", "SH", "TP", "PP", "B", "BR", "nf", "fi"].contains(String(request)))
            }
            #expect(page.text.utf8.allSatisfy { $0 == 0x0a || (0x20..<0x7f).contains($0) })
        }
        #expect(try tool.run("man", "nonsense").code == 2)
        #expect(try tool.run("man", "keys").error.contains("use one of: keys new, "))
        #expect(try tool.run("man", "--list", "batch").code == 2)
        #expect(try tool.run("completion").code == 2 && tool.run("completion", "csh").code == 2)
    }

    @Test("With --json completion and manual are one JSON object") func json() throws {
        #expect(
            try tool.run("man", "--json").objects()[0]["page"] as? String
                == Manual.overview(Command.all))
        let script = try tool.run("completion", "fish", "--json").objects()[0]["script"] as? String
        #expect(script == Shell.fish.completion)
    }

    @Test("--version prints the versions of josectl and libcrypto, and the implementations")
    func version() throws {
        let lines = try tool.run("--version").lines
        #expect(lines.count == 4 && lines[0] == "josectl \(josectl.Version.number)")
        let report = try tool.run("selftest", "--json").objects()[0]
        #expect(try lines[1] == "OpenSSL libcrypto \(#require(report["libcrypto"] as? String))")
        let kernels = try #require(report["vector_kernels"] as? [String])
        let names = lines[2].dropFirst("RSA implementations: ".count).components(separatedBy: ", ")
        #expect(names.contains("ifma") == kernels.contains("rsa"))
        #expect(names.contains("fma") == kernels.contains("rsa-fma"))
        #expect(names.last == "portable")
        let base = try #require(report["kernels"] as? [String])
        #expect(lines[3] == "base64url code: " + base.joined(separator: ", "))
    }
}
