// Parses a JWS of the JSON serialisations and checks its format before any key is selected.

import JOSEBytes

/// What a caller accepts of a JWS in JSON, besides algorithms and keys.
struct JSONSignatureRules {
    let requirement: SignatureRequirement
    let encodings: [PayloadEncoding]
    let algorithmLocation: AlgorithmLocation
    /// The `crit` extensions that the caller checks.
    var extensions = CriticalHeader.Extensions.none
}

/// The parts of a flattened or general JWS (RFC 7515, 7.2).
struct JWSText {
    /// One signature and its headers.
    struct Entry {
        let header: JoinedHeader
        /// The base64url text of the protected header as received; empty if there is none.
        var protected: [UInt8] { header.protected }
        /// The node of the unprotected header in `text`; nil if there is none.
        let unprotected: Int?
        /// The unverified signature, as valid base64url text.
        let signature: [UInt8]
    }

    let text: JSONTokenText
    /// The payload as it is signed, base64url or unencoded; nil if the token has no `payload`.
    let payload: [UInt8]?
    let encoding: PayloadEncoding
    /// In the order of the token. An entry is an error if its `crit` is not supported, or if it has
    /// `b64` and the rules do not accept unencoded payloads.
    let entries: [Result<Entry, JOSEError>]

    private static let jweMembers: [TokenMember] = [
        .ciphertext, .recipients, .encryptedKey, .iv, .tag, .aad, .unprotected,
    ]

    /// - Throws: `malformed` or `limitExceeded` if the token or any signature has a wrong format;
    ///   `unsupported` for a payload encoding that the rules do not accept.
    init(
        _ token: Span<UInt8>, _ rules: JSONSignatureRules, _ limits: JOSELimits
    ) throws(JOSEError) {
        text = try JSONTokenText(token, limits)
        let members = try text.members(rejecting: JWSText.jweMembers)
        payload = try text.string(members[.payload], "payload")
        var entries: [Result<Entry, JOSEError>] = []
        if let list = try text.entries(members[.signatures], "signatures", limits) {
            try JSONTokenText.reject([.signature, .protected, .header], in: members)
            for object in list {
                let own = try text.members(of: object, rejecting: [.payload, .signatures])
                entries.append(try JWSText.entry(own, text, rules, limits))
            }
        } else {
            entries.append(try JWSText.entry(members, text, rules, limits))
        }
        encoding = try JWSText.encoding(of: entries, rules)
        self.entries =
            rules.encodings.contains(.unencoded) ? entries : entries.map(JWSText.withoutB64)
    }

    /// For rules without `.unencoded`: rejects an entry with `b64`, whatever its value.
    private static func withoutB64(
        _ entry: Result<Entry, JOSEError>
    ) -> Result<Entry, JOSEError> {
        guard case .success(let read) = entry, read.header.document.member("b64") != nil else {
            return entry
        }
        return .failure(.payloadEncodingNotAllowed)
    }

    private static func entry(
        _ members: TokenMembers, _ text: JSONTokenText, _ rules: JSONSignatureRules,
        _ limits: JOSELimits
    ) throws(JOSEError) -> Result<Entry, JOSEError> {
        guard
            let signature = try text.encoded(
                members[.signature], "signature", at: .signature)
        else {
            throw .malformed(
                .token,
                "a JWS in JSON needs the member signature, in its object or in signatures")
        }
        let protected = try text.string(members[.protected], "protected")
        let unprotected = members[.header]
        // These must be protected (RFC 7515, 4.1.11; RFC 7797, 3).
        var forbidden: [HeaderMember] = [.crit, .b64]
        if rules.algorithmLocation == .protectedHeader { forbidden.append(.alg) }
        do throws(JOSEError) {
            let header = try JoinedHeader(
                protected: protected,
                UnprotectedParts(
                    document: text.document, objects: unprotected.map { [$0] } ?? [],
                    forbidden: forbidden),
                limits, understanding: rules.extensions.with(unencodedPayload: true))
            return .success(
                Entry(header: header, unprotected: unprotected, signature: signature))
        } catch {
            guard error.code == .unsupported else { throw error }
            return .failure(error)
        }
    }

    /// The payload encoding, which must be the same for all signatures (RFC 7797, 3).
    private static func encoding(
        of entries: [Result<Entry, JOSEError>], _ rules: JSONSignatureRules
    ) throws(JOSEError) -> PayloadEncoding {
        var found: PayloadEncoding?
        for case .success(let entry) in entries {
            let encoding: PayloadEncoding =
                entry.header.fields.isUnencoded ? .unencoded : .base64URL
            guard found == nil || found == encoding else {
                throw .malformed(.header, "b64 differs between the signatures of one token")
            }
            found = encoding
        }
        let encoding = found ?? .base64URL
        guard rules.encodings.contains(encoding) else { throw .payloadEncodingNotAllowed }
        return encoding
    }

    /// The signing input (RFC 7515, 5.1).
    static func signingInput(_ protected: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        [UInt8](byteCapacity: protected.count + 1 + payload.count) { out in
            out.append(copying: protected.span)
            out.append(0x2e)
            out.append(copying: payload.span)
        }
    }
}

/// The headers and payload of a JWS in JSON, of which only the format was checked.
package struct UnverifiedJSONJWS {
    /// For each signature the JSON object of all its header members, protected or not.
    package let headers: [[UInt8]]
    /// The decoded payload; nil if it is detached.
    package let payload: [UInt8]?

    /// - Throws: `malformed` or `limitExceeded` for a wrong format; `unsupported` for an extension
    ///   in `crit` that `critical` lacks; `misuse` if `critical` has an empty or registered name.
    package init(_ token: Span<UInt8>, limits: JOSELimits, critical: [String] = [])
        throws(JOSEError)
    {
        let rules = JSONSignatureRules(
            requirement: .any, encodings: [.base64URL, .unencoded], algorithmLocation: .anyHeader,
            extensions: try CriticalHeader.Extensions(critical))
        let text = try JWSText(token, rules, limits)
        var headers: [[UInt8]] = []
        for entry in text.entries { headers.append(try entry.get().header.document.bytes) }
        self.headers = headers
        guard let signed = text.payload, text.encoding == .base64URL else {
            payload = text.payload
            return
        }
        guard let payload = Base64URL.decode(signed.span) else {
            throw .notBase64URL(signed.span, .payload, "the payload")
        }
        self.payload = payload
    }
}
