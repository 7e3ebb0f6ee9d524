// ContentKeySource: where a key management algorithm gets the content encryption key.

package import JOSECrypto

/// The source of the content encryption key (RFC 7516, 2, key management modes).
package enum ContentKeySource: Sendable {
    /// A random key, wrapped for each recipient.
    case wrapped
    /// The shared key itself; there is no encrypted key.
    case shared
    /// The key from key agreement; there is no encrypted key.
    case agreed
    /// The algorithm encrypts the content itself, without `enc`. No algorithm does this yet. It is
    /// for HPKE integrated encryption, a draft (docs/decisions/0015-hpke-on-paper.md).
    case integrated(ContentAlgorithm)
}

extension KeyManagementAlgorithm {
    /// The content encryption that the algorithm includes; nil if `enc` names it.
    package var integratedContent: ContentAlgorithm? {
        guard case .integrated(let content) = contentKey else { return nil }
        return content
    }

    /// Whether a message can have only one recipient, because no content key is wrapped.
    package var hasOneRecipient: Bool {
        guard case .wrapped = contentKey else { return true }
        return false
    }

    package var defaultContent: ContentEncryptionAlgorithm? {
        integratedContent == nil ? .a128CBCHS256 : nil
    }

    /// Returns the content encryption of a message: `named`, or the algorithm's own.
    ///
    /// - Throws: `misuse` if `named` is nil but required, or set but not allowed.
    package func content(
        _ named: ContentEncryptionAlgorithm?
    ) throws(JOSEError) -> ContentAlgorithm {
        if let named, integratedContent == nil { return named.content }
        guard named == nil else {
            throw .misuse(
                "'content' must be nil: {} encrypts the content itself", .name(staticName))
        }
        guard let integratedContent else {
            throw .misuse(
                "'content' is nil: {} needs a content encryption algorithm", .name(staticName))
        }
        return integratedContent
    }
}
