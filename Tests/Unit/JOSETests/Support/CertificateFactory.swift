// Valid and invalid certificates and revocation lists of every kind, encoded here and signed with a
// test key.

import Glibc
import JOSE
import JOSEBytes
import Testing

/// An authority for tests: a key, a name, and the fields of its own certificate.
struct TestAuthority {
    let key: JWK
    let name: String
    let certificate: [UInt8]

    /// An authority with a self-signed certificate, or one that another authority signed.
    init(
        _ key: JWK, _ name: String = "Root", by issuer: TestAuthority? = nil,
        change: (inout TestCertificate) -> Void = { _ in }
    ) throws {
        var draft = TestCertificate(subject: name, issuer: issuer?.name ?? name, key: key)
        draft.extensions = [.basicConstraints(isCA: true), .keyUsage(0x06, unused: 1)]
        change(&draft)
        self.key = key
        self.name = name
        certificate = try draft.signed(by: issuer?.key ?? key)
    }

    /// A leaf for a key.
    func leaf(
        _ key: JWK, _ name: String = "Leaf", change: (inout TestCertificate) -> Void = { _ in }
    ) throws -> [UInt8] {
        var draft = TestCertificate(subject: name, issuer: self.name, key: key)
        change(&draft)
        return try draft.signed(by: self.key)
    }

    /// A revocation list (RFC 5280, 5.1). Each entry has these extensions.
    func revocationList(
        revoked: [UInt8] = [], from start: Int64, until end: Int64?, by signer: JWK? = nil,
        extensions: [TestCertificate.Extension] = [], entry: [TestCertificate.Extension] = []
    ) throws -> [UInt8] {
        var body = TestDER.integer([1]) + TestDER.rs256 + TestDER.name(name)
        body += TestDER.time(start)
        if let end { body += TestDER.time(end) }
        if !revoked.isEmpty {
            let more = entry.isEmpty ? [] : TestDER.sequence(entry.flatMap(\.der))
            body += TestDER.sequence(
                revoked.flatMap { serial in
                    TestDER.sequence(TestDER.integer([serial]) + TestDER.time(start) + more)
                })
        }
        if !extensions.isEmpty {
            body += TestDER.tagged(0xa0, TestDER.sequence(extensions.flatMap(\.der)))
        }
        return try TestDER.signed(TestDER.sequence(body), by: signer ?? key)
    }
}

/// A certificate before it is signed.
struct TestCertificate {
    struct Extension {
        let der: [UInt8]

        static func basicConstraints(isCA: Bool) -> Extension {
            made(19, TestDER.sequence(isCA ? [0x01, 0x01, 0xff] : []))
        }
        static func keyUsage(_ bits: UInt8, unused: UInt8) -> Extension {
            made(15, [0x03, 0x02, unused, bits])
        }
        static func keyID(of key: JWK) throws -> Extension {
            Extension(der: plain(14, TestDER.tagged(0x04, try name(key))))
        }
        static func authorityKeyID(of key: JWK) throws -> Extension {
            Extension(der: plain(35, TestDER.sequence(TestDER.tagged(0x80, try name(key)))))
        }
        /// issuingDistributionPoint with these fields.
        static func scope(_ fields: [UInt8], isCritical: Bool = true) -> Extension {
            let value = TestDER.sequence(fields)
            return other(28, value, isCritical: isCritical)
        }
        static func distributionPoint(_ uri: String) -> Extension { scope(point(uri)) }
        /// cRLDistributionPoints with one point that has this name and these further fields.
        static func listsAt(_ uri: String, _ fields: [UInt8] = []) -> Extension {
            other(31, TestDER.sequence(TestDER.sequence(point(uri) + fields)), isCritical: false)
        }
        private static func point(_ uri: String) -> [UInt8] {
            TestDER.tagged(
                0xa0, TestDER.tagged(0xa0, TestDER.tagged(0x86, Array(uri.utf8))))
        }
        /// Any other extension below 2.5.29.
        static func other(_ last: UInt8, _ value: [UInt8], isCritical: Bool) -> Extension {
            isCritical ? made(last, value) : Extension(der: plain(last, value))
        }
        /// The end of the modulus identifies the key as well as a digest would.
        private static func name(_ key: JWK) throws -> [UInt8] {
            Array(try key.publicKeyFile(.der).dropLast(5).suffix(20))
        }
        private static func plain(_ last: UInt8, _ value: [UInt8]) -> [UInt8] {
            TestDER.sequence([0x06, 0x03, 0x55, 0x1d, last] + TestDER.tagged(0x04, value))
        }
        private static func made(_ last: UInt8, _ value: [UInt8]) -> Extension {
            Extension(
                der: TestDER.sequence(
                    [0x06, 0x03, 0x55, 0x1d, last, 0x01, 0x01, 0xff]
                        + TestDER.tagged(0x04, value)))
        }
    }

    var subject: String
    /// The complete Name of the subject, instead of a single common name.
    var subjectName: [UInt8]?
    var issuer: String
    var key: JWK
    var version: UInt8 = 3
    var serial: UInt8 = 1
    var start: Int64 = 1_700_000_000
    var end: Int64 = 1_900_000_000
    var extensions: [Extension] = [.keyUsage(0xa0, unused: 5)]
    /// Whether it has a subject and an authority key identifier.
    var namesKeys = true

    init(subject: String, issuer: String, key: JWK) {
        self.subject = subject
        self.issuer = issuer
        self.key = key
    }

    func signed(by signer: JWK) throws -> [UInt8] {
        var body: [UInt8] = version == 1 ? [] : [0xa0, 0x03, 0x02, 0x01, version - 1]
        body += TestDER.integer([serial]) + TestDER.algorithm(signer) + TestDER.name(issuer)
        body += TestDER.sequence(TestDER.time(start) + TestDER.time(end))
        body += subjectName ?? TestDER.name(subject)
        body += try key.publicKeyFile(.der)
        if version == 3 {
            let names =
                namesKeys
                ? [try Extension.keyID(of: key), try Extension.authorityKeyID(of: signer)] : []
            body += TestDER.tagged(
                0xa3, TestDER.sequence((extensions + names).flatMap(\.der)))
        }
        return try TestDER.signed(TestDER.sequence(body), by: signer)
    }
}

enum TestDER {
    /// sha256WithRSAEncryption with NULL.
    static let rs256: [UInt8] = [
        0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b, 0x05, 0x00,
    ]

    /// ecdsa-with-SHA256.
    static let es256: [UInt8] = [
        0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02,
    ]

    /// The algorithm with which a key signs certificates here: RSA keys with RS256, secp256k1 keys
    /// with ECDSA.
    static func algorithm(_ key: JWK) -> [UInt8] {
        (try? key.prepared.signature(.es256K, signing: true)) == nil ? rs256 : es256
    }

    static func tagged(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        if count < 0x80 { return [tag, UInt8(count)] + contents }
        if count < 0x100 { return [tag, 0x81, UInt8(count)] + contents }
        let low = [UInt8(count >> 8 & 0xff), UInt8(count & 0xff)]
        if count < 0x10000 { return [tag, 0x82] + low + contents }
        return [tag, 0x83, UInt8(count >> 16)] + low + contents
    }
    static func sequence(_ contents: [UInt8]) -> [UInt8] { tagged(0x30, contents) }
    static func integer(_ bytes: [UInt8]) -> [UInt8] { tagged(0x02, bytes) }

    /// A single common name.
    static func name(_ text: String) -> [UInt8] {
        sequence(
            tagged(
                0x31, sequence([0x06, 0x03, 0x55, 0x04, 0x03] + tagged(0x0c, Array(text.utf8)))))
    }

    /// A Name with these attributes: the last number of each below 2.5.4, the tag of its value, and
    /// the value.
    static func name(_ attributes: [(UInt8, UInt8, [UInt8])]) -> [UInt8] {
        sequence(
            attributes.flatMap { number, tag, value in
                tagged(0x31, sequence([0x06, 0x03, 0x55, 0x04, number] + tagged(tag, value)))
            })
    }

    /// GeneralizedTime from 2050, UTCTime before (RFC 5280, 4.1.2.5).
    static func time(_ seconds: Int64) -> [UInt8] {
        var (clock, date) = (time_t(seconds), tm())
        gmtime_r(&clock, &date)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let year = date.tm_year + 1900
        let tail =
            [date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec]
            .map(two).joined() + "Z"
        return year < 2050
            ? tagged(0x17, Array((two(year % 100) + tail).utf8))
            : tagged(0x18, Array((String(year) + tail).utf8))
    }

    static func signed(_ body: [UInt8], by key: JWK) throws -> [UInt8] {
        let isRSA = algorithm(key) == rs256
        let operation = try key.prepared.signature(isRSA ? .rs256 : .es256K, signing: true)
        var signature = [UInt8](repeating: 0, count: operation.signatureBytes)
        var span = signature.mutableSpan
        try operation.sign(body.span, into: &span)
        if !isRSA {
            let half = signature.count / 2
            signature = sequence(
                positive(signature.prefix(half)) + positive(signature.suffix(half)))
        }
        return sequence(body + algorithm(key) + tagged(0x03, [0] + signature))
    }

    /// An INTEGER with an unsigned number.
    private static func positive(_ number: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        return integer(digits.first ?? 0 > 0x7f || digits.isEmpty ? [0] + digits : digits)
    }
}

/// Keys with chains, as a provider would publish them.
enum TestChains {
    static let now = 1_800_000_000 as Int64

    static func date(_ seconds: Int64) throws -> NumericDate {
        try need(NumericDate(exactly: seconds))
    }

    /// A key with these certificates, unchanged.
    static func key(
        _ key: JWK, _ certificates: [[UInt8]], _ limits: JOSELimits = .standard
    ) throws -> JWK {
        try JWK(json: "{\(x5c(certificates)),\(key.privateJSON().dropFirst())", limits: limits)
    }

    /// The member x5c with these certificates.
    static func x5c(_ certificates: [[UInt8]]) -> String {
        let texts = certificates.map { "\"\(StandardBase64.encode($0.span))\"" }
        return "\"x5c\":[\(texts.joined(separator: ","))]"
    }

    /// Validates a chain of the signing key.
    @discardableResult
    static func validate(
        _ chain: [[UInt8]], _ store: TrustStore, at time: Int64 = now
    ) throws -> ValidatedChain {
        try store.validate(key(TestKeys.signing, chain), purpose: .signature, at: date(time))
    }

    static func report(
        _ chain: [[UInt8]], _ store: TrustStore, _ purpose: CertificatePurpose = .signature,
        at time: Int64 = now
    ) throws -> TrustStore.Report {
        try store.report(chain, purpose: purpose, at: date(time))
    }
}
