// JWE in JSON: a decrypted token was encrypted like this, and every header is returned unchanged.

import JOSE
import JOSEBytes

extension FuzzTarget {
    /// Input: any text, or parts to be encrypted for `kw-1` and written as a token, separated by
    /// zero bytes: 1 for a flattened or 2 for a general token, the protected header, the shared
    /// one, the recipient's own, `aad` and the plaintext. Empty headers and `aad` are omitted.
    static let jweJSON = FuzzTarget("jwe-json") { input in
        guard let made = EncryptedParts(input) else {
            // A String is valid UTF-8: invalid bytes would be repaired before the reader sees them.
            guard let text = String(validating: input, as: UTF8.self),
                let read = try bounded(input, { try vectors.decryptJSON(text) })
            else { return }
            let token = try document(input)
            try hold(
                Known.encryptedContents.contains(Known.encryptedContent(token)),
                "a token was decrypted that nobody made")
            _ = try told(read, token)
            return
        }
        let text = try made.token()
        guard let read = try bounded(Array(text.utf8), { try holder.decryptJSON(text) }) else {
            return
        }
        try hold(read.unauthenticatedPlaintext == made.plaintext, "another plaintext")
        try hold(read.additionalData == made.aad, "other additional data")
        try hold(Array((read.header?.json ?? "").utf8) == made.protected, "another header")
        try hold(read.keyID == "kw-1", "another key")
        let header = try told(read, document(Array(text.utf8)))
        try hold(header["alg"] == .string("A128KW"), "another algorithm was accepted")
        try hold(
            header["enc"] == .string("A128CBC-HS256"), "another content encryption was accepted")
        for damage in EncryptedParts.Damage.allCases {
            let corrupted = try made.token(damage)
            try hold(
                try accepted { try holder.decryptJSON(corrupted) } == nil,
                "accepted with a damaged \(damage)")
        }
    }

    /// Unprotected headers are returned as in the token, no name is in two headers, and neither
    /// `crit` nor `zip` is unprotected. Returns all members.
    private static func told(
        _ read: DecryptedJSONJWE, _ token: JSONDocument
    ) throws -> [String: JSONValue] {
        let shared = try members(token.member("unprotected"), of: token)
        try hold(read.unprotectedHeader == shared, "another shared header")
        let owners = token.member("recipients").map { elements(of: $0, token) } ?? [0]
        let own = try owners.map { try members(token.member("header", of: $0), of: token) }
        try hold(own.contains(read.recipientHeader), "a header of no recipient")
        let protected = try read.header.map {
            try ClaimsDecoder.decode(
                [String: JSONValue].self, from: Array($0.json.utf8), maxDepth: 32)
        }
        var all: [String: JSONValue] = [:]
        for part in [protected ?? [:], shared, read.recipientHeader] {
            for (name, value) in part {
                try hold(all.updateValue(value, forKey: name) == nil, "a name in two headers")
            }
        }
        for name in ["crit", "zip"] {
            try hold(
                shared[name] == nil && read.recipientHeader[name] == nil, "\(name) unprotected")
        }
        return all
    }

    private static func members(
        _ node: Int?, of token: JSONDocument
    ) throws -> [String: JSONValue] {
        guard let node else { return [:] }
        return try ClaimsDecoder.decode(
            [String: JSONValue].self, from: Array(token.text(at: node)), maxDepth: 32)
    }

    private static func elements(of list: Int, _ token: JSONDocument) -> [Int] {
        var found: [Int] = []
        token.forEachElement(of: list) { found.append($0) }
        return found
    }

    private static func document(_ text: [UInt8]) throws -> JSONDocument {
        guard let document = try? JSONDocument(text, maxDepth: 32) else {
            throw Broken(description: "the token is not strict JSON")
        }
        return document
    }

    /// Has every key of the vectors' tokens in JSON.
    private static let vectors = need {
        try JWEDecrypter(
            keys: JWKSet(keys: Known.decryptingAll),
            algorithms: [.rsaOAEP, .a128KW, .a256GCMKW, .ecdhESA128KW],
            content: [.a128CBCHS256, .a128GCM])
    }
    /// Has only the symmetric key.
    private static let holder = need {
        try JWEDecrypter(
            keys: JWKSet(keys: [Known.wrapping]), algorithms: [.a128KW], content: [.a128CBCHS256])
    }
}

/// The parts that an input of the target `jwe-json` contains.
private struct EncryptedParts {
    enum Damage: CaseIterable { case tag, additionalData }

    let isGeneral: Bool
    let protected: [UInt8]
    let shared: [UInt8]
    let own: [UInt8]
    let aad: [UInt8]
    let plaintext: [UInt8]

    init?(_ input: [UInt8]) {
        guard let first = input.first, first == 1 || first == 2 else { return nil }
        let parts = input.dropFirst().split(
            separator: 0, maxSplits: 4, omittingEmptySubsequences: false
        ).map { Array($0) }
        guard parts.count == 5 else { return nil }
        isGeneral = first == 2
        (protected, shared, own, aad, plaintext) = (
            parts[0], parts[1], parts[2], parts[3], parts[4]
        )
    }

    /// The token. An unprotected header may be any text, even one that ends the token or adds
    /// members.
    func token(_ damage: Damage? = nil) throws -> String {
        let header = Made.text(protected)
        let additional = Made.text(aad)
        let sealed = try Made.sealed(
            plaintext, by: Known.wrapping.prepared.keyManagement(.a128KW, wrapping: true),
            content: .a128CBCHS256,
            authenticated: aad.isEmpty ? header : header + [Made.dot] + additional)
        var tag = sealed.tag
        if damage == .tag { tag[0] ^= 1 }
        let shownAAD = damage == .additionalData ? Made.text(aad + [0]) : additional
        var members = [(String, String)]()
        let quoted: ([UInt8]) -> String = { "\"\(String(decoding: $0, as: UTF8.self))\"" }
        if !protected.isEmpty { members.append(("protected", quoted(header))) }
        if !shared.isEmpty {
            members.append(("unprotected", String(decoding: shared, as: UTF8.self)))
        }
        if !shownAAD.isEmpty { members.append(("aad", quoted(shownAAD))) }
        members.append(("iv", quoted(Made.text(sealed.iv))))
        members.append(("ciphertext", quoted(Made.text(sealed.ciphertext))))
        members.append(("tag", quoted(Made.text(tag))))
        var recipient = [("encrypted_key", quoted(Made.text(sealed.encryptedKey)))]
        if !own.isEmpty { recipient.append(("header", String(decoding: own, as: UTF8.self))) }
        if isGeneral {
            members.append(("recipients", "[\(EncryptedParts.object(recipient))]"))
        } else {
            members += recipient
        }
        return EncryptedParts.object(members)
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}
