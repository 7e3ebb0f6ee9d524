// Parses a JWE in a JSON serialisation and checks its format before any key is selected.

import JOSEBytes
import JOSECrypto

/// The parts of a flattened or general JWE (RFC 7516, 7.2).
struct JWEText {
    struct Recipient {
        /// All header members for this recipient: protected, shared unprotected and its own.
        let header: JoinedHeader
        /// The node of the recipient's own unprotected header; nil if there is none.
        let unprotectedHeader: Int?
        /// The base64url text of the encrypted key; empty if there is none.
        let encryptedKey: [UInt8]
    }

    let text: JSONTokenText
    /// The base64url text of the protected header as received; empty if there is none.
    let protected: [UInt8]
    /// The node of the shared unprotected header; nil if there is none.
    let unprotected: Int?
    /// The valid base64url text of `aad`; nil if there is none.
    let encodedAAD: [UInt8]?
    // Base64url texts. An absent `iv` or `tag` is empty: the error is as for a wrong value.
    let iv: [UInt8]
    let ciphertext: [UInt8]
    let tag: [UInt8]
    let recipients: [Recipient]

    private static let jwsMembers: [TokenMember] = [.payload, .signature, .signatures]
    /// The members of the message that an entry of `recipients` must not have.
    private static let messageOnlyMembers: [TokenMember] = [
        .protected, .unprotected, .iv, .aad, .ciphertext, .tag, .recipients,
    ]

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
        encodedAAD = try text.encoded(members[.aad], "aad", at: .token)
        guard encodedAAD?.isEmpty != true else {
            throw .malformed(.token, "the member aad is empty: it must be omitted")
        }
        var recipients: [Recipient] = []
        if let list = try text.entries(members[.recipients], "recipients", limits) {
            try JSONTokenText.reject([.header, .encryptedKey], in: members)
            for object in list {
                let own = try text.members(
                    of: object, rejecting: JWEText.messageOnlyMembers + JWEText.jwsMembers)
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
                // RFC 7516, 4.1.3 and 4.1.13: these must be protected.
                forbidden: [.crit, .zip]),
            limits, understanding: extensions)
        return Recipient(
            header: header, unprotectedHeader: own,
            encryptedKey: try text.encoded(
                members[.encryptedKey], "encrypted_key", at: .token) ?? [])
    }

    /// RFC 7516, 7.2.1: one `enc` for all recipients; `dir` and `ECDH-ES` have only one recipient.
    private func checkAgreement() throws(JOSEError) {
        let encryption = recipients[0].encryption
        for recipient in recipients {
            guard recipient.encryption == encryption else {
                throw .malformed(.header, "enc differs between the recipients of one token")
            }
            if recipients.count > 1, recipient.mustBeSingle {
                throw .malformed(
                    .header, "direct encryption (dir, ECDH-ES) has one recipient, not {}",
                    .number(recipients.count))
            }
        }
    }

    /// The additional authenticated data (RFC 7516, 5.1, step 14), from the texts as received.
    var authenticated: [UInt8] {
        JWEText.authenticatedData(protected, encodedAAD)
    }

    static func authenticatedData(_ protected: [UInt8], _ encodedAAD: [UInt8]?) -> [UInt8] {
        guard let encodedAAD else { return protected }
        return [UInt8](capacity: protected.count + 1 + encodedAAD.count) {
            $0.append(copying: protected.span)
            $0.append(0x2e)
            $0.append(copying: encodedAAD.span)
        }
    }
}

extension JWEText.Recipient {
    fileprivate var encryption: [UInt8]? {
        header.fields.encryption.map {
            Array(JSON.string($0, in: header.document.bytes.span).utf8)
        }
    }

    /// Whether the algorithm allows only one recipient; false for an unknown algorithm.
    fileprivate var mustBeSingle: Bool {
        guard let name = header.fields.algorithm else { return false }
        return KeyManagementAlgorithm.all.contains {
            $0.hasOneRecipient && JSON.equals(name, $0.staticName, in: header.document.bytes.span)
        }
    }
}

/// The headers of a JWE whose format was checked and that was not decrypted.
package struct UnverifiedJSONJWE {
    /// For each recipient the JSON text of all its header members, protected or not.
    package let headers: [[UInt8]]

    /// - Throws: As `UnverifiedJSONJWS.init`.
    package init(_ token: Span<UInt8>, limits: JOSELimits, critical: [String] = [])
        throws(JOSEError)
    {
        headers = try JWEText(
            token, limits, understanding: CriticalHeader.Extensions(critical)
        ).recipients.map { $0.header.document.bytes }
    }
}
