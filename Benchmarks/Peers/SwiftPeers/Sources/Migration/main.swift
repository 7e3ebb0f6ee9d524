// Compiles the calls that the migration pages name, and exchanges tokens with their libraries.

import Foundation
import JOSE

/// The claims of the token.
struct Session: Codable, Equatable {
    var iss: String
    var aud: String
    var sub: String
    var admin: Bool

    static let sample = Session(iss: "https://op.example", aud: "app", sub: "zoe", admin: true)
}

struct Failure: Error {
    let text: String
}

func check(_ condition: Bool, _ text: String) throws {
    guard condition else { throw Failure(text: text) }
    report("passed: \(text)")
}

func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func rejects<Result>(_ work: () throws -> Result) -> Bool { (try? work()) == nil }

/// The token with another first character of its signature.
func damaged(_ token: String) -> String {
    var parts = token.split(separator: ".").map(String.init)
    parts[2] = (parts[2].hasPrefix("A") ? "B" : "A") + parts[2].dropFirst()
    return parts.joined(separator: ".")
}

for (name, work) in [("jwt-kit", jwtKit), ("JWSETKit", jwsetKit)]
    as [(String, () async throws -> Void)]
{
    do {
        try await work()
    } catch {
        report("FAILED: \(name): \(error)")
        exit(1)
    }
}
