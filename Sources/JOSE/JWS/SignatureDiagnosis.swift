// Why a signature does not verify: its encoding, its padding, its hash, its key or its text.

import JOSEBytes
import JOSECrypto

/// Finds out why a signature was rejected, with public keys and at most 17 of them. It runs for an
/// explanation, and accepts nothing.
struct SignatureDiagnosis {
    /// What the signature should be over.
    let input: [UInt8]
    let signature: [UInt8]
    let algorithm: SignatureAlgorithm
    /// All usable keys, of which one was selected.
    let keys: KeyDiagnosis
    let selected: PreparedKey
    /// The kid of the selected key; nil where it has none.
    let keyID: String?
    let trace: Trace

    /// The selected key for people.
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
