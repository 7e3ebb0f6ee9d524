// A JWS of the JSON serialisations, taken apart and checked in form before any key is looked for.

import JOSEBytes

/// What a reader of the JSON serialisations accepts; the algorithms and keys are the verifier's.
struct JSONSignatureRules {
    let requirement: SignatureRequirement
    let encodings: [PayloadEncoding]
    let algorithmLocation: AlgorithmLocation
    /// The critical extensions that the caller understands and checks itself.
    var extensions = CriticalHeader.Extensions.none
}

/// The parts of a flattened or general JWS (RFC 7515, 7.2).
struct JWSText {
    /// One signature with its headers.
    struct Entry {
        let header: JoinedHeader
        /// The header's protected part as it was received; empty where there is none.
        var protected: [UInt8] { header.protected }
        /// The node of the unprotected header; nil where there is none.
        let unprotected: Int?
        /// The base64url text of the signature, checked.
        let signature: [UInt8]
    }

    let text: JSONTokenText
    /// The payload's text as it is signed; nil where it is detached.
    let payload: [UInt8]?
    let encoding: PayloadEncoding
    /// In the order of the token; why an entry cannot be judged where its `crit` is not understood.
    let entries: [Result<Entry, JOSEError>]

    /// Members of encrypted tokens, which a signed one must not have.
    private static let ofOthers: [TokenMember] = [
        .ciphertext, .recipients, .encryptedKey, .iv, .tag, .aad, .unprotected,
    ]

    /// - Throws: `malformed` or `limitExceeded` for any fault of form, in whichever signature; `unsupported` where
    ///   the payload is encoded in another way than the rules name.
    init(
        _ token: Span<UInt8>, _ rules: JSONSignatureRules, _ limits: JOSELimits
    ) throws(JOSEError) {
        text = try JSONTokenText(token, limits)
        let members = try text.members(rejecting: JWSText.ofOthers)
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
            rules.encodings.contains(.unencoded) ? entries : entries.map(JWSText.plain)
    }

    /// For a reader that was not asked to understand `b64`.
    private static func plain(_ entry: Result<Entry, JOSEError>) -> Result<Entry, JOSEError> {
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
                "a JWS in JSON has no member signature, neither one of its own nor in signatures")
        }
        let protected = try text.string(members[.protected], "protected")
        let unprotected = members[.header]
        // Not to be found where it is not protected (RFC 7515, 4.1.11; RFC 7797, 3).
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

    /// All signers agree on how the payload is encoded (RFC 7797, 3).
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

    /// What one signature was made over: the header's text, a dot, and the payload as it stands.
    static func signingInput(_ protected: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        [UInt8](byteCapacity: protected.count + 1 + payload.count) { out in
            out.append(copying: protected.span)
            out.append(0x2e)
            out.append(copying: payload.span)
        }
    }
}
