// Validates the header of an encrypted token before anything is decrypted.

import JOSEBytes
import JOSECrypto

extension JWEOpening {
    /// Validates `alg`, `enc` and `zip` by the policy, and selects the key.
    func validate(
        _ fields: HeaderFields, _ text: Span<UInt8>, _ trace: Trace?
    ) throws(JOSEError) -> AcceptedHeader {
        guard let name = fields.algorithm else { throw .algorithmNotAllowed }
        guard
            let algorithm = algorithms.first(where: { JSON.equals(name, $0.staticName, in: text) })
        else {
            guard fields.encryption != nil else { throw .noContentEncryption }
            throw RegisteredAlgorithm.notAllowed(
                "alg", name, in: text,
                allowed: (
                    algorithms.count, algorithms.first?.staticName,
                    algorithms.count > 1 ? algorithms[1].staticName : nil
                ), by: .keyManagementAlgorithms)
        }
        let named = try contentEncryption(algorithm, fields, text)
        let content = try algorithm.content(named)
        let compression = try compression(fields, text)
        trace?.passed(
            .algorithm, "\(algorithm)\(named.map { " with \($0)" } ?? "") is allowed")
        trace?.keys(
            keys.rejections(algorithm, keyID: fields.keyID.map { JSON.string($0, in: text) }))
        let keyIndex = try keys.select(
            algorithm, named, content, keyID: fields.keyID, in: text)
        return AcceptedHeader(
            algorithm: algorithm, content: content, compression: compression, keyIndex: keyIndex,
            layout: keyIndex.map { RecipientHeaderLayout(algorithm, keys.prepared($0)) } ?? .none,
            hasReplicatedClaims: fields.hasReplicatedClaims)
    }

    /// Returns the algorithm of `enc`; nil for integrated encryption, which has no `enc`. No
    /// algorithm has integrated encryption yet.
    private func contentEncryption(
        _ algorithm: KeyManagementAlgorithm, _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> ContentEncryptionAlgorithm? {
        guard algorithm.integratedContent == nil else {
            guard fields.encryption == nil else {
                throw .malformed(
                    .header, "enc must be absent: {} encrypts the content itself",
                    .name(algorithm.staticName))
            }
            return nil
        }
        guard let name = fields.encryption else { throw .noContentEncryption }
        guard let named = content.first(where: { JSON.equals(name, $0.staticName, in: text) })
        else {
            throw RegisteredAlgorithm.notAllowed(
                "enc", name, in: text,
                allowed: (
                    content.count, content.first?.staticName,
                    content.count > 1 ? content[1].staticName : nil
                ), by: .contentAlgorithms)
        }
        return named
    }

    private func compression(
        _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) -> CompressionAlgorithm? {
        guard let name = fields.compression else { return nil }
        guard
            let algorithm = compression.first(where: { JSON.equals(name, $0.staticName, in: text) })
        else {
            throw JSON.equals(name, CompressionAlgorithm.deflate.staticName, in: text)
                ? .deflateNotAllowed : .compressionNotAllowed
        }
        return algorithm
    }

    /// Checks that `cty` is `JWT` (RFC 7519, 5.2), or absent if the rule allows that.
    static func checkNested(
        _ rule: ContentTypeRule, _ fields: HeaderFields, _ text: Span<UInt8>
    ) throws(JOSEError) {
        guard rule != .any else { return }
        guard let node = fields.contentType else {
            guard rule == .jwtOrAbsent else { throw .noContentType }
            return
        }
        guard MediaType.equals(node, "JWT", in: text) else { throw .otherContentType }
    }
}

extension JOSEError {
    fileprivate static let noContentEncryption = JOSEError.malformed(
        .header, "the header has no enc")
    fileprivate static let deflateNotAllowed = JOSEError(
        .algorithmNotAllowed, .algorithm,
        "zip is DEF, which the policy does not allow (compression:)"
    ).withSetting(.compression)
    fileprivate static let compressionNotAllowed = JOSEError(
        .algorithmNotAllowed, .algorithm, "zip is not DEF, the only registered compression")
    static let noContentType = JOSEError.malformed(
        .header,
        """
        the header has no cty; an encrypted token around a JWT needs cty JWT, unless \
        ClaimsPolicy.requiresContentType is false
        """
    ).withSetting(.contentType)
    static let otherContentType = JOSEError.malformed(
        .header, "cty is not JWT: the encrypted token does not say that a JWT is inside")
}
