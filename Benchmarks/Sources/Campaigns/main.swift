// Campaigns over the whole public surface: `Campaigns work-bounds|no-system-calls|concurrency`. See
// docs/security.

import Foundation

func command() throws -> Bool {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "work-bounds": return try Bounded.run(only: rest.first)
    case "no-system-calls": return try Quiet.run(vectors: rest.first ?? "Vectors")
    case "concurrency":
        return try Concurrency.run(
            operations: rest.first.flatMap { Int($0) } ?? 1_000_000,
            vectors: rest.count > 1 ? rest[1] : "Vectors")
    default: throw Failure("usage: Campaigns work-bounds|no-system-calls|concurrency")
    }
}

do {
    exit(try command() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("campaigns: \(error)\n".utf8))
    exit(2)
}
