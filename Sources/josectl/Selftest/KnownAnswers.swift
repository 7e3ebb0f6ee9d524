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
    /// Makes the token again, where the algorithm leaves nothing to chance.
    var makeAgain: (() throws -> String)?
    /// What a token with one changed bit must end in.
    let refusal: JOSEError.Code
}

extension KnownAnswer {
    /// All of them, by the rows of the tables.
    static func all() throws -> [KnownAnswer] {
        try signatures() + keyManagement() + contents()
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
        let key = try JWK(json: KnownText.rfc7515A2Key)
        let verifier = try JWSVerifier(key: key.publicKey, algorithms: [.rs256])
        let payload = try verifier.verify(KnownText.rfc7515A2Token).payload
        let signer = try JWSSigner(key, algorithm: .rs256)
        return [
            KnownAnswer(
                row: "RS256", token: KnownText.rfc7515A2Token,
                payload: KnownText.rfc7515A2Payload,
                open: { try verifier.verify($0).payload }, makeAgain: { try signer.sign(payload) },
                refusal: .signatureInvalid)
        ]
    }

    private static func keyManagement() throws -> [KnownAnswer] {
        try [
            decrypting("RSA-OAEP", KnownText.rsaOAEPToken, .rsaOAEP, .a128CBCHS256),
            decrypting("RSA-OAEP-256", KnownText.rsaOAEP256Token, .rsaOAEP256, .a128CBCHS256),
        ]
    }

    private static func contents() throws -> [KnownAnswer] {
        try [decrypting("A128CBC-HS256", KnownText.rsaOAEP256Token, .rsaOAEP256, .a128CBCHS256)]
    }

    private static func decrypting(
        _ row: String, _ token: String, _ algorithm: KeyManagementAlgorithm,
        _ content: ContentEncryptionAlgorithm
    ) throws -> KnownAnswer {
        let key = try JWK(json: KnownText.decryptionKey)
        let decrypter = try JWEDecrypter(key: key, algorithms: [algorithm], content: [content])
        return KnownAnswer(
            row: row, token: token, payload: "hello",
            open: { try decrypter.decrypt($0).unauthenticatedPlaintext },
            refusal: .decryptionFailed)
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

    /// The token with one bit changed in the middle of its last part: signature or tag.
    private var changed: String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let last = parts.popLast(), var bytes = Base64URL.decode(last.utf8.span),
            !bytes.isEmpty
        else { return "" }
        bytes[bytes.count / 2] ^= 1
        return (parts + [Base64URL.encodeToString(bytes.span)]).joined(separator: ".")
    }
}
