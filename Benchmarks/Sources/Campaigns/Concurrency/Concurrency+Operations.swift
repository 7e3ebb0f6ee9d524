// The operations: sign, verify, encrypt, decrypt for every entry, nested tokens, sets, chains,
// replay, reading keys.

import Foundation
import JOSE
import JOSEOpenID
import Synchronization

/// How often a one-time use was claimed and how often it was granted.
final class Tally: Sendable {
    let claimed = Atomic<Int>(0)
    let granted = Atomic<Int>(0)
    static let claimants = 64

    /// Each name was claimed by 64 callers, the last one perhaps by fewer, and granted once.
    func failures() -> [String] {
        let names = (claimed.load(ordering: .relaxed) + Tally.claimants - 1) / Tally.claimants
        let granted = granted.load(ordering: .relaxed)
        return names == granted ? [] : ["replay: \(names) names, granted \(granted) times"]
    }
}

extension Concurrency {
    private static let messages = (0..<16).map { Array("message \($0) of the campaign".utf8) }

    static func signatureOperations() throws -> [Operation] {
        try Entries().signatures().flatMap { entry -> [Operation] in
            let signer = try JWSSigner(key: entry.key, algorithm: entry.algorithm)
            let verifier = try JWSVerifier(key: entry.verifying, algorithms: [entry.algorithm])
            // The results of a single thread.
            let tokens = try messages.map { try signer.sign($0) }
            let wrong = tokens.map { damaged($0, part: 2) }
            return [
                Operation(name: "\(entry.name) verify") { number in
                    let index = Int(number % 16)
                    let read = try verifier.verify(tokens[index])
                    try require(read.payload == messages[index], "another payload")
                },
                Operation(name: "\(entry.name) reject") { number in
                    try Quiet.rejects(.signatureInvalid) {
                        _ = try verifier.verify(wrong[Int(number % 16)])
                    }
                },
                Operation(name: "\(entry.name) sign") { number in
                    let index = Int(number % 16)
                    let token = try signer.sign(messages[index])
                    if entry.isDeterministic {
                        try require(token == tokens[index], "another signature")
                    } else {
                        let read = try verifier.verify(token)
                        try require(
                            read.payload == messages[index], "a signature that is not valid")
                    }
                },
            ]
        }
    }

    static func encryptionOperations() throws -> [Operation] {
        try Entries().encryptions().flatMap { entry -> [Operation] in
            let encrypter = try entry.encrypter()
            let decrypter = try JWEDecrypter(
                key: entry.key, algorithms: [entry.algorithm], content: [entry.content])
            let tokens = try messages.map { try encrypter.encrypt($0) }
            let wrong = tokens.map { damaged($0, part: 4) }
            return [
                Operation(name: "\(entry.name) decrypt") { number in
                    let index = Int(number % 16)
                    let opened = try decrypter.decrypt(tokens[index])
                    try require(
                        opened.unauthenticatedPlaintext == messages[index], "another plaintext")
                },
                Operation(name: "\(entry.name) reject") { number in
                    try Quiet.rejects(.decryptionFailed) {
                        _ = try decrypter.decrypt(wrong[Int(number % 16)])
                    }
                },
                Operation(name: "\(entry.name) encrypt") { number in
                    let index = Int(number % 16)
                    let token = try encrypter.encrypt(messages[index])
                    try require(token != tokens[index], "the same token twice")
                    let opened = try decrypter.decrypt(token)
                    try require(
                        opened.unauthenticatedPlaintext == messages[index], "another plaintext")
                },
            ]
        }
    }

    private struct Claims: Codable, Sendable {
        var iss = "https://issuer.example"
        var aud = "https://client.example"
        var exp = 4_102_444_800
        var number = 0
    }

    static func otherOperations(_ vectors: String, _ tally: Tally) throws -> [Operation] {
        let entries = try Entries().signatures()
        let keys = entries.filter { $0.key.keyType != .oct }
        guard let rsa = keys.first?.key else { throw Failure("no RSA key") }
        var named: [String: SignatureEntry] = [:]
        for entry in keys { if let kid = entry.key.keyID, named[kid] == nil { named[kid] = entry } }
        let members = named.sorted { $0.key < $1.key }.map(\.value)
        let set = try PublicJWKSet(keys: members.map { try $0.key.publicKey })
        let setText = set.json()
        let fromSet = try JWSVerifier(keys: set, algorithms: SignatureAlgorithm.all)
        let signed = try members.map { entry in
            try messages.map { try JWSSigner(key: entry.key, algorithm: entry.algorithm).sign($0) }
        }
        let issuer = try JWTIssuer(key: rsa, algorithm: .rs256)
        let recipient = try JWTRecipient(
            key: rsa.publicKey, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        let opener = try JWTVerifier(
            issuer: "https://issuer.example", audience: "https://client.example",
            encryption: .required(key: rsa, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]),
            signature: .required(keys: set, algorithms: [.rs256]))
        let nested = try (0..<16).map {
            try issuer.issue(Claims(number: $0), encryptedFor: recipient)
        }
        let chain = try ChainVector(vectors)
        let store = try TrustStore(anchors: chain.anchors)
        let replay = MemoryReplayStore(capacity: 8_000_000, quota: 8_000_000)
        let now = try NumericDate(seconds: 500)
        let later = try NumericDate(seconds: 1_000)
        return [
            Operation(name: "nested open") { number in
                let index = Int(number % 16)
                let claims = try opener.verify(nested[index], as: Claims.self)
                try require(claims.number == index, "other claims")
            },
            Operation(name: "nested make") { number in
                let index = Int(number % 16)
                let token = try issuer.issue(Claims(number: index), encryptedFor: recipient)
                try require(
                    try opener.verify(token, as: Claims.self).number == index, "other claims")
            },
            Operation(name: "set pick") { number in
                let index = Int(number % 16)
                let tokens = signed[Int(number >> 8) % signed.count]
                try require(
                    try fromSet.verify(tokens[index]).payload == messages[index], "another payload")
            },
            Operation(name: "set read") { number in
                // A key of a set that no other thread has seen.
                let tokens = signed[Int(number >> 8) % signed.count]
                let fresh = try PublicJWKSet(json: setText)
                let verifier = try JWSVerifier(keys: fresh, algorithms: SignatureAlgorithm.all)
                _ = try verifier.verify(tokens[Int(number % 16)])
            },
            Operation(name: "chain validated again") { _ in try chain.validate() },
            Operation(name: "chain remembered") { _ in
                _ = try chain.key.validated(by: store, purpose: chain.purpose, at: chain.now)
            },
            Operation(name: "replay") { _ in
                let turn = tally.claimed.add(1, ordering: .relaxed).oldValue
                let use = ReplayEntry(
                    purpose: "campaign", issuer: "issuer", audience: "audience",
                    tokenID: "\(turn / Tally.claimants)", expires: later)
                do {
                    try replay.markUsedNow(use, at: now)
                    tally.granted.add(1, ordering: .relaxed)
                } catch ReplayStoreError.used {}
            },
        ]
    }
}
