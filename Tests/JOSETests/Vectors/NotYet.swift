// What is not there yet: which cases wait, and for what. Pinned in Vectors/not-yet.json, so nothing waits silently.

import Foundation
import JOSE
import JOSECrypto

/// How one case ended.
enum Outcome: Equatable {
    case ran
    /// It waits for this feature or algorithm.
    case notYet(String)
}

enum Waiting {
    /// Not implemented on purpose: their tokens are refused with `algorithmNotAllowed`.
    static let refused: Set<String> = ["none", "RSA1_5"]

    static func signature(_ name: String?) -> String? {
        guard let name, !refused.contains(name) else { return nil }
        return SignatureAlgorithm.named(name) == nil ? name : nil
    }

    static func encryption(_ algorithm: String?, _ content: String?) -> String? {
        if let algorithm, refused.contains(algorithm) { return nil }
        if let algorithm, KeyManagementAlgorithm.named(algorithm) == nil { return algorithm }
        if let content, ContentEncryptionAlgorithm.named(content) == nil { return content }
        return nil
    }

    /// The content algorithm of the crypto module by its registered name, which may exist before its row in the table.
    static func content(_ name: String) -> ContentAlgorithm? {
        [
            "A128CBC-HS256": .a128CBCHS256, "A192CBC-HS384": .a192CBCHS384,
            "A256CBC-HS512": .a256CBCHS512, "A128GCM": .a128GCM, "A192GCM": .a192GCM,
            "A256GCM": .a256GCM,
        ][name]
    }
}

/// What ran and what waits in one file, in the form of Vectors/not-yet.json.
struct Tally: Codable, Equatable {
    var vectorsRun = 0
    /// Reason: ids.
    var vectorsWaiting: [String: [String]] = [:]
    /// Other serialisations of vectors whose compact form runs. Reason: ids.
    var formsWaiting: [String: [String]] = [:]
    var hostileRun = 0
    /// Reason: the vector that the case was made from, or the case itself: count.
    var hostileWaiting: [String: [String: Int]] = [:]

    mutating func vector(_ vector: VectorCase, _ outcome: Outcome) {
        switch outcome {
        case .ran: vectorsRun += 1
        case .notYet(let reason): vectorsWaiting[reason, default: []].append(vector.id)
        }
    }

    mutating func form(_ vector: VectorCase, _ reason: String) {
        formsWaiting[reason, default: []].append(vector.id)
    }

    mutating func hostile(_ hostile: VectorCase, _ outcome: Outcome) {
        switch outcome {
        case .ran: hostileRun += 1
        case .notYet(let reason):
            let name = hostile.base ?? hostile.id
            hostileWaiting[reason, default: [:]][name, default: 0] += 1
        }
    }

    /// Counts what waits for these reasons as run.
    mutating func run(_ isThere: (String) -> Bool) {
        for (reason, names) in vectorsWaiting where isThere(reason) {
            vectorsRun += names.count
            vectorsWaiting[reason] = nil
        }
        for (reason, counts) in hostileWaiting where isThere(reason) {
            hostileRun += counts.values.reduce(0, +)
            hostileWaiting[reason] = nil
        }
    }

    var vectorCount: Int { vectorsRun + vectorsWaiting.values.reduce(0) { $0 + $1.count } }
    var hostileCount: Int {
        hostileRun + hostileWaiting.values.reduce(0) { $0 + $1.values.reduce(0, +) }
    }
}

struct PinnedTallies: Codable, Equatable {
    var format = "jose-not-yet/1"
    var files: [String: Tally] = [:]

    static let url = VectorFile.folder.appending(path: "not-yet.json")

    static func read() throws -> PinnedTallies {
        var pinned = try JSONDecoder().decode(PinnedTallies.self, from: Data(contentsOf: url))
        // The file speaks of a build without package traits.
        if Waiting.encryption("PBES2-HS256+A128KW", nil) == nil {
            for name in pinned.files.keys { pinned.files[name]?.run { $0.hasPrefix("PBES2") } }
        }
        return pinned
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: PinnedTallies.url)
    }
}
