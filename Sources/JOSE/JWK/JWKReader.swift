// From strict JSON to a JWK.

package import JOSEBytes
import JOSECrypto

extension JWK {
    /// Reads one JWK from JSON text.
    ///
    /// - Parameters:
    ///   - json: UTF-8 text of one JSON object.
    ///   - limits: Bounds on size, depth and modulus.
    /// - Throws: `malformed`, `limitExceeded`, or `keyUnusable` for a type, size or inconsistency that is refused.
    ///
    /// A private RSA key is checked whole here, which costs about as much as five signature verifications.
    /// Source: RFC 7517, 4; RFC 7518, 6.3.
    public init(json: Span<UInt8>, limits: Limits = .standard) throws(JOSEError) {
        guard json.count <= limits.keySetBytes else {
            throw .limitExceeded(.key, "the JWK is too large")
        }
        self = try JSONText.scanned(json, limits, at: .key) {
            (text, tree) throws(JOSEError) in
            try JWK.read(text, tree, at: 0, limits)
        }
    }

    /// Reads one JWK from the bytes of JSON text; see `init(json:limits:)` over a span.
    public init(json: [UInt8], limits: Limits = .standard) throws(JOSEError) {
        try self.init(json: json.span, limits: limits)
    }

    /// Reads one JWK from JSON text; see `init(json:limits:)` over a span.
    public init(json: String, limits: Limits = .standard) throws(JOSEError) {
        try self.init(json: json.utf8.span, limits: limits)
    }

    package static func read(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, at object: Int, _ limits: Limits
    ) throws(JOSEError) -> JWK {
        guard tree[object].kind == .object else { throw .malformed(.key, "a JWK is not an object") }
        let members = JWKMembers(of: object, in: text, tree)
        guard let type = try JWKFields.string(.kty, members, text, tree) else {
            throw .malformed(.key, "a JWK has no kty")
        }
        // The metadata is read first: a wrong JSON type is malformed whatever the key type is.
        let keyID = try readKeyID(members, text, tree, limits)
        let use = try JWKFields.string(.use, members, text, tree).map { KeyUse(name: $0) }
        let operations = try JWKFields.operations(members, text, tree)
        let algorithm = try JWKFields.string(.alg, members, text, tree)
        let certificates = try CertificateMembers(members, text, tree, limits)
        guard let reader = KeyTypeTable.reader(type) else {
            throw .keyUnusable("the key type is not supported")
        }
        var key = JWK(try reader(members, text, tree, limits))
        key.keyID = keyID
        key.use = use
        key.keyOperations = operations
        key.algorithm = algorithm
        try certificates?.checkLeaf(key.prepared.material)
        key.certificates = certificates
        return key
    }

    private static func readKeyID(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: Limits
    ) throws(JOSEError) -> String? {
        if let index = members[.kid], tree[index].kind == .string {
            guard tree[index].end - tree[index].start <= limits.keyIDBytes else {
                throw .limitExceeded(.key, "kid is too long")
            }
        }
        return try JWKFields.string(.kid, members, text, tree)
    }
}

/// The key types that can be read: one row each.
package enum KeyTypeTable {
    package typealias Reader =
        @Sendable (
            _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: Limits
        ) throws(JOSEError) -> any KeyMaterial

    private static let rows: [(name: String, reader: Reader)] = [
        (
            "RSA",
            { (members, text, tree, limits) throws(JOSEError) in
                try RSAKeyMaterial.read(members, text, tree, limits)
            }
        )
    ]

    package static func reader(_ name: String) -> Reader? {
        rows.first { name.isExactly($0.name) }?.reader
    }
}

extension RSAKeyMaterial {
    /// Reads the RSA members (RFC 7518, 6.3); the CRT members stand all together or not at all.
    package static func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: Limits
    ) throws(JOSEError) -> RSAKeyMaterial {
        guard let n = try JWKFields.bytes(.n, members, text, tree),
            let e = try JWKFields.bytes(.e, members, text, tree)
        else { throw .malformed(.key, "an RSA key has no n or e") }
        try checkShape(modulus: n.span, exponent: e.span, limits)
        guard members[.oth] == nil else {
            throw .keyUnusable("RSA keys of more than two primes are refused")
        }
        let d = try JWKFields.secret(.d, members, text, tree)
        let p = try JWKFields.secret(.p, members, text, tree)
        let q = try JWKFields.secret(.q, members, text, tree)
        let dp = try JWKFields.secret(.dp, members, text, tree)
        let dq = try JWKFields.secret(.dq, members, text, tree)
        let qi = try JWKFields.secret(.qi, members, text, tree)
        let present = [p, q, dp, dq, qi].filter { $0 != nil }.count
        guard let d else {
            guard present == 0 else { throw .keyUnusable("CRT members without d") }
            return try RSAKeyMaterial(modulus: n, exponent: e, limits: limits)
        }
        var crt: RSACRT?
        if let p, let q, let dp, let dq, let qi {
            crt = RSACRT(p: p, q: q, dp: dp, dq: dq, qi: qi)
        } else if present != 0 {
            throw .keyUnusable("some CRT members are missing")
        }
        do {
            let native = try NativeKey.rsaPrivate(
                modulus: n.span, exponent: e.span, privateExponent: d, crt: crt,
                bits: limits.minimumRSABits...limits.maximumRSABits)
            return RSAKeyMaterial(native, limits: limits)
        } catch {
            throw JOSEError(error, rejected: .keyUnusable("the private RSA key is inconsistent"))
        }
    }
}
