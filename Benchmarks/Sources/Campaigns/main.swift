// Campaigns over the whole public surface: `Campaigns bounded|quiet|concurrency`. See docs/security.

import Foundation

func command() throws -> Bool {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "bounded": return try Bounded.run(only: rest.first)
    case "quiet": return try Quiet.run(vectors: rest.first ?? "Vectors")
    case "concurrency":
        return try Concurrency.run(
            operations: rest.first.flatMap { Int($0) } ?? 1_000_000,
            vectors: rest.count > 1 ? rest[1] : "Vectors")
    default: throw Failure("usage: Campaigns bounded|quiet|concurrency")
    }
}

do {
    exit(try command() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("campaigns: \(error)\n".utf8))
    exit(2)
}
