// The registered names of algorithms as constants, for errors: what a token says is named only where a table has it.

package import JOSEBytes

/// A name in a header, looked up in the tables.
package enum RegisteredAlgorithm {
    /// The constant that equals a name; nil for a name that no table has.
    package static func name(_ node: JSONNode, in text: Span<UInt8>) -> StaticString? {
        for row in SignatureAlgorithm.rows where JSON.equals(node, row.word, in: text) {
            return row.word
        }
        for row in KeyManagementAlgorithm.rows where JSON.equals(node, row.word, in: text) {
            return row.word
        }
        for row in ContentEncryptionAlgorithm.rows where JSON.equals(node, row.word, in: text) {
            return row.word
        }
        for row in RefusedAlgorithm.all where JSON.equals(node, row.name, in: text) {
            return row.name
        }
        return nil
    }

    /// The same for the `alg` of a key.
    package static func name(_ name: String) -> StaticString? {
        for row in SignatureAlgorithm.rows where name.isExactly(row.word) { return row.word }
        for row in KeyManagementAlgorithm.rows where name.isExactly(row.word) { return row.word }
        for row in ContentEncryptionAlgorithm.rows where name.isExactly(row.word) {
            return row.word
        }
        for row in RefusedAlgorithm.all where name.isExactly(row.name) { return row.name }
        return nil
    }

    /// The algorithm, where the library rejects it under every policy.
    private static func refused(_ node: JSONNode, in text: Span<UInt8>) -> RefusedAlgorithm? {
        for row in RefusedAlgorithm.all where JSON.equals(node, row.name, in: text) { return row }
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
        if let row = refused(node, in: text) {
            let remedy: StaticString =
                switch (setting == .signatureAlgorithms, row.isOfSignatures) {
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
        let reason: JOSEError.Reason
        switch (name(node, in: text), parameter.description, allowed.first, allowed.second) {
        case (let name?, "alg", let first?, nil):
            reason = JOSEError.Reason(
                "alg is {}; the policy allows only {}", .name(name), .name(first))
        case (let name?, "alg", let first?, let second?) where allowed.count == 2:
            reason = JOSEError.Reason(
                "alg is {}; the policy allows only {} and {}", .name(name), .name(first),
                .name(second))
        case (let name?, "enc", let first?, nil):
            reason = JOSEError.Reason(
                "enc is {}; the policy allows only {}", .name(name), .name(first))
        case (let name?, "enc", let first?, let second?) where allowed.count == 2:
            reason = JOSEError.Reason(
                "enc is {}; the policy allows only {} and {}", .name(name), .name(first),
                .name(second))
        case (let name?, _, _, _):
            reason = JOSEError.Reason(
                "{} is {}, which is none of the {} algorithms that the policy allows",
                .name(parameter), .name(name), .number(allowed.count))
        case (nil, _, _, _):
            reason = JOSEError.Reason(
                "{} has an unregistered name; the policy allows {} algorithms", .name(parameter),
                .number(allowed.count))
        }
        return JOSEError(.algorithmNotAllowed, .algorithm, reason).by(setting)
    }
}
