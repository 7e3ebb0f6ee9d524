// What the Swift workers share: the fixed inputs, and the loop that times on request (worker.py).

import Foundation

/// The files that `Bench fixtures` wrote.
struct Inputs {
    let folder: String

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
    }
    func data(_ name: String) throws -> Data { Data(try text(name).utf8) }
}

/// One operation: runs once, and throws if the library cannot do it.
typealias Operation = (name: String, work: () async throws -> Void)

struct Failure: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// Runs each operation once, leaves out those that fail, and then answers requests.
func serve(_ name: String, _ version: String, _ operations: [Operation]) async throws {
    func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
    var able: [String] = []
    for (operation, work) in operations {
        do {
            try await work()
            able.append(operation)
        } catch {
            FileHandle.standardError.write(Data("\(name) \(operation): \(error)\n".utf8))
        }
    }
    say("ready \(name) \(version) " + able.joined(separator: " "))
    while let line = readLine() {
        let words = line.split(separator: " ")
        guard words.count == 2, let count = Int(words[1]),
            let chosen = operations.first(where: { $0.name == words[0] })
        else { throw Failure("what is \(line)?") }
        let start = ContinuousClock.now
        for _ in 0..<count { try await chosen.work() }
        let time = ContinuousClock.now - start
        say("\(Int64(time / .nanoseconds(1)))")
    }
}
