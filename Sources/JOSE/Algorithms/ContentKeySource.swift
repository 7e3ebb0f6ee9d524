// The source of the content encryption key, as a property of a key management algorithm.

package import JOSECrypto

/// The source of the content encryption key (RFC 7516, 2, key management modes).
package enum ContentKeySource: Sendable {
    /// A random key, wrapped for each recipient.
    case wrapped
    /// The shared key itself; there is no encrypted key.
    case shared
    /// The key from key agreement; there is no encrypted key.
    case agreed
    /// The algorithm encrypts the content itself; `enc` must be absent. For HPKE integrated
    /// encryption, a draft: no algorithm has it yet (docs/decisions/0015-hpke-on-paper.md).
    case integrated(ContentAlgorithm)
}

extension KeyManagementAlgorithm {
    /// The content encryption if the algorithm includes it; nil if `enc` names it.
    package var integratedContent: ContentAlgorithm? {
        guard case .integrated(let content) = contentKey else { return nil }
        return content
    }

    /// Whether a message has only one recipient, since no key is wrapped for others.
    package var hasOneRecipient: Bool {
        guard case .wrapped = contentKey else { return true }
        return false
    }

    /// The default content encryption; nil if the algorithm includes it.
    package var defaultContent: ContentEncryptionAlgorithm? {
        integratedContent == nil ? .a128CBCHS256 : nil
    }

    /// Returns the content encryption of a message: the named one, or the algorithm's own.
    ///
    /// - Throws: `misuse` if one is named and must not be, or the reverse.
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
