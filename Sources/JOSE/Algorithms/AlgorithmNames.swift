// The registered names of algorithms as constants, for errors: what a token says is named only where a table has it.

package import JOSEBytes

/// A name in a header, looked up in the tables.
package enum RegisteredAlgorithm {
    /// A name of one of the tables.
    private struct Entry: Sendable {
        let staticName: StaticString
        /// The part of a policy that allows it.
        let setting: JOSEError.Setting
        /// Set where the library rejects the algorithm under every policy.
        var rejected: RejectedAlgorithm?
        /// The trait of the package that has the algorithm, where this build is without it.
        var trait: StaticString?
    }

    /// All names. One is found by comparing numbers, so that a token with a wrong algorithm costs
    /// little.
    private static let entries =
        SignatureAlgorithm.entries.map { Entry(staticName: $0.staticName, setting: .signatureAlgorithms) }
        + KeyManagementAlgorithm.entries.map {
            Entry(staticName: $0.staticName, setting: .keyManagementAlgorithms)
        }
        + ContentEncryptionAlgorithm.entries.map { Entry(staticName: $0.staticName, setting: .contentAlgorithms) }
        + RejectedAlgorithm.all.map {
            Entry(staticName: $0.name, setting: .signatureAlgorithms, rejected: $0)
        } + leftOut

    #if PBES2
        private static let leftOut: [Entry] = []
    #else
        private static let leftOut = [
            Entry(staticName: "PBES2-HS256+A128KW", setting: .keyManagementAlgorithms, trait: "PBES2"),
            Entry(staticName: "PBES2-HS384+A192KW", setting: .keyManagementAlgorithms, trait: "PBES2"),
            Entry(staticName: "PBES2-HS512+A256KW", setting: .keyManagementAlgorithms, trait: "PBES2"),
        ]
    #endif

    /// How each name begins, in the same order.
    private static let beginnings = entries.map {
        beginning(of: $0.staticName.description.utf8.span)
    }

    /// The first eight bytes; an empty name where they are none that a table has.
    private static func beginning(of name: Span<UInt8>) -> PackedName {
        PackedName(name.extracting(first: 8)) ?? ""
    }

    private static func entry(_ node: JSONNode, in text: Span<UInt8>) -> Entry? {
        let beginning = beginning(of: text.extracting(node.start..<node.end))
        for index in beginnings.indices
        where (beginnings[index] == beginning || node.hasEscapes)
            && JSON.equals(node, entries[index].staticName, in: text)
        {
            return entries[index]
        }
        return nil
    }

    /// The constant that equals a name; nil for a name that no table has.
    package static func name(_ node: JSONNode, in text: Span<UInt8>) -> StaticString? {
        entry(node, in: text)?.staticName
    }

    /// The same for the `alg` of a key.
    package static func name(_ name: String) -> StaticString? {
        for row in SignatureAlgorithm.entries where name.isExactly(row.staticName) { return row.staticName }
        for row in KeyManagementAlgorithm.entries where name.isExactly(row.staticName) { return row.staticName }
        for row in ContentEncryptionAlgorithm.entries where name.isExactly(row.staticName) {
            return row.staticName
        }
        for row in RejectedAlgorithm.all where name.isExactly(row.name) { return row.name }
        return nil
    }

    /// The error for an algorithm that a policy does not allow.
    ///
    /// - Parameters:
    ///   - parameter: The header parameter that names it: `alg`, `enc`, `zip`.
    ///   - node: The name in the header.
    ///   - allowed: How many algorithms the policy allows, and the first two of them.
    ///   - setting: The setting that decides. An algorithm that no policy allows has none.
    @inline(never)
    package static func notAllowed(
        _ parameter: StaticString, _ node: JSONNode, in text: Span<UInt8>,
        allowed: (count: Int, first: StaticString?, second: StaticString?),
        by setting: JOSEError.Setting
    ) -> JOSEError {
        let entry = entry(node, in: text)
        if let entry, let trait = entry.trait {
            return JOSEError(
                .algorithmNotAllowed, .algorithm,
                JOSEError.Reason(
                    "{} is {}, which this build does not have: it needs the package trait {}",
                    .name(parameter), .name(entry.staticName), .name(trait)))
        }
        if let row = entry?.rejected {
            let remedy: StaticString =
                switch (setting == .signatureAlgorithms, row.isSignatureAlgorithm) {
                case (true, false): "it is not a signature algorithm"
                case (false, true): "it does not encrypt"
                default: row.remedy
                }
            return JOSEError(
                .algorithmNotAllowed, .algorithm,
                JOSEError.Reason(
                    "{} is {}, which is never accepted: {}",
                    .name(parameter), .name(row.name), .name(remedy)))
        }
        guard let entry else {
            return JOSEError(
                .algorithmNotAllowed, .algorithm,
                JOSEError.Reason(
                    "{} is not a registered name (names are case-sensitive)", .name(parameter)))
        }
        guard entry.setting == setting else {
            return JOSEError(
                .algorithmNotAllowed, .algorithm,
                JOSEError.Reason(
                    "{} is {}, which is {}", .name(parameter), .name(entry.staticName),
                    .name(kind(entry.setting))))
        }
        let reason: JOSEError.Reason
        switch (allowed.first, allowed.second) {
        case (let first?, nil):
            reason = JOSEError.Reason(
                "{} is {}; the policy allows only {}", .name(parameter), .name(entry.staticName),
                .name(first))
        case (let first?, let second?) where allowed.count == 2 && setting == .contentAlgorithms:
            reason = JOSEError.Reason(
                "enc is {}; the policy allows only {} and {}", .name(entry.staticName), .name(first),
                .name(second))
        case (let first?, let second?) where allowed.count == 2:
            reason = JOSEError.Reason(
                "alg is {}; the policy allows only {} and {}", .name(entry.staticName), .name(first),
                .name(second))
        case (_, _):
            reason = JOSEError.Reason(
                "{} is {}, which is none of the {} algorithms that the policy allows",
                .name(parameter), .name(entry.staticName), .number(allowed.count))
        }
        return JOSEError(.algorithmNotAllowed, .algorithm, reason).by(setting)
    }

    private static func kind(_ setting: JOSEError.Setting) -> StaticString {
        switch setting {
        case .signatureAlgorithms: "a signature algorithm"
        case .keyManagementAlgorithms: "a key management algorithm"
        default: "a content encryption algorithm"
        }
    }
}
