// The header of a token that was rejected, and what an explanation says of its members.

import JOSEBytes

/// The header of a token that was rejected, read without any rule.
struct RejectedHeader {
    let document: JSONDocument

    /// Nil where it is no JSON object in base64url.
    init?(_ encoded: Span<UInt8>, _ limits: JOSELimits) {
        guard encoded.count <= limits.headerBytes, let bytes = Base64URL.decode(encoded),
            let document = try? JSONDocument(bytes, maxDepth: limits.jsonDepth),
            document.kind(at: 0) == .object
        else { return nil }
        self.document = document
    }

    /// Of fields that were read.
    init(_ document: JSONDocument) { self.document = document }

    func string(_ name: StaticString) -> String? {
        document.member(name).flatMap { document.string(at: $0) }
    }

    /// The value of a member as JSON, bounded; nil where it is absent.
    func shown(_ name: StaticString) -> String? {
        document.member(name).map {
            Trace.json(document, at: $0, atMost: 128)
        }
    }
}

extension RejectedHeader {
    /// `crit`, which nobody understood.
    func explainCritical(_ trace: Trace) {
        guard let names = shown("crit") else { return }
        trace.note(.header, "crit lists \(names)")
        trace.advise(
            """
            The sender demands an extension that this verifier does not understand (RFC 7515, \
            4.1.11): it must leave it out, \
            or the caller must say that it understands it.
            """, .critical)
    }

    /// `typ`, which is another than the rule's.
    func explainType(_ rule: MediaTypeRule, _ trace: Trace) {
        let found = shown("typ") ?? "absent"
        trace.note(.header, "typ is \(found), expected \(rule.wanted)")
        trace.advise(
            """
            This is another kind of token than the one that is expected: an access token \
            (at+jwt), an ID Token (JWT), a \
            logout token (logout+jwt). Accept this type only where that kind is wanted.
            """, document.member("typ") == nil ? nil : .type,
            string("typ").map { RejectedHeader.isMediaType($0) ? $0 : "TYPE" })
    }

    /// Whether a `typ` may be shown as the value of an option: people paste what they read into a
    /// shell.
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

    /// `cty`, which does not say that a token is inside.
    func explainContentType(_ trace: Trace) {
        trace.note(.header, "cty is \(shown("cty") ?? "absent"), expected 'JWT' (RFC 7519, 5.2)")
        trace.advise(
            """
            The sender must write cty JWT into the header of an encrypted token that holds a \
            signed one; a policy may allow its absence.
            """, document.member("cty") == nil ? .contentType : nil)
    }
}

extension MediaTypeRule {
    /// What the rule wants, for people.
    fileprivate var wanted: String {
        switch self {
        case .any: "anything"
        case .jwt: "absent or 'JWT'"
        case .exactly(let type): Trace.quoted(type)
        case .jwtOr(let types):
            "absent, 'JWT'" + types.map { " or \(Trace.quoted($0))" }.joined()
        }
    }
}
