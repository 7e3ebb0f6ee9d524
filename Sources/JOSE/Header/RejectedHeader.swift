// Explains the header of a rejected token.

import JOSEBytes

/// A header that was parsed within the limits; no other rule was checked.
struct RejectedHeader {
    let document: JSONDocument

    /// Nil if `encoded` is not a JSON object in base64url, or exceeds a limit.
    init?(_ encoded: Span<UInt8>, _ limits: JOSELimits) {
        guard encoded.count <= limits.headerBytes, let bytes = Base64URL.decode(encoded),
            let document = try? JSONDocument(bytes, maxDepth: limits.jsonDepth),
            document.kind(at: 0) == .object
        else { return nil }
        self.document = document
    }

    func string(_ name: StaticString) -> String? {
        document.member(name).flatMap { document.string(at: $0) }
    }

    /// The value of a member as JSON, at most 128 bytes; nil if it is absent.
    func shown(_ name: StaticString) -> String? {
        document.member(name).map {
            Trace.json(document, at: $0, atMost: 128)
        }
    }
}

extension RejectedHeader {
    func explainCritical(_ trace: Trace) {
        guard let names = shown("crit") else { return }
        trace.note(.header, "crit lists \(names)")
        trace.advise(
            """
            The sender requires an extension that this verifier does not support (RFC 7515, \
            4.1.11): the sender must omit it, or the caller must declare that it checks it.
            """, .critical)
    }

    func explainType(_ rule: MediaTypeRule, _ trace: Trace) {
        let found = shown("typ") ?? "absent"
        trace.note(.header, "typ is \(found), expected \(rule.expected)")
        trace.advise(
            """
            This is another kind of token than the expected one, such as an access token (at+jwt), \
            an ID Token (JWT) or a logout token (logout+jwt). Accept this type only if you expect \
            that kind.
            """, document.member("typ") == nil ? nil : .type,
            string("typ").map { RejectedHeader.isMediaType($0) ? $0 : "TYPE" })
    }

    /// Whether a `typ` may be shown as an option's value, which people paste into a shell.
    private static func isMediaType(_ text: String) -> Bool {
        text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "."),
                    UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    func explainContentType(_ trace: Trace) {
        trace.note(.header, "cty is \(shown("cty") ?? "absent"), expected 'JWT' (RFC 7519, 5.2)")
        trace.advise(
            """
            The sender must write cty JWT into the header of an encrypted token that contains a \
            signed one; a policy may allow its absence.
            """, document.member("cty") == nil ? .contentType : nil)
    }
}

extension Trace {
    /// Explains an algorithm name that is unknown, or differs from a known one only in case. `kind`
    /// and `use` complete the messages, for example `signature` and `sign`.
    func explainUnknown(
        _ member: String, _ name: String, _ names: [String], kind: String, use: String
    ) {
        let known = names.first { $0.lowercasedASCII.isExactly(name.lowercasedASCII) }
        guard let known else {
            note(.algorithm, "\(Trace.quoted(name)) is an unknown \(kind) algorithm")
            return advise("The sender must \(use) with one of the policy's algorithms.")
        }
        note(.algorithm, "\(member) is compared byte for byte, and the right name is \(known)")
        advise("The sender must write \(known) into the header.")
    }
}

extension MediaTypeRule {
    fileprivate var expected: String {
        switch self {
        case .any: "anything"
        case .jwt: "absent or 'JWT'"
        case .exactly(let type): Trace.quoted(type)
        case .jwtOr(let types):
            "absent, 'JWT'" + types.map { " or \(Trace.quoted($0))" }.joined()
        }
    }
}
