// RegisteredAlgorithm: algorithm names as constants. An error names a token's algorithm only if a
// table has it: other names are untrusted text.

package import JOSEBytes

package enum RegisteredAlgorithm {
    private struct Entry: Sendable {
        let staticName: StaticString
        let setting: JOSEError.Setting
        /// Set if the library rejects the algorithm under every policy.
        var rejected: RejectedAlgorithm?
        /// The package trait that would add the algorithm to this build; nil if none would.
        var trait: StaticString?
    }

    private static let entries =
        SignatureAlgorithm.entries.map {
            Entry(staticName: $0.staticName, setting: .signatureAlgorithms)
        }
        + KeyManagementAlgorithm.entries.map {
            Entry(staticName: $0.staticName, setting: .keyManagementAlgorithms)
        }
        + ContentEncryptionAlgorithm.entries.map {
            Entry(staticName: $0.staticName, setting: .contentAlgorithms)
        }
        + RejectedAlgorithm.all.map {
            Entry(staticName: $0.name, setting: .signatureAlgorithms, rejected: $0)
        } + leftOut

    #if PBES2
        private static let leftOut: [Entry] = []
    #else
        private static let leftOut =
            (["PBES2-HS256+A128KW", "PBES2-HS384+A192KW", "PBES2-HS512+A256KW"] as [StaticString])
            .map { Entry(staticName: $0, setting: .keyManagementAlgorithms, trait: "PBES2") }
    #endif

    /// The first eight bytes of each entry's name. They are compared first, which costs little.
    private static let beginnings = entries.map {
        beginning(of: $0.staticName.description.utf8.span)
    }

    /// Returns the first eight bytes of a name; an empty name if they cannot be packed.
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

    /// Returns the constant that equals the name at a node; nil for an unknown name.
    package static func name(_ node: JSONNode, in text: Span<UInt8>) -> StaticString? {
        entry(node, in: text)?.staticName
    }

    /// Returns the constant that equals `name`; nil if unknown or left out of this build.
    package static func name(_ name: String) -> StaticString? {
        entries.first { $0.trait == nil && name.isExactly($0.staticName) }?.staticName
    }

    /// Creates the error for an algorithm that a policy does not allow.
    ///
    /// - Parameters:
    ///   - parameter: The header parameter that names the algorithm: `alg` or `enc`.
    ///   - node: The algorithm's name in the header.
    ///   - allowed: The number of algorithms that the policy allows, and the first two of them.
    ///   - setting: The policy setting; kept in the error only if it could allow the algorithm.
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
                    "{} is {}, which this build lacks; enable the package trait {}",
                    .name(parameter), .name(entry.staticName), .name(trait)))
        }
        if let rejected = entry?.rejected {
            let remedy: StaticString =
                switch (setting == .signatureAlgorithms, rejected.isSignatureAlgorithm) {
                case (true, false): "it is not a signature algorithm"
                case (false, true): "it does not encrypt"
                default: rejected.remedy
                }
            return JOSEError(
                .algorithmNotAllowed, .algorithm,
                JOSEError.Reason(
                    "{} is {}, which is never accepted: {}",
                    .name(parameter), .name(rejected.name), .name(remedy)))
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
                "enc is {}; the policy allows only {} and {}", .name(entry.staticName),
                .name(first),
                .name(second))
        case (let first?, let second?) where allowed.count == 2:
            reason = JOSEError.Reason(
                "alg is {}; the policy allows only {} and {}", .name(entry.staticName),
                .name(first),
                .name(second))
        case (_, _):
            reason = JOSEError.Reason(
                "{} is {}, which is not one of the {} algorithms that the policy allows",
                .name(parameter), .name(entry.staticName), .number(allowed.count))
        }
        return JOSEError(.algorithmNotAllowed, .algorithm, reason).withSetting(setting)
    }

    private static func kind(_ setting: JOSEError.Setting) -> StaticString {
        switch setting {
        case .signatureAlgorithms: "a signature algorithm"
        case .keyManagementAlgorithms: "a key management algorithm"
        default: "a content encryption algorithm"
        }
    }
}
