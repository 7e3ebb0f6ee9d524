// The complete entries of kinds, curves and algorithms, and which of them are available.

import JOSEBytes
import JOSECrypto
import Testing

@testable import JOSE

@Suite("Tables of key kinds and of available algorithms")
struct KindTableTests {
    /// The AlgorithmIdentifiers as the RFCs give them: RFC 8017, A.1; RFC 5480, 2.1.1; SEC 2; RFC
    /// 8410, 3; RFC 9881, 2.
    private static let identifiers: [(kind: KeyKind, bytes: [UInt8])] = [
        (.rsa, [0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 5, 0]),
        (JWKCurve.p256.kind, ec([0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7])),
        (JWKCurve.p384.kind, ec([0x2b, 0x81, 4, 0, 0x22])),
        (JWKCurve.p521.kind, ec([0x2b, 0x81, 4, 0, 0x23])),
        (JWKCurve.secp256k1.kind, ec([0x2b, 0x81, 4, 0, 0x0a])),
        (JWKCurve.ed25519.kind, [0x30, 5, 6, 3, 0x2b, 0x65, 0x70]),
        (JWKCurve.ed448.kind, [0x30, 5, 6, 3, 0x2b, 0x65, 0x71]),
        (JWKCurve.x25519.kind, [0x30, 5, 6, 3, 0x2b, 0x65, 0x6e]),
        (JWKCurve.x448.kind, [0x30, 5, 6, 3, 0x2b, 0x65, 0x6f]),
        (.mlDSA44, [0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 17]),
        (.mlDSA65, [0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 18]),
        (.mlDSA87, [0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 19]),
        (.oct, []),
    ]

    private static func ec(_ curve: [UInt8]) -> [UInt8] {
        let name: [UInt8] = [6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]
        let parameters = [6, UInt8(curve.count)] + curve
        return [0x30, UInt8(name.count + parameters.count)] + name + parameters
    }

    @Test("every kind has one entry, its own bit, and the object identifier of its RFC")
    func kinds() throws {
        let rows = KeyKindEntry.entries
        #expect(rows.map(\.kind) == Self.identifiers.map(\.kind).sorted(as: rows))
        #expect(Set(rows.map(\.kind)).count == rows.count)
        #expect(rows.allSatisfy { $0.kind.rawValue.nonzeroBitCount == 1 })
        for (kind, bytes) in Self.identifiers { #expect(KeyAlgorithm.encoded(kind) == bytes) }
        for row in rows {
            #expect(
                KeyKindEntry.entry(row.kind)?.type == row.type && row.kind.keyTypes == [row.type])
            #expect(
                KeyTypeEntry(row.type) != nil
                    && (row.curve == nil || row.curve?.kind == row.kind))
        }
        #expect(KeyKindEntry.entry([]) == nil && KeyKindEntry.entry([.rsa, .oct]) == nil)
        #expect(KeyAlgorithm.encoded([.rsa, .oct]).isEmpty)
    }

    @Test("the roles of a kind follow from the algorithms that use it")
    func roles() {
        for row in KeyKindEntry.entries {
            let signs = SignatureAlgorithm.entries.contains { $0.kinds.contains(row.kind) }
            #expect(row.roles.contains(.signs) == signs)
            let agrees = KeyManagementAlgorithm.ecdhES.kinds.contains(row.kind)
            #expect(row.roles.contains(.agrees) == agrees)
            let wraps = KeyManagementAlgorithm.entries.contains { $0.kinds.contains(row.kind) }
            #expect(row.roles.contains(.wraps) == (wraps && !agrees))
            // An entry for certificates names an algorithm that uses this kind.
            let name = row.certificates?.algorithm.description
            let signer = SignatureAlgorithm.entries.first { $0.name == name }
            #expect(name == nil || signer?.kinds == row.kind)
            #expect(name == nil || row.usages.contains(.digitalSignature))
        }
    }

    @Test("object identifiers: X.690, 8.19")
    func dotted() {
        #expect(DER.identifier("2.999.3") == [0x88, 0x37, 3])
        #expect(DER.identifier("1.2.840.113549") == [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d])
        #expect(DER.identifier("0.0") == [0] && DER.identifier("1").isEmpty)
        #expect(DER.identifier("1.3.128.127.16384") == [0x2b, 0x81, 0, 0x7f, 0x81, 0x80, 0])
    }

    @Test("lists, names and the availability query agree")
    func available() {
        let (all, recommended) = (SignatureAlgorithm.all, SignatureAlgorithm.recommended)
        #expect(all == SignatureAlgorithm.entries.filter(\.isAvailable))
        #expect(recommended.allSatisfy(all.contains))
        let wrapping = KeyManagementAlgorithm.all
        #expect(wrapping == KeyManagementAlgorithm.entries.filter(\.isAvailable))
        #expect(KeyManagementAlgorithm.recommended.allSatisfy(wrapping.contains))
        let content = ContentEncryptionAlgorithm.all
        #expect(content == ContentEncryptionAlgorithm.entries.filter(\.isAvailable))
        #expect(ContentEncryptionAlgorithm.recommended.allSatisfy(content.contains))
        #expect(CompressionAlgorithm.all == CompressionAlgorithm.entries.filter(\.isAvailable))
        #expect(JWKCurve.all == JWKCurve.entries.filter(\.isAvailable))
        for row in SignatureAlgorithm.entries {
            #expect((SignatureAlgorithm(name: row.description) != nil) == row.isAvailable)
        }
        for curve in JWKCurve.entries {
            #expect((JWKCurve(name: curve.name) != nil) == curve.isAvailable)
        }
        for row in KeyKindEntry.entries {
            #expect(row.isAvailable == KeyKind.unavailable.isDisjoint(with: row.kind))
        }
        for row in SignatureAlgorithm.keyPairs {
            #expect(row.isAvailable == KeyKind.unavailable.isDisjoint(with: row.kinds))
        }
    }

    @Test("an error about an unavailable algorithm is `unsupported` and nothing else")
    func failure() {
        let error = JOSEError(CryptoError.unsupported, ifRejected: .signatureInvalid)
        #expect(error.code == .unsupported && error.step == .algorithm)
    }

    @Test("OpenID Connect Core 3.1.3.6: at_hash uses the hash of the algorithm's entry")
    func tokenHashes() throws {
        let expected: [String: HashAlgorithm?] = [
            "RS256": .sha256, "RS384": .sha384, "RS512": .sha512, "PS256": .sha256,
            "PS384": .sha384, "PS512": .sha512, "ES256": .sha256, "ES384": .sha384,
            "ES512": .sha512, "ES256K": .sha256, "EdDSA": .sha512, "Ed25519": .sha512,
            "Ed448": .sha512, "HS256": .sha256, "HS384": .sha384, "HS512": .sha512,
            "ML-DSA-44": nil, "ML-DSA-65": nil, "ML-DSA-87": nil,
        ]
        #expect(Set(SignatureAlgorithm.entries.map(\.description)) == Set(expected.keys))
        for row in SignatureAlgorithm.entries {
            #expect(.some(row.tokenHash) == expected[row.name])
        }
    }

    @Test(
        "an at_hash without a defined hash is unsupported, a missing at_hash is not"
    )
    func noTokenHash() throws {
        var expectation = ClaimsExpectation()
        expectation.accessToken = "token"
        func check(_ text: String, _ hash: HashAlgorithm?) throws {
            let document = try JSONDocument(Array(text.utf8), maxDepth: 4)
            try ClaimsCheck(document, at: NumericDate(seconds: 0)).checkHashes(expectation, hash)
        }
        try check("{}", nil)
        let right = try HashAlgorithm.sha256.leftHalf(of: "token")
        try check(#"{"at_hash":"\#(right)"}"#, .sha256)
        expectRejection("unsupported") { try check(#"{"at_hash":"\#(right)"}"#, nil) }
        expectRejection("claim-rejected at_hash") {
            try check(#"{"at_hash":"\#(right)"}"#, .sha384)
        }
    }

    @Test(
        "a key type with a fixed algorithm writes alg once and does not remove it")
    func boundAlgorithm() throws {
        var key = JWK(BoundMaterial())
        #expect(key.algorithm == "XX-1")
        #expect(try key.publicJSON() == #"{"alg":"XX-1","kty":"oct"}"#)
        key.algorithm = nil
        #expect(try key.publicJSON() == #"{"alg":"XX-1","kty":"oct"}"#)
        key.algorithm = "HS256"
        #expect(try key.publicJSON() == #"{"alg":"XX-1","kty":"oct"}"#)
    }
}

extension [KeyKind] {
    /// In the order of the entries.
    fileprivate func sorted(as rows: [KeyKindEntry]) -> [KeyKind] {
        rows.map(\.kind).filter(contains)
    }
}

/// Key material for one algorithm only, as for a key type whose JWK must have `alg`.
private final class BoundMaterial: KeyMaterial {
    let kind = KeyKind.oct
    let keyType = KeyType.oct
    let sizeBits = 8
    let isPrivate = false
    var boundAlgorithm: StaticString? { "XX-1" }

    func native() throws(JOSEError) -> NativeKey { throw .keyUnusable("none") }
    func writePublicMembers(to writer: inout JSONWriter) {
        writer.name("kty")
        writer.string(keyType.name)
    }
    func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError) {}
    func publicMaterial() -> any KeyMaterial { self }
    func publicDER() throws(JOSEError) -> [UInt8] { [] }
    func privateDER() throws(JOSEError) -> SecretBytes { throw .keyUnusable("none") }
    func isKey(inSPKI bytes: Span<UInt8>) -> Bool { false }
    func hasSamePublicKey(as other: any KeyMaterial) -> Bool { false }
}
