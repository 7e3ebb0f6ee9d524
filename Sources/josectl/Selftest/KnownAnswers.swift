// The built-in known answers: for each row of the algorithm tables one token to accept and one to refuse.

import JOSE
import JOSEBytes
import JOSECrypto

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

    /// The rows that have no known answer, whether it can be asked here or not; one is a failure of the self-test.
    static func missing(_ known: Set<String> = known) -> [String] {
        let rows =
            SignatureAlgorithm.all.map(\.description)
            + KeyManagementAlgorithm.all.map(\.description)
            + ContentEncryptionAlgorithm.all.map(\.description)
        return rows.filter { !known.contains($0) }
    }

    /// The names of the rows that a known answer is for.
    static let known = Set(
        signatureRows.map(\.known.algorithm)
            + KnownEncryption.all.flatMap { [$0.algorithm, $0.content].compactMap(\.self) })

    private static let signatureRows: [(known: KnownSignature, payload: String)] =
        [
            (
                KnownSignature(
                    algorithm: "RS256", isFixed: true, key: KnownText.rfc7515A2Key,
                    token: KnownText.rfc7515A2Token), KnownText.rfc7515A2Payload
            )
        ] + KnownSignature.all.map { ($0, "hello") }

    /// A key of a known answer, and what C calls its kind; nil where the libcrypto that runs does not have it.
    private static func usable(_ text: String) throws -> (key: JWK, kind: NativeKeyKind)? {
        do throws(JOSEError) {
            let key = try JWK(json: text)
            return KeyKindRow.row(key.prepared.material.kind).map { (key, $0.native) }
        } catch {
            guard error.code == .unsupported else { throw error }
            return nil
        }
    }

    private static func signatures() throws -> [KnownAnswer] {
        try signatureRows.compactMap { try answer($0.known, payload: $0.payload) }
    }

    private static func answer(_ known: KnownSignature, payload: String) throws -> KnownAnswer? {
        guard let algorithm = SignatureAlgorithm.named(known.algorithm),
            let (key, kind) = try usable(known.key),
            algorithm.family.missing(algorithm.hash, with: kind) == nil
        else { return nil }
        let verifier = try JWSVerifier(
            key: key.keyType == .oct ? key : key.publicKey, algorithms: [algorithm])
        let signer = try JWSSigner(key: key, algorithm: algorithm)
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
            guard let algorithm = KeyManagementAlgorithm.named(known.algorithm),
                let (key, kind) = try usable(known.key),
                algorithm.family.missing(
                    algorithm.hash, wrapBytes: algorithm.wrapBytes, with: kind) == nil
            else { continue }
            let content = known.content.flatMap { ContentEncryptionAlgorithm.named($0) }
            guard (content == nil) == (known.content == nil) else { continue }
            let decrypter = try JWEDecrypter(
                key: key, algorithms: [algorithm], content: content.map { [$0] } ?? [])
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
