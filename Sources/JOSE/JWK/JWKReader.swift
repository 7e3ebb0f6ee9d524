// Reads a JWK from JSON.

package import JOSEBytes
import JOSECrypto

extension JWK {
    /// Reads one JWK from JSON text (RFC 7517, 4; RFC 7518, 6; RFC 8037, 2).
    ///
    /// - Parameters:
    ///   - json: One JSON object; a byte order mark before it is ignored.
    ///   - limits: Limits on size, depth and modulus.
    /// - Throws: `malformed`; `limitExceeded`; `keyUnusable` for an unsupported type, a wrong size,
    ///   inconsistent numbers or a certificate of another key (`untrustedKey` if `x5c` is also out
    ///   of order); `unsupported` for a private key that libcrypto or its FIPS provider cannot use.
    ///   The message names the member, or the position of a JSON error.
    ///
    /// A private key is fully checked. This costs one or two signatures, more with FIPS or for an
    /// RSA key without `p` and `q`. Leading zero bytes of `n` and `e` are removed from a public key
    /// and are `malformed` in a private one. A malformed `x5c`, `x5t` or `x5t#S256` is no error
    /// here, but makes every `TrustStore` reject the key.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        try self.init(json: json.utf8.span, limits: limits)
    }

    /// Reads one JWK from the bytes of JSON text, such as an array or `Data`; see
    /// `init(json:limits:)` over a string. A collection other than `[UInt8]` is copied into memory
    /// that is wiped. For a `Span` use `KeyFileContents`.
    public init(
        json: some Collection<UInt8>, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        self = try JWKDocument.withBytes(of: json, limits, at: .key) { (json) throws(JOSEError) in
            try JWK(json: json, limits: limits)
        }
    }

    package init(json: Span<UInt8>, limits: JOSELimits = .standard) throws(JOSEError) {
        try JWKDocument.checkSize(json.count, limits, at: .key)
        self = try JWKDocument.read(json, limits, at: .key, duplicates: .marked) {
            (text, tree) throws(JOSEError) in
            guard tree[0].kind == .object else {
                throw JWKDocument.wrongKindError(text, tree, isSet: false)
                    ?? .malformed(.key, "a JWK is a JSON object; this is {}", .kind(of: tree[0]))
            }
            do throws(JOSEError) {
                return try JWK.readOne(text, tree, at: 0, limits)
            } catch {
                guard !JWKDocument.holds("kty", text, tree),
                    let other = JWKDocument.wrongKindError(text, tree, isSet: false)
                else { throw error }
                throw other
            }
        }
    }

    package static func readOne(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, at object: Int, _ limits: JOSELimits
    ) throws(JOSEError) -> JWK {
        do throws(KeyDefect) {
            return try read(text, tree, at: object, limits)
        } catch {
            throw error.error
        }
    }

    /// Rejects what key sets tolerate but a token's header must not have: a null member, zero bytes
    /// before a number, malformed certificate members.
    package func checkStrict(
        _ object: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        guard !hasLeadingZeros else { throw .malformed(.key, "n or e has leading zero bytes") }
        if let defect = certificates?.defect, defect.isRejectedInTokenHeader { throw defect.error }
        if let chain = certificates?.chain { _ = try CertificateMembers.parse(chain) }
        var index = object + 1
        while index < tree[object].next {
            if tree[index + 1].kind == .null, let member = JWKMember.find(tree[index], in: text) {
                throw .malformed(.key, "{} is null", .name(member.name))
            }
            index = tree[index + 1].next
        }
    }

    static func read(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, at object: Int, _ limits: JOSELimits
    ) throws(KeyDefect) -> JWK {
        guard tree[object].kind == .object else { throw JWKDocument.noObject(tree[object]) }
        let members = JWKMembers(of: object, in: text, tree)
        let outline = try JWKOutline(members, object, text, tree, limits)
        let material = try outline.type.read(members, text, tree, limits)
        var key = JWK(material)
        key.keyID = outline.keyID.map { JSON.string($0, in: text) }
        key.use = members[.use].map { KeyUse(name: JSON.string(tree[$0], in: text)) }
        key.keyOperations = outline.operations
        key.algorithm = outline.algorithm.map {
            JOSEAlgorithm(name: JSON.string($0, in: text))
        }
        key.certificates = try CertificateMembers.read(members, text, tree, limits, of: material)
        return key
    }
}
