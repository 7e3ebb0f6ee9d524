// The members that your code may set in a protected header, and their JSON text.

import JOSEBytes

/// Members of a protected header. `alg`, `enc`, `zip` and `kid` come from key and algorithms.
public struct HeaderParameters: Sendable {
    /// `typ`: the media type of the whole token, such as `JWT`.
    public var type: String?
    /// `cty`: the media type of the content.
    public var contentType: String?
    /// Further members. The header parameters of RFC 7515, 7516, 7518 and 7797 are rejected as
    /// `misuse`.
    public var additional: [String: JSONValue]
    /// `jwk`: the public key in the token (RFC 7515, 4.1.3), only for proofs of possession.
    package var embeddedKey: JWK?

    /// Creates parameters. A member that is nil is not written.
    ///
    /// - Parameters:
    ///   - type: `typ`, the media type of the whole token.
    ///   - contentType: `cty`, the media type of the content.
    ///   - additional: Further members, except header parameters of RFC 7515, 7516, 7518 and 7797.
    public init(
        type: String? = nil, contentType: String? = nil, additional: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.contentType = contentType
        self.additional = additional
    }

    func encoded(
        algorithm: StaticString, encryption: StaticString? = nil, keyID: String?,
        isUnencoded: Bool = false
    ) throws(JOSEError) -> [UInt8] {
        let text = try json(
            algorithm: algorithm, encryption: encryption, keyID: keyID, isUnencoded: isUnencoded)
        return Base64URL.encode(text.span)
    }

    func json(
        algorithm: StaticString?, encryption: StaticString? = nil,
        compression: StaticString? = nil, keyID: String?, isUnencoded: Bool = false
    ) throws(JOSEError) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        if let algorithm {
            writer.name("alg")
            writer.string(algorithm.description)
        }
        if let encryption {
            writer.name("enc")
            writer.string(encryption.description)
        }
        write("zip", compression?.description, to: &writer)
        write("kid", keyID, to: &writer)
        write("typ", type, to: &writer)
        write("cty", contentType, to: &writer)
        if let embeddedKey {
            writer.name("jwk")
            writer.beginObject()
            embeddedKey.prepared.material.writePublicMembers(to: &writer)
            writer.endObject()
        }
        if isUnencoded {
            writer.name("b64")
            writer.bool(false)
            writer.name("crit")
            writer.beginArray()
            writer.string("b64")
            writer.endArray()
        }
        try HeaderParameters.writeAdditional(additional, to: &writer)
        writer.endObject()
        guard writer.bytes.count <= JOSELimits.standard.headerBytes / 4 * 3 else {
            throw .misuse(
                "the header would have {} bytes; readers accept {} by default",
                .number(writer.bytes.count), .number(JOSELimits.standard.headerBytes / 4 * 3))
        }
        return writer.bytes
    }

    private func write(_ name: StaticString, _ value: String?, to writer: inout JSONWriter) {
        guard let value else { return }
        writer.name(name)
        writer.string(value)
    }

    /// Writes the members of a protected or an unprotected header, in the order of their names.
    ///
    /// - Parameter others: The names in other parts of the same header: a name may occur only once.
    /// - Throws: `misuse` for a name that only the library may write, a name in `others`, and a
    ///   value that JSON cannot represent.
    static func writeAdditional(
        _ members: [String: JSONValue], others: [String] = [], to writer: inout JSONWriter
    ) throws(JOSEError) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            try checkName(name)
            guard !others.contains(where: { $0.isExactly(name) }) else {
                throw .misuse("an additional header parameter is in two parts of the header")
            }
            writer.name(name)
            do {
                try writer.value(value)
            } catch {
                throw .misuse("an additional header parameter cannot be written as JSON")
            }
        }
    }

    private static func checkName(_ name: String) throws(JOSEError) {
        guard let known = HeaderMember.named(name), known.mayBeWrittenBy != .free else { return }
        throw .misuse(
            "the header parameter {} cannot be additional: only the library may write it",
            .name(known.name))
    }
}
