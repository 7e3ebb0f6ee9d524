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
    /// A private key is checked whole here; for RSA that costs about as much as five signature verifications.
    /// Source: RFC 7517, 4; RFC 7518, 6; RFC 8037, 2.
    public init(json: Span<UInt8>, limits: JOSELimits = .standard) throws(JOSEError) {
        guard json.count <= limits.keySetBytes else {
            throw .limitExceeded(.key, "the JWK is too large (JOSELimits.keySetBytes)")
        }
        guard !JWKSetText.isPEM(json) else {
            throw .malformed(.key, "this is PEM, not JSON: KeyFileContents reads it")
        }
        self = try JSONText.scanned(json, limits, at: .key) {
            (text, tree) throws(JOSEError) in
            try JWK.read(text, tree, at: 0, limits)
        }
    }

    /// Reads one JWK from the bytes of JSON text; see `init(json:limits:)` over a span.
    public init(json: [UInt8], limits: JOSELimits = .standard) throws(JOSEError) {
        try self.init(json: json.span, limits: limits)
    }

    /// Reads one JWK from JSON text; see `init(json:limits:)` over a span.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        try self.init(json: json.utf8.span, limits: limits)
    }

    package static func read(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, at object: Int, _ limits: JOSELimits
    ) throws(JOSEError) -> JWK {
        guard tree[object].kind == .object else { throw .malformed(.key, "a JWK is not an object") }
        let members = JWKMembers(of: object, in: text, tree)
        guard let type = members[.kty], tree[type].kind == .string else {
            throw .malformed(
                .key,
                members[.kty] == nil && JWKSetText.holds("keys", object, text, tree)
                    ? "this is a JWK Set, not one JWK: JWKSet and PublicJWKSet read it"
                    : "a JWK has no kty or one that is not a string")
        }
        // The metadata is read first: a wrong JSON type is malformed whatever the key type is.
        let keyID = try readKeyID(members, text, tree, limits)
        let use = try JWKFields.string(.use, members, text, tree).map { KeyUse(name: $0) }
        let operations = try JWKFields.operations(members, text, tree)
        let algorithm = try JWKFields.string(.alg, members, text, tree)
        let certificates = try CertificateMembers(members, text, tree, limits)
        guard let row = KeyTypeTable.row(of: tree[type], in: text) else {
            throw .keyUnusable("the key type is not supported")
        }
        var key = JWK(try row.read(members, text, tree, limits))
        key.keyID = keyID
        key.use = use
        key.keyOperations = operations
        key.algorithm = algorithm
        try certificates?.checkLeaf(key.prepared.material)
        key.certificates = certificates
        return key
    }

    private static func readKeyID(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(JOSEError) -> String? {
        if let index = members[.kid], tree[index].kind == .string {
            guard tree[index].end - tree[index].start <= limits.keyIDBytes else {
                throw .limitExceeded(.key, "kid is too long (JOSELimits.keyIDBytes)")
            }
        }
        return try JWKFields.string(.kid, members, text, tree)
    }
}
