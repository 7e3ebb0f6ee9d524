// What a decrypter's policy and keys say to a header, before anything is decrypted.

import JOSEBytes
import JOSECrypto

extension JWEOpening {
    /// What the policy and our keys say to one header.
    func admit(
        _ fields: HeaderFields, _ text: Span<UInt8>, _ trace: Trace?
    ) throws(JOSEError) -> Admitted {
        guard let name = fields.algorithm else { throw .algorithmNotAllowed }
        guard let algorithm = algorithms.first(where: { JSON.equals(name, $0.word, in: text) })
        else { throw fields.encryption == nil ? .noContentEncryption : .algorithmNotAllowed }
        let named = try contentEncryption(algorithm, fields, text)
        let content = try algorithm.content(named)
        let compression = try compression(fields, text)
        trace?.passed(
            .algorithm, "\(algorithm)\(named.map { " with \($0)" } ?? "") is allowed")
        trace?.keys(
            keys.refusals(algorithm, keyID: fields.keyID.map { JSON.string($0, in: text) }))
        let keyIndex = try keys.select(
            algorithm, named, content, keyID: fields.keyID, in: text)
        return Admitted(
            algorithm: algorithm, content: content, compression: compression, keyIndex: keyIndex,
            form: keyIndex.map { RecipientForm(algorithm, keys.prepared($0)) } ?? .none,
            hasReplicatedClaims: fields.hasReplicatedClaims)
    }

    /// What `enc` names, one of the policy's; nil where the algorithm encrypts the content itself, without `enc`.
    private func contentEncryption(
        _ algorithm: KeyManagementAlgorithm, _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> ContentEncryptionAlgorithm? {
        guard algorithm.integratedContent == nil else {
            guard fields.encryption == nil else {
                throw .malformed(
                    .header, "enc beside an algorithm that encrypts the content itself")
            }
            return nil
        }
        guard let name = fields.encryption else { throw .noContentEncryption }
        guard let content = content.first(where: { JSON.equals(name, $0.word, in: text) }) else {
            throw .algorithmNotAllowed
        }
        return content
    }

    /// `zip` must be one of those that the policy names.
    private func compression(
        _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> CompressionAlgorithm? {
        guard let name = fields.compression else { return nil }
        guard let algorithm = compression.first(where: { JSON.equals(name, $0.word, in: text) })
        else {
            throw JOSEError(
                .algorithmNotAllowed, .algorithm, "the policy does not allow this compression")
        }
        return algorithm
    }

    /// `cty` must say JWT where a token is in it (RFC 7519, 5.2); where it may be absent, another is refused all the same.
    static func checkNested(
        _ rule: ContentTypeRule, _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) {
        guard rule != .any else { return }
        guard let node = fields.contentType else {
            guard rule == .jwtOrAbsent else { throw .noNestedToken }
            return
        }
        guard MediaType.equals(node, "JWT", in: text) else { throw .noNestedToken }
    }
}

extension JOSEError {
    fileprivate static let noContentEncryption = JOSEError.malformed(
        .header, "the header has no enc")
    static let noNestedToken = JOSEError.malformed(
        .header, "an encrypted token that must hold a JWT does not say cty JWT")
}
