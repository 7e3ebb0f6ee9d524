// Parses a JWE of the JSON serialisations and checks its format before any key is selected.

import JOSEBytes
import JOSECrypto

/// The parts of a flattened or general JWE (RFC 7516, 7.2).
struct JWEText {
    /// A recipient with all members of its header.
    struct Recipient {
        /// The protected, shared and recipient's members, joined.
        let header: JoinedHeader
        /// The node of the recipient's unprotected header; nil if there is none.
        let own: Int?
        /// The base64url text of the encrypted key; empty if there is none.
        let encryptedKey: [UInt8]
    }

    let text: JSONTokenText
    /// The base64url text of the protected header as received; empty if there is none.
    let protected: [UInt8]
    /// The node of the shared unprotected header; nil if there is none.
    let unprotected: Int?
    /// The base64url text of `aad`, which is valid; nil if there is none.
    let additional: [UInt8]?
    // Base64url texts. An absent member is empty, which fails in the same way as a wrong value.
    let iv: [UInt8]
    let ciphertext: [UInt8]
    let tag: [UInt8]
    let recipients: [Recipient]

    /// The members of a JWS, which a JWE must not have.
    private static let jwsMembers: [TokenMember] = [.payload, .signature, .signatures]
    /// The members of the whole message, which a recipient must not have.
    private static let ofMessage: [TokenMember] = [
        .protected, .unprotected, .iv, .aad, .ciphertext, .tag, .recipients,
    ]

    /// - Throws: `malformed` or `limitExceeded` for a wrong format of any recipient; `unsupported`
    ///   for a `crit` that is not supported.
    init(
        _ token: Span<UInt8>, _ limits: JOSELimits,
        understanding extensions: CriticalHeader.Extensions = .none
    ) throws(JOSEError) {
        text = try JSONTokenText(token, limits)
        let members = try text.members(rejecting: JWEText.jwsMembers)
        let protected = try text.string(members[.protected], "protected")
        let unprotected = members[.unprotected]
        self.protected = protected ?? []
        self.unprotected = unprotected
        guard
            let ciphertext = try text.encoded(
                members[.ciphertext], "ciphertext", at: .token)
        else {
            throw .malformed(.token, "a JWE in JSON needs the member ciphertext")
        }
        self.ciphertext = ciphertext
        iv = try text.encoded(members[.iv], "iv", at: .token) ?? []
        tag = try text.encoded(members[.tag], "tag", at: .token) ?? []
        additional = try text.encoded(members[.aad], "aad", at: .token)
        guard additional?.isEmpty != true else {
            throw .malformed(.token, "the member aad is empty: it must be omitted")
        }
        var recipients: [Recipient] = []
        if let list = try text.entries(members[.recipients], "recipients", limits) {
            try JSONTokenText.reject([.header, .encryptedKey], in: members)
            for object in list {
                let own = try text.members(
                    of: object, rejecting: JWEText.ofMessage + JWEText.jwsMembers)
                recipients.append(
                    try JWEText.recipient(
                        own, text, protected, unprotected, limits, extensions))
            }
        } else {
            recipients.append(
                try JWEText.recipient(
                    members, text, protected, unprotected, limits, extensions))
        }
        self.recipients = recipients
        try checkAgreement()
    }

    private static func recipient(
        _ members: TokenMembers, _ text: JSONTokenText, _ protected: [UInt8]?, _ unprotected: Int?,
        _ limits: JOSELimits, _ extensions: CriticalHeader.Extensions
    ) throws(JOSEError) -> Recipient {
        let own = members[.header]
        let header = try JoinedHeader(
            protected: protected,
            UnprotectedParts(
                document: text.document, objects: [unprotected, own].compactMap { $0 },
                // These must be protected (RFC 7516, 4.1.3 and 4.1.13).
                forbidden: [.crit, .zip]),
            limits, understanding: extensions)
        return Recipient(
            header: header, own: own,
            encryptedKey: try text.encoded(
                members[.encryptedKey], "encrypted_key", at: .token) ?? [])
    }

    /// Checks that all recipients have the same `enc`, and that `dir` and `ECDH-ES` have only one
    /// recipient (RFC 7516, 7.2.1). Whether `enc` is required depends on the algorithm.
    private func checkAgreement() throws(JOSEError) {
        let encryption = recipients[0].encryption
        for recipient in recipients {
            guard recipient.encryption == encryption else {
                throw .malformed(.header, "enc differs between the recipients of one token")
            }
            if recipients.count > 1, recipient.isSingle {
                throw .malformed(
                    .header, "direct encryption (dir, ECDH-ES) has one recipient, not {}",
                    .number(recipients.count))
            }
        }
    }

    /// The additional authenticated data (RFC 7516, 5.1, step 14), from the texts as received.
    var authenticated: [UInt8] {
        JWEText.authenticated(protected, additional)
    }

    static func authenticated(_ protected: [UInt8], _ additional: [UInt8]?) -> [UInt8] {
        guard let additional else { return protected }
        return [UInt8](capacity: protected.count + 1 + additional.count) {
            $0.append(copying: protected.span)
            $0.append(0x2e)
            $0.append(copying: additional.span)
        }
    }
}

extension JWEText.Recipient {
    /// The value of `enc`.
    fileprivate var encryption: [UInt8]? {
        header.fields.encryption.map {
            Array(JSON.string($0, in: header.document.bytes.span).utf8)
        }
    }

    /// Whether the algorithm is known and allows only one recipient.
    fileprivate var isSingle: Bool {
        guard let name = header.fields.algorithm else { return false }
        return KeyManagementAlgorithm.all.contains {
            $0.hasOneRecipient && JSON.equals(name, $0.staticName, in: header.document.bytes.span)
        }
    }
}

/// The headers of a token that is not decrypted; only its format was checked.
package struct UnverifiedJSONJWE {
    /// The JSON texts of the headers, one for each recipient: all members, protected or not.
    package let headers: [[UInt8]]

    /// - Throws: `malformed` or `limitExceeded` for a wrong format; `unsupported` for an extension
    ///   in `crit` that `critical` does not name.
    package init(_ token: Span<UInt8>, limits: JOSELimits, critical: [String] = [])
        throws(JOSEError)
    {
        headers = try JWEText(
            token, limits, understanding: CriticalHeader.Extensions(critical)
        ).recipients.map { $0.header.document.bytes }
    }
}
