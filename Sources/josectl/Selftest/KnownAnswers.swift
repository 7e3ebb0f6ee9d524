// The built-in known answers: for each row of the algorithm tables one token to accept and one to refuse.

import JOSE
import JOSEBytes

/// A known answer for one row.
struct KnownAnswer {
    let row: String
    let token: String
    let payload: String
    /// Opens the token and gives its payload.
    let open: (String) throws -> [UInt8]
    /// Makes the token again; where chance is part of it, makes and opens another.
    var makeAgain: (() throws -> String)?
    /// What a token with one changed bit must end in.
    let refusal: JOSEError.Code
}

extension KnownAnswer {
    /// All of them, by the rows of the tables.
    static func all() throws -> [KnownAnswer] {
        try signatures() + encryption()
    }

    /// The rows that have no known answer; a row without one is a failure of the self-test.
    static func missing(_ answers: [KnownAnswer]) -> [String] {
        let rows =
            SignatureAlgorithm.all.map(\.description)
            + KeyManagementAlgorithm.all.map(\.description)
            + ContentEncryptionAlgorithm.all.map(\.description)
        let known = Set(answers.map(\.row))
        return rows.filter { !known.contains($0) }
    }

    private static func signatures() throws -> [KnownAnswer] {
        let published = KnownSignature(
            algorithm: "RS256", isFixed: true, key: KnownText.rfc7515A2Key,
            token: KnownText.rfc7515A2Token)
        let first = try answer(published, payload: KnownText.rfc7515A2Payload)
        return try [first] + KnownSignature.all.map { try answer($0, payload: "hello") }
    }

    private static func answer(_ known: KnownSignature, payload: String) throws -> KnownAnswer {
        let algorithm = try SignatureAlgorithm.wanted(known.algorithm)
        let key = try JWK(json: known.key)
        let verifier = try JWSVerifier(
            key: key.keyType == .oct ? key : key.publicKey, algorithms: [algorithm])
        let signer = try JWSSigner(key, algorithm: algorithm)
        return KnownAnswer(
            row: known.algorithm, token: known.token, payload: payload,
            open: { try verifier.verify($0).payload },
            makeAgain: {
                let made = try signer.sign(payload)
                _ = try verifier.verify(made)
                return known.isFixed ? made : known.token
            },
            refusal: .signatureInvalid)
    }

    /// One answer for each algorithm and each content encryption that a known token names.
    private static func encryption() throws -> [KnownAnswer] {
        var answers: [KnownAnswer] = []
        for known in KnownEncryption.all {
            guard let algorithm = KeyManagementAlgorithm.named(known.algorithm) else { continue }
            let content = try known.content.map { try ContentEncryptionAlgorithm.wanted($0) }
            let decrypter = try JWEDecrypter(
                key: JWK(json: known.key), algorithms: [algorithm],
                content: content.map { [$0] } ?? [])
            for row in [known.algorithm, known.content].compactMap({ $0 })
            where !answers.contains(where: { $0.row == row }) {
                answers.append(
                    KnownAnswer(
                        row: row, token: known.token, payload: "hello",
                        open: { try decrypter.decrypt($0).unauthenticatedPlaintext },
                        refusal: .decryptionFailed))
            }
        }
        return answers
    }
}

extension KnownAnswer {
    /// Runs the answer; nil if all is as it must be, else what is wrong.
    func fault() -> String? {
        do {
            guard try open(token) == Array(payload.utf8) else { return "another payload" }
            if let makeAgain, try makeAgain() != token { return "another token" }
        } catch {
            return "the known token was refused: \(Refusal(any: error)?.message ?? "")"
        }
        do {
            _ = try open(changed)
            return "a changed token was accepted"
        } catch {
            let isRight = Refusal(any: error)?.code == refusal
            return isRight ? nil : "a changed token got another refusal"
        }
    }

    /// The token with one bit changed in the middle of its last part that is not empty: signature, tag, or a
    /// ciphertext that holds its tag.
    private var changed: String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let last = parts.lastIndex(where: { !$0.isEmpty }),
            var bytes = Base64URL.decode(parts[last].utf8.span), !bytes.isEmpty
        else { return "" }
        bytes[bytes.count / 2] ^= 1
        parts[last] = Base64URL.encodeToString(bytes.span)
        return parts.joined(separator: ".")
    }
}
