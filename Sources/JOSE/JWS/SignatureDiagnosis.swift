// Explains why a signature is invalid: its encoding, padding, hash, key or text.

import JOSEBytes
import JOSECrypto

/// Tries at most 17 keys, and never accepts a token. Functions that return a `Bool` return false if
/// they find nothing.
struct SignatureDiagnosis {
    let input: [UInt8]
    let signature: [UInt8]
    let algorithm: SignatureAlgorithm
    /// All usable keys, including `selected`.
    let keys: KeyDiagnosis
    let selected: PreparedKey
    let keyID: String?
    let trace: Trace

    var name: String {
        keyID.map { "key '\(printable($0, atMost: 80))'" } ?? "the key without kid"
    }

    var size: String { "\(JOSEError.grouped(signature.count)) bytes" }

    func explain() {
        switch algorithm.family {
        case .ecdsa: if explainDER() { return }
        case .rsaPKCS1, .rsaPSS: if explainBlock() { return }
        case .edDSA, .hmac, .mlDSA: break
        }
        if explainEncodedTwice() || explainSize() || explainOtherText() { return }
        explainOtherKey()
    }

    func note(_ text: String) { trace.note(.signature, text) }

    func verifies(
        _ signature: [UInt8], over input: [UInt8], by key: PreparedKey
    ) -> Bool {
        guard let operation = try? key.signature(algorithm, signing: false),
            operation.signatureBytes == signature.count
        else { return false }
        do {
            try operation.verify(input.span, signature: signature.span)
            return true
        } catch {
            return false
        }
    }
}
