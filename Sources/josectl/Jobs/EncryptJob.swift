// Encrypting a payload, for the command and for batch: which form, for whom.

import JOSE

/// What encrypting needs besides the payload.
struct EncryptJob {
    /// Each recipient with what stands unprotected beside its encrypted key.
    let recipients: [(key: JWK, algorithm: KeyManagementAlgorithm, header: [String: JSONValue])]
    let content: ContentEncryptionAlgorithm
    let header: HeaderParameters
    let unprotected: [String: JSONValue]
    let additionalData: [UInt8]
    let compression: CompressionAlgorithm?
    let form: TokenForm
    let limits: Limits
    let options: RecipientOptions

    func run(_ payload: [UInt8]) throws -> String {
        guard let form = form.json else { return try compact(payload) }
        let encrypter = try JWEJSONEncrypter(
            recipients: recipients.map {
                try JWERecipient(
                    $0.key, algorithm: $0.algorithm, header: $0.header, options: options,
                    limits: limits)
            },
            content: content, header: header, unprotectedHeader: unprotected,
            compression: compression, limits: limits)
        return try encrypter.encrypt(payload, as: form, additionalData: additionalData)
    }

    private func compact(_ payload: [UInt8]) throws -> String {
        guard recipients.count == 1, recipients[0].header.isEmpty, unprotected.isEmpty,
            additionalData.isEmpty
        else {
            throw Refusal.misuse(
                "a compact token has one recipient, no unprotected header and no aad")
        }
        return try JWEEncrypter(
            recipients[0].key, algorithm: recipients[0].algorithm, content: content,
            header: header, options: options, compression: compression, limits: limits
        ).encrypt(payload)
    }
}

extension RecipientOptions {
    /// With these iterations of a password, where they are given.
    init(passwordIterations: Int?) {
        self.init()
        if let passwordIterations { self.passwordIterations = passwordIterations }
    }
}
