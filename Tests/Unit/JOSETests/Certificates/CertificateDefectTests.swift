// A thumbprint of a wrong length and a too long x5c: both say nothing about the key and give it no
// trust.

import JOSE
import JOSEBytes
import JOSECrypto
import Testing

@Suite("Certificates: x5c and thumbprint members without information about the key")
struct CertificateDefectTests {
    private let root: TestAuthority
    private let leaf: [UInt8]

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        leaf = try root.leaf(TestKeys.signing)
    }

    /// Expects that the key is kept if no certificate is required, and rejected otherwise.
    private func expectKept(
        _ text: String, _ code: String, _ word: String, isChain: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let now = try TestChains.date(TestChains.now)
        let store = try TrustStore(anchors: [root.certificate])
        let set = try PublicJWKSet(json: KeyText.set([text]))
        #expect(set.keys().count == 1 && set.skipped.isEmpty, sourceLocation: sourceLocation)
        let rules: [CertificateRule] = [.require(store), .requireWhenPresent(store)]
        for rule in rules {
            let set = try PublicJWKSet(json: KeyText.set([text]), certificates: rule, at: now)
            #expect(set.keys().isEmpty, sourceLocation: sourceLocation)
            #expect(
                set.skipped.first?.reason.contains(word) == true, sourceLocation: sourceLocation)
        }
        guard isChain else { return }
        expectRejection(code, sourceLocation: sourceLocation) {
            _ = try store.validate(JWK(json: text), purpose: .signature, at: now)
        }
    }

    @Test("RFC 7517 4.8, 4.9: a thumbprint of a wrong length is ignored and the key is kept")
    func thumbprints() throws {
        for (name, size) in [("x5t", 20), ("x5t#S256", 32)] {
            for count in [0, 1, size - 1, size, size + 1, 3 * size / 2, 2 * size] {
                let value = Independent.base64URL([UInt8](repeating: 7, count: count))
                let text = try KeyText.publicKey("\"\(name)\":\"\(value)\"")
                let written = try JWK(json: text).publicJSON()
                #expect(written.contains("\"\(name)\":\"\(value)\"") == (count == size))
                #expect(written.contains(name) == (count == size))
                guard count != size else { continue }
                try expectKept(text, "malformed", "wrong length", isChain: false)
                // Together with a valid chain, too.
                let chained = try KeyText.publicKey(
                    "\"\(name)\":\"\(value)\"," + TestChains.x5c([leaf]))
                try expectKept(chained, "malformed", "wrong length")
            }
        }
    }

    @Test("a hexadecimal thumbprint is read, plain or in base64url")
    func hexadecimal() throws {
        let digest = try Hash.digest(.sha1, leaf.span)
        let digits = digest.flatMap { byte in
            [byte >> 4, byte & 15].map { UInt8(ascii: "0") + $0 + ($0 > 9 ? 39 : 0) }
        }
        for value in [String(decoding: digits, as: UTF8.self), Independent.base64URL(digits)] {
            try expectKept(
                KeyText.publicKey("\"x5t\":\"\(value)\"," + TestChains.x5c([leaf])), "malformed",
                "wrong length")
        }
        let right = Independent.base64URL(digest)
        let key = try JWK(json: KeyText.publicKey("\"x5t\":\"\(right)\"," + TestChains.x5c([leaf])))
        _ = try TrustStore(anchors: [root.certificate]).validate(
            key, purpose: .signature, at: TestChains.date(TestChains.now))
    }

    @Test("a malformed x5c is an error only if certificates are required") func malformedChain()
        throws
    {
        func base64(_ bytes: [UInt8]) -> String { StandardBase64.encode(bytes.span) }
        let good = base64(leaf)
        let pem = base64(Array("-----BEGIN PUBLIC KEY-----".utf8))
        let elements = [
            "1", "null", "\"\"", "\"MAA=\"", "\"\(pem)\"", "\"\(good)\",\"\(pem)\"",
            "\"\(good)\",1", "\"\(Independent.base64URL(leaf))\"",
            "\"\(base64(Array(leaf.dropLast())))\"",
        ]
        let others = ["[]", "\"\(good)\"", "{}", "1", "true"]
        for chain in elements.map({ "[\($0)]" }) + others {
            try expectKept(KeyText.publicKey("\"x5c\":\(chain)"), "malformed", "x5c")
        }
    }

    @Test(
        "a thumbprint that is not base64url is an error only if certificates are required",
        arguments: ["x5t", "x5t#S256"])
    func malformedThumbprint(_ name: String) throws {
        for value in ["\"AA:BB\"", "\"AAA=\"", "\"A\"", "1", "[\"AA\"]", "{}", "true"] {
            let member = "\"\(name)\":\(value)"
            try expectKept(KeyText.publicKey(member), "malformed", "not base64url")
            try expectKept(
                KeyText.publicKey(member + "," + TestChains.x5c([leaf])), "malformed",
                "not base64url")
        }
    }

    @Test("a null member counts as absent") func absent() throws {
        for name in ["x5c", "x5t", "x5t#S256", "x5u"] {
            let key = try JWK(json: KeyText.publicKey("\"\(name)\":null"))
            #expect(key.certificateChain == nil && key.certificateDefect == nil)
        }
    }

    @Test("a thumbprint of another certificate is a defect, with or without a rule")
    func otherThumbprint() throws {
        let other = "\"x5t\":\"\(Independent.base64URL([UInt8](repeating: 7, count: 20)))\""
        let odd = "\"x5t#S256\":\"\(Independent.base64URL([UInt8](repeating: 7, count: 64)))\""
        let chain = TestChains.x5c([leaf])
        try expectDefect(other + "," + chain, "x5t")
        try expectDefect(other + "," + odd + "," + chain, "x5t")
    }

    @Test("a leaf with another key is a defect with or without a rule, whatever follows it")
    func otherLeaf() throws {
        let other = try root.leaf(TestKeys.client)
        let foreign = StandardBase64.encode(other.span)
        for rest in ["", ",\"*\"", ",1"] {
            try expectDefect("\"x5c\":[\"\(foreign)\"\(rest)]", "x5c")
        }
    }

    private func expectDefect(_ members: String, _ member: String) throws {
        let text = try KeyText.publicKey(members)
        let now = try TestChains.date(TestChains.now)
        let store = try TrustStore(anchors: [root.certificate])
        expectRejection("key-unusable") { _ = try JWK(json: text) }
        let rules: [CertificateRule] = [.ignore, .require(store), .requireWhenPresent(store)]
        for rule in rules {
            let set = try PublicJWKSet(json: KeyText.set([text]), certificates: rule, at: now)
            #expect(set.keys().isEmpty)
            #expect(set.skipped.map(\.member) == [member])
        }
    }

    @Test("RFC 7517 4.7: a chain over the limit is ignored, but its leaf must match the key")
    func length() throws {
        let most = JOSELimits.standard.chainCount
        for count in [most + 1, most + 2, 16, 17, 40] {
            let chain = [leaf] + Array(repeating: root.certificate, count: count - 1)
            let text = try KeyText.publicKey(TestChains.x5c(chain))
            try expectKept(text, "limit-exceeded", "too many certificates")
            #expect(try JWK(json: text).certificateChain == chain)
            // A leaf with another key is a defect, whatever the length of the chain.
            let another = try root.leaf(TestKeys.client)
            expectRejection("key-unusable") {
                _ = try JWK(json: KeyText.publicKey(TestChains.x5c([another] + chain.dropFirst())))
            }
            expectRejection("key-unusable") {
                _ = try JWK(json: KeyText.publicKey(TestChains.x5c([another] + chain)))
            }
            for index in [0, 1, count - 1] {
                let corrupted = chain.enumerated().map { $0 == index ? $1.dropLast() : $1[...] }
                let members = TestChains.x5c(corrupted.map(Array.init))
                try expectKept(KeyText.publicKey(members), "malformed", "x5c")
            }
        }
    }

    @Test("the reader's limit applies") func limits() throws {
        let middle = try TestAuthority(TestKeys.client, "Middle", by: root)
        let text = try KeyText.publicKey(
            TestChains.x5c([middle.leaf(TestKeys.signing), middle.certificate, root.certificate]))
        let store = try TrustStore(anchors: [root.certificate])
        for (most, wanted) in [(2, "limit-exceeded"), (3, "accepted"), (4, "accepted")] {
            let limits = JOSELimits.with { $0.chainCount = most }
            let key = try JWK(json: text, limits: limits)
            let verdict = try Rejection.verdict {
                _ = try store.validate(
                    key, purpose: .signature, at: TestChains.date(TestChains.now))
            }
            #expect(verdict == wanted)
        }
    }
}
