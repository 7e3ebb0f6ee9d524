// Where the key of a message's content comes from, as a fact of a key management algorithm.

package import JOSECrypto

/// What a message's content is encrypted under (RFC 7516, 2, key management modes).
package enum ContentKeySource: Sendable {
    /// A key of the message's own, which is wrapped for each recipient.
    case wrapped
    /// The shared key itself: there is no encrypted key.
    case shared
    /// The key that was agreed on: there is no encrypted key.
    case agreed
    /// What the algorithm makes, for an encryption of its own: `enc` must not be there.
    case integrated(ContentAlgorithm)
}

extension KeyManagementAlgorithm {
    /// What encrypts the content where the algorithm does it by itself; nil where `enc` says it.
    package var integratedContent: ContentAlgorithm? {
        guard case .integrated(let content) = contentKey else { return nil }
        return content
    }

    /// Whether a message has one recipient, since there is no key that could be wrapped for others.
    package var hasOneRecipient: Bool {
        guard case .wrapped = contentKey else { return true }
        return false
    }

    /// What encrypts content for a recipient that names nothing; nil where the algorithm does it by itself.
    package var defaultContent: ContentEncryptionAlgorithm? {
        integratedContent == nil ? .a128CBCHS256 : nil
    }

    /// What encrypts a message's content: what was named, or the algorithm itself.
    ///
    /// - Throws: `misuse` where one must be named and is not, or the other way round.
    package func content(
        _ named: ContentEncryptionAlgorithm?
    ) throws(JOSEError) -> ContentAlgorithm {
        if let named, integratedContent == nil { return named.content }
        guard named == nil else {
            throw .misuse(
                "{} encrypts the content itself: content: must be nil", .name(staticName))
        }
        guard let integratedContent else {
            throw .misuse("content: is nil; {} needs a content encryption", .name(staticName))
        }
        return integratedContent
    }
}
