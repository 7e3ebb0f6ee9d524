// JWS in JSON: an accepted token was signed, with every rule and form.

import JOSE
import JOSEBytes

extension FuzzTarget {
    /// Input: any text, or 1, a header, 0 and a payload, to be signed and written as a flattened
    /// JWS.
    static let jwsJSON = FuzzTarget("jws-json") { input in
        guard let made = Made.parts(input) else {
            // A String is valid UTF-8: invalid bytes would be repaired before the reader sees them.
            guard let text = String(validating: input, as: UTF8.self) else { return }
            for rule in [SignatureRequirement.any, .all, .each(of: ["sig-1"])] {
                guard
                    let read = try bounded(
                        input, { try reader.verifyJSON(text, requiring: rule) })
                else { continue }
                try hold(!read.signatures.isEmpty, "accepted without a signature")
                try known(read)
            }
            _ = try accepted {
                try reader.verifyDetachedJSON(
                    text, payload: Array("payload".utf8), requiring: .any,
                    encodings: [.base64URL, .unencoded], algorithmLocation: .anyHeader)
            }
            return
        }
        let parts = try Made.signed(made.header, made.payload).split(
            separator: Made.dot, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        let token =
            #"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#
        guard let read = try accepted({ try reader.verifyJSON(token, requiring: .all) }) else {
            return
        }
        try hold(read.payload == made.payload, "another payload than the signed one")
        try hold(Made.says(made.header, "alg", "RS256"), "another algorithm was accepted")
    }

    private static let reader = need { try JWSVerifier(keys: signers, algorithms: [.rs256]) }

    /// Every signature must be from one of the vectors' compact tokens.
    private static func known(_ token: VerifiedJSONJWS) throws {
        let payload = Made.text(token.payload)
        for signature in token.signatures where signature.keyID != nil {
            guard let header = signature.header else { continue }
            let input = Made.text(Array(header.json.utf8)) + [Made.dot] + payload + [Made.dot]
            try hold(
                Known.tokens.contains { $0.starts(with: input) }, "a signature that nobody made")
        }
    }
}
