// Encrypts a payload, for `josectl encrypt` and `batch`.

import JOSE
import JOSECrypto

struct EncryptJob {
    /// `header` is the unprotected header of this recipient.
    typealias Recipient = (
        key: JWK, algorithm: KeyManagementAlgorithm, header: [String: JSONValue]
    )
    let recipients: [Recipient]
    /// Nil if the key management algorithm encrypts the content itself.
    let content: ContentEncryptionAlgorithm?
    let header: HeaderParameters
    let unprotected: [String: JSONValue]
    let additionalData: [UInt8]
    let compression: CompressionAlgorithm?
    let form: TokenForm
    let limits: JOSELimits
    let options: RecipientOptions

    func run(_ payload: [UInt8]) throws -> String {
        guard let form = form.json else { return try compact(payload) }
        let encrypter = try JWEJSONEncrypter(
            recipients: recipients.map {
                try JWERecipient(
                    key: $0.key, algorithm: $0.algorithm, header: $0.header, options: options,
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
            throw Rejection.misuse(
                "a compact token has one recipient, no unprotected header and no aad")
        }
        return try JWEEncrypter(
            key: recipients[0].key, algorithm: recipients[0].algorithm, content: content,
            header: header, options: options, compression: compression, limits: limits
        ).encrypt(payload)
    }
}

extension RecipientOptions {
    /// Throws `misuse` for iterations without a recipient with a password: they would be ignored.
    init(
        passwordIterations: Int?, for algorithms: some Sequence<KeyManagementAlgorithm>
    ) throws {
        self.init()
        guard let passwordIterations else { return }
        guard algorithms.contains(where: { $0.family == .pbes2 }) else {
            throw Rejection.misuse("p2c requires a password: none of the algorithms is PBES2")
        }
        self.passwordIterations = passwordIterations
    }
}
