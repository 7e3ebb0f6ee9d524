// The rules for `crit`, and for `b64`, which `crit` must list.

import JOSEBytes

enum CriticalHeader {
    /// Bounds the cost: each name is compared with all others. No real header needs more.
    private static let maxNames = 16

    struct Extensions: Sendable {
        /// `b64`: the payload may be unencoded (RFC 7797).
        var unencodedPayload = false
        /// The names of the extensions that the caller checks.
        private(set) var names: [String] = []

        static let none = Extensions()

        private init() {}

        /// - Throws: `misuse` for an empty name, or a name of the IANA registry.
        init(_ names: [String]) throws(JOSEError) {
            for name in names {
                guard !name.isEmpty else {
                    throw .misuse("the name of a critical extension is empty")
                }
                guard !HeaderMember.isRegistered(name) else {
                    guard let known = HeaderMember.named(name) else {
                        throw .misuse(
                            """
                            'critical' names a header parameter of the IANA registry; it takes \
                            only your own extensions
                            """
                        )
                    }
                    throw .misuse(
                        """
                        'critical' names {}, which is in the IANA registry; it takes only your \
                        own extensions
                        """,
                        .name(known.name))
                }
            }
            self.names = names
        }

        func with(unencodedPayload: Bool) -> Extensions {
            var extensions = self
            extensions.unencodedPayload = unencodedPayload
            return extensions
        }

        fileprivate func contain(_ name: JSONNode, _ text: Span<UInt8>) -> Bool {
            for known in names where JSON.equals(name, known.utf8.span, in: text) { return true }
            return unencodedPayload && HeaderMember.find(name, in: text) == .b64
        }
    }

    /// Checks that `crit` is a list of distinct names. The header must have each of them, and none
    /// may be a name that every reader knows (RFC 7515, 4.1.11).
    static func checkForm(
        _ critical: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        guard tree[critical].kind == .array else {
            throw .malformed(.header, "crit is not an array of names")
        }
        guard tree[critical].count > 0 else {
            throw .malformed(
                .header, "crit is an empty array: without extensions it must be absent")
        }
        guard tree[critical].count <= maxNames else {
            throw .limitExceeded(
                .header, "crit has {} names; at most {} are accepted",
                .number(tree[critical].count), .number(maxNames))
        }
        var index = critical + 1
        var position = 0
        while index < tree[critical].next {
            let entry = tree[index]
            position += 1
            guard entry.kind == .string, entry.end > entry.start else {
                throw .malformed(
                    .header, "entry {} of crit is not a non-empty string", .number(position))
            }
            let known = HeaderMember.find(entry, in: text)
            if let known, known.mayBeWrittenBy == .core {
                throw .malformed(
                    .header, "crit lists {}, which RFC 7515 forbids: every reader knows it",
                    .name(known.name))
            }
            let name = JSON.string(entry, in: text)
            guard has(name, text, tree) else {
                guard let known else {
                    throw .malformed(
                        .header,
                        "crit lists a name that the protected header does not have (entry {})",
                        .number(position))
                }
                throw .malformed(
                    .header, "crit lists {}, which the protected header does not have",
                    .name(known.name))
            }
            var other = critical + 1
            while other < index {
                guard !JSON.equals(tree[other], name.utf8.span, in: text) else {
                    throw .malformed(
                        .header, "crit lists a name twice (entry {})", .number(position))
                }
                other = tree[other].next
            }
            index = tree[index].next
        }
    }

    /// Rejects a `crit` that `checkForm` accepted but that lists an unsupported extension.
    static func checkSupported(
        _ critical: Int, _ extensions: Extensions, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        var index = critical + 1
        var position = 0
        while index < tree[critical].next {
            position += 1
            guard extensions.contain(tree[index], text) else {
                guard HeaderMember.find(tree[index], in: text) != .b64 else {
                    throw .payloadEncodingNotAllowed
                }
                throw JOSEError.unsupported(
                    .header,
                    """
                    crit lists an extension that is not understood (entry {}); 'critical' names \
                    those that the caller checks
                    """,
                    .number(position)
                ).withSetting(.critical)
            }
            index = tree[index].next
        }
    }

    /// Checks that `b64` is a boolean and listed in `crit` (RFC 7797, 6).
    static func checkUnencoded(
        _ value: Int, _ critical: Int?, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        guard tree[value].kind == .true || tree[value].kind == .false else {
            throw .malformed(.header, "b64 is not true or false")
        }
        guard let critical, lists(.b64, critical, text, tree) else {
            throw .malformed(.header, "b64 is present, but crit does not list it (RFC 7797, 6)")
        }
    }

    private static func lists(
        _ member: HeaderMember, _ critical: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> Bool {
        var index = critical + 1
        while index < tree[critical].next {
            if HeaderMember.find(tree[index], in: text) == member { return true }
            index = tree[index].next
        }
        return false
    }

    private static func has(_ name: String, _ text: Span<UInt8>, _ tree: Span<JSONNode>) -> Bool {
        var index = 1
        while index < tree[0].next {
            if JSON.equals(tree[index], name.utf8.span, in: text) { return true }
            index = tree[index + 1].next
        }
        return false
    }
}

extension JOSEError {
    static let payloadEncodingNotAllowed = JOSEError.unsupported(
        .header,
        "the token's payload encoding (b64) is not among the accepted encodings"
    ).withSetting(.payloadEncoding)
}
