// keys new, import and certify, killed at each system call and with each call failing: every file
// stays complete.

import Foundation
import Testing

@Suite("Interrupted runs") struct InterruptionTests {
    /// A command with its outputs and the files that exist before.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let name: String
        let words: [String]
        /// The private file, and its public file if there is one.
        let secret: String
        var open: String?
        /// Whether both exist before, and are replaced.
        let isReplacing: Bool
        /// A symbolic link to the private file.
        var link: String?

        var testDescription: String { name }
        var outputs: [String] { [secret] + (open.map { [$0] } ?? []) }
    }

    private static let new = [
        "keys", "new", "--curve", "Ed25519", "--out", "own.jwks", "--public", "open.jwks",
    ]
    private static let bring = ["keys", "import", "key.pem", "--out", "own.jwks"]
    private static let certify = [
        "keys", "certify", "uncertified.jwks", "--self-signed", "--out", "own.jwks",
    ]
    static let scenarios = [
        Scenario(
            name: "new", words: new, secret: "own.jwks", open: "open.jwks", isReplacing: false),
        Scenario(
            name: "new --force", words: new + ["--force"], secret: "own.jwks", open: "open.jwks",
            isReplacing: true),
        Scenario(name: "import", words: bring, secret: "own.jwks", isReplacing: false),
        Scenario(
            name: "import --force", words: bring + ["--force"], secret: "own.jwks",
            isReplacing: true),
        Scenario(name: "certify", words: certify, secret: "own.jwks", isReplacing: false),
        Scenario(
            name: "certify --force over its input",
            words: [
                "keys", "certify", "own.jwks", "--self-signed", "--out", "own.jwks", "--force",
            ],
            secret: "own.jwks", isReplacing: true),
    ]
    static let throughLink = Scenario(
        name: "new --force through a link",
        words: [
            "keys", "new", "--curve", "Ed25519", "--out", "link", "--public", "open.jwks",
            "--force",
        ], secret: "own.jwks", open: "open.jwks", isReplacing: true, link: "link")

    /// A directory in which the scenario can be run repeatedly.
    private struct Stage {
        let scenario: Scenario
        let tool: Tool
        private let before: [String: Data]

        init(_ scenario: Scenario) throws {
            self.scenario = scenario
            tool = try Tool()
            let made = try tool.run(
                "keys", "new", "--curve", "Ed25519", "--out", "own.jwks", "--public", "open.jwks")
            try #require(made.code == 0, "\(made.error)")
            try tool.run("keys", "export", "own.jwks", "--private", "--out", "key.pem")
            try tool.run("keys", "public", "own.jwks", "--out", "uncertified.jwks")
            try FileManager.default.removeItem(at: tool.url("uncertified.jwks"))
            try FileManager.default.copyItem(
                at: tool.url("own.jwks"), to: tool.url("uncertified.jwks"))
            if let link = scenario.link {
                try FileManager.default.createSymbolicLink(
                    atPath: tool.url(link).path, withDestinationPath: scenario.secret)
            }
            var before: [String: Data] = [:]
            for name in try tool.names() where name != scenario.link {
                let isOutput = name == "own.jwks" || name == "open.jwks"
                if isOutput, !scenario.isReplacing || !scenario.outputs.contains(name) { continue }
                before[name] = try Data(contentsOf: tool.url(name))
            }
            self.before = before
            try reset()
        }

        /// The state before the run.
        func reset() throws {
            for name in try tool.names() where name != scenario.link {
                if before[name] == nil { try FileManager.default.removeItem(at: tool.url(name)) }
            }
            for (name, data) in before where (try? Data(contentsOf: tool.url(name))) != data {
                try data.write(to: tool.url(name))
            }
        }

        /// Whether the output is new. Fails if it is neither new nor unchanged.
        func isNew(_ name: String) throws -> Bool {
            guard tool.exists(name) else {
                #expect(before[name] == nil, "\(name) is gone")
                return false
            }
            let data = try Data(contentsOf: tool.url(name))
            guard data != before[name] else { return false }
            #expect(data.last == 0x0a)
            let keys = try tool.keys(name)
            #expect(keys.count == 1)
            #expect((keys.first?["d"] != nil) == (name == scenario.secret))
            if name == scenario.secret { #expect(try tool.mode(name) == 0o600) }
            return true
        }

        /// Checks that hold in every case. Returns which outputs are new.
        func check(leavesNothing: Bool) throws -> (secret: Bool, open: Bool) {
            let secret = try isNew(scenario.secret)
            let open = try scenario.open.map { try isNew($0) } ?? secret
            #expect(secret || !open, "a public set whose private one does not exist")
            if secret, open, let name = scenario.open {
                #expect(
                    try tool.keys(name)[0]["x"] as? String == tool.keys(scenario.secret)[0]["x"]
                        as? String)
            }
            let known = Set(before.keys).union(scenario.outputs)
            for name in try tool.names() where !known.contains(name) && name != scenario.link {
                #expect(!leavesNothing, "\(name) is left")
                #expect(name.hasPrefix(".") && name.hasSuffix("~"), "\(name) is left")
                if try tool.read(name).contains("\"d\"") { #expect(try tool.mode(name) == 0o600) }
            }
            for (name, data) in before where !scenario.outputs.contains(name) {
                #expect(try Data(contentsOf: tool.url(name)) == data)
            }
            if let link = scenario.link {
                let target = try FileManager.default.destinationOfSymbolicLink(
                    atPath: tool.url(link).path)
                #expect(target == scenario.secret)
            }
            return (secret, open)
        }
    }

    @Test("Killed at each system call: each file is complete, old or new", arguments: scenarios)
    func killed(_ scenario: Scenario) throws {
        let stage = try Stage(scenario)
        let calls = try stage.tool.calls(scenario.words, from: scenario.outputs)
        try #require(calls.count > 20)
        var kills = 0
        var between = 0
        for call in calls where call.name != "exit_group" {
            try stage.reset()
            // Another run may have fewer calls for memory and the like, and then completes.
            let response = try stage.tool.run(scenario.words, at: call, "signal=KILL")
            if response.code == SIGKILL { kills += 1 }
            let (secret, open) = try stage.check(leavesNothing: response.code != SIGKILL)
            if secret, !open {
                between += 1
                try mends(stage)
            }
        }
        #expect(kills > calls.count * 9 / 10, "\(kills) of \(calls.count)")
        // Otherwise the state to recover from never occurred.
        #expect((between > 0) == (scenario.open != nil))
        try stage.reset()
        #expect(try stage.tool.run(scenario.words).code == 0)
        let (secret, open) = try stage.check(leavesNothing: true)
        #expect(secret && open)
    }

    /// New private set, old public set: `keys public` restores the missing one.
    private func mends(_ stage: Stage) throws {
        let name = try #require(stage.scenario.open)
        let response = try stage.tool.run(
            "keys", "public", stage.scenario.secret, "--out", name, "--force")
        #expect(response.code == 0, "\(response.error)")
        #expect(try stage.isNew(name))
    }

    @Test(
        "A pipe is opened before a private file is created, so a missing reader leaves nothing"
    )
    func waiting() throws {
        let tool = try Tool()
        try #require(mkfifo(tool.url("pipe").path, 0o600) == 0)
        // Open at both ends, so that a run which is not killed never waits.
        let reader = open(tool.url("pipe").path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let words = ["keys", "new", "--curve", "Ed25519", "--out", "own.jwks", "--public", "pipe"]
        let calls = try tool.calls(words, from: ["own.jwks", "pipe"])
        let wait = try #require(calls.firstIndex { $0.text.contains("\"pipe\", O_WRONLY") })
        for call in calls[..<wait] {
            #expect(!call.text.contains("O_CREAT"), "\(call)")
        }
        #expect(calls[wait...].contains { $0.text.contains("0600") }, "the private file comes then")
        try FileManager.default.removeItem(at: tool.url("own.jwks"))
        let response = try tool.run(words, at: calls[wait], "signal=KILL")
        #expect(response.code == SIGKILL)
        #expect(try tool.names() == ["pipe"])
    }

    /// System calls on files.
    private static let calls: Set<String> = [
        "open", "openat", "stat", "lstat", "fstat", "newfstatat", "statx", "readlink", "readlinkat",
        "read", "write",
        "fchmod", "fchmodat", "fsync", "fdatasync", "close", "link", "linkat", "rename", "renameat",
        "renameat2",
        "unlink", "unlinkat",
    ]

    /// The calls of a run on its own files, without those of libraries, which ignore errors.
    private static func ours(_ calls: [SystemCall]) -> [SystemCall] {
        var isTheirs = false
        return calls.filter { call in
            // Files of the system, and the coverage profile of an instrumented build.
            if call.text.contains("\"/sys/") || call.text.contains(".prof") { isTheirs = true }
            defer { if call.name == "close" { isTheirs = false } }
            return !isTheirs && Self.calls.contains(call.name)
        }
    }

    @Test(
        "A failed system call is an error, old files stay intact, nothing is left",
        arguments: scenarios + [throughLink])
    func failing(_ scenario: Scenario) throws {
        let stage = try Stage(scenario)
        let calls = Self.ours(try stage.tool.calls(scenario.words, from: scenario.outputs))
        try #require(calls.count > 12)
        for (index, call) in calls.enumerated() {
            let errors = ["EIO", "ENOSPC", "EACCES"]
            for error in scenario.link == nil ? [errors[index % 3]] : errors {
                try stage.reset()
                let response = try stage.tool.run(scenario.words, at: call, "error=\(error)")
                let isRemoval = call.name.hasPrefix("unlink")
                let (secret, open) = try stage.check(leavesNothing: !isRemoval)
                // Success means that the files are in place, whatever else failed.
                #expect(
                    response.code == 3 || response.code == 0 && secret && open,
                    "\(call), \(error): \(response.code) \(response.error)")
                if response.code == 0 {
                    // Calls whose failure is harmless: closing unwritten files, removing files,
                    // asking whether a directory is a link, syncing an unreadable directory.
                    let isHarmless =
                        isRemoval || call.name == "close" || call.name == "readlink"
                        || call.text.contains("O_RDONLY|O_CLOEXEC|O_DIRECTORY")
                            && error == "EACCES"
                    #expect(isHarmless, "\(call), \(error): not reported")
                }
            }
        }
    }
}
