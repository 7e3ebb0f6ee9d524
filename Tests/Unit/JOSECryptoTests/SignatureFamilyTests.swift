// Every signature family: every implementation verifies valid signatures and rejects every kind of
// invalid one.

import Foundation
import Testing

@testable import JOSECrypto

/// One family with its hash and a key for it.
struct FamilyCase: Sendable, CustomTestStringConvertible {
    let name: String
    let family: SignatureFamily
    let hash: HashAlgorithm
    let key: NativeKey
    let signatureBytes: Int
    /// Whether a message always has the same signature.
    let isFixed: Bool
    var testDescription: String { name }

    static let all: [FamilyCase] = {
        do {
            let rsa = try NativeKey.published()
            let hashes: [(String, HashAlgorithm)] = [
                ("256", .sha256), ("384", .sha384), ("512", .sha512),
            ]
            let curves: [(String, NativeCurve, HashAlgorithm, Int)] = [
                ("ES256", .p256, .sha256, 64), ("ES384", .p384, .sha384, 96),
                ("ES512", .p521, .sha512, 132), ("ES256K", .secp256k1, .sha256, 64),
            ]
            var all: [FamilyCase] = []
            for (name, hash) in hashes {
                let oct = try NativeKey.symmetricGenerate(bytes: hash.digestBytes)
                all += [
                    FamilyCase("RS" + name, .rsaPKCS1, hash, rsa, 256, isFixed: true),
                    FamilyCase("PS" + name, .rsaPSS, hash, rsa, 256, isFixed: false),
                    FamilyCase("HS" + name, .hmac, hash, oct, hash.digestBytes, isFixed: true),
                ]
            }
            for (name, curve, hash, size) in curves {
                let key = try NativeKey.generate(curve)
                all.append(FamilyCase(name, .ecdsa, hash, key, size, isFixed: false))
            }
            for (name, curve, size) in [
                ("Ed25519", NativeCurve.ed25519, 64), ("Ed448", .ed448, 114),
            ] {
                let key = try NativeKey.generate(curve)
                all.append(FamilyCase(name, .edDSA, .sha512, key, size, isFixed: true))
            }
            for (set, size) in zip(NativeCurve.parameterSets, [2420, 3309, 4627])
            where set.missing == nil {
                let key = try NativeKey.generate(set)
                all.append(
                    FamilyCase("ML-DSA of \(size)", .mlDSA, .sha512, key, size, isFixed: false))
            }
            return all
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private init(
        _ name: String, _ family: SignatureFamily, _ hash: HashAlgorithm, _ key: NativeKey,
        _ signatureBytes: Int, isFixed: Bool
    ) {
        self.name = name
        self.family = family
        self.hash = hash
        self.key = key
        self.signatureBytes = signatureBytes
        self.isFixed = isFixed
    }

    func operation(
        signing: Bool, _ options: OperationOptions = []
    ) throws(CryptoError) -> SignatureOperation {
        try SignatureOperation(
            key: key, family: family, hash: hash, signing: signing, options: options)
    }
}

@Suite struct SignatureFamilyTests {
    static let options: [OperationOptions] = [
        [], .checksEverySignature, .openSSLOnly, [.checksEverySignature, .openSSLOnly], .noKernels,
    ]

    @Test(
        "every implementation verifies the signatures of every other, at every size",
        arguments: FamilyCase.all)
    func agreement(_ entry: FamilyCase) throws {
        let paths = try Self.options.map {
            (try entry.operation(signing: true, $0), try entry.operation(signing: false, $0))
        }
        for size in [0, 1, 55, 56, 64, 111, 112, 128, 600, 65_536] {
            let message = try Random.bytes(size)
            var seen = Set<[UInt8]>()
            for (signer, _) in paths {
                let signature = try signer.sign(message)
                #expect(signature.count == entry.signatureBytes)
                seen.insert(signature)
                for (_, verifier) in paths { #expect(try verifier.accepts(message, signature)) }
            }
            #expect(seen.count == (entry.isFixed ? 1 : paths.count), "\(size) bytes")
        }
    }

    @Test(
        "every bit of a signature counts, and every byte of the message", arguments: FamilyCase.all)
    func tampered(_ entry: FamilyCase) throws {
        let message = Array("a payload of some bytes".utf8)
        let signature = try entry.operation(signing: true).sign(message)
        for options in [OperationOptions(), .openSSLOnly] {
            let verifier = try entry.operation(signing: false, options)
            for index in signature.indices {
                for bit in options.isEmpty ? Array(UInt8(0)..<8) : [UInt8(index % 8)] {
                    var changed = signature
                    changed[index] ^= 1 << bit
                    #expect(try !verifier.accepts(message, changed), "byte \(index) bit \(bit)")
                }
            }
            for index in message.indices {
                var changed = message
                changed[index] ^= 1 << UInt8(index % 8)
                #expect(try !verifier.accepts(changed, signature))
            }
            #expect(try !verifier.accepts(message + [0], signature))
            #expect(try !verifier.accepts(Array(message.dropLast()), signature))
            #expect(try verifier.accepts(message, signature))
        }
    }

    @Test(
        "any other length is rejected, and random bytes of the right length",
        arguments: FamilyCase.all)
    func lengths(_ entry: FamilyCase) throws {
        let signer = try entry.operation(signing: true)
        let signature = try signer.sign([1])
        for options in [OperationOptions(), .openSSLOnly] {
            let verifier = try entry.operation(signing: false, options)
            for count in 0..<signature.count {
                #expect(try !verifier.accepts([1], Array(signature[..<count])))
            }
            for wrong in [signature + [0], [0] + signature, signature + signature] {
                #expect(try !verifier.accepts([1], wrong))
            }
            for byte: UInt8 in [0, 1, 0x30, 0x7f, 0x80, 0xff] {
                let filled = [UInt8](repeating: byte, count: signature.count)
                #expect(try !verifier.accepts([1], filled), "\(byte)")
            }
            for _ in 0..<20 {
                #expect(try !verifier.accepts([1], Random.bytes(signature.count)))
            }
        }
        for count in [0, signature.count - 1, signature.count + 1] {
            #expect(throws: CryptoError.failure) {
                var other = [UInt8](repeating: 0, count: count)
                var span = other.mutableSpan
                try signer.sign([UInt8]().span, into: &span)
            }
        }
    }

    @Test("a key is accepted for its own algorithms only", arguments: FamilyCase.all)
    func purpose(_ entry: FamilyCase) throws {
        for other in FamilyCase.all {
            for signing in [true, false] {
                let made = try? SignatureOperation(
                    key: entry.key, family: other.family, hash: other.hash, signing: signing)
                #expect((made != nil) == suits(entry, other), "\(other.name) with \(entry.name)")
            }
        }
        for curve in [NativeCurve.x25519, .x448] {
            let key = try NativeKey.generate(curve)
            #expect(throws: CryptoError.unusableKey) {
                _ = try SignatureOperation(
                    key: key, family: entry.family, hash: entry.hash, signing: false)
            }
        }
        let (signer, verifier) = (
            try entry.operation(signing: true), try entry.operation(signing: false)
        )
        #expect(throws: CryptoError.failure) { _ = try verifier.sign([1]) }
        let signature = try signer.sign([1])
        #expect(throws: CryptoError.failure) { _ = try signer.accepts([1], signature) }
    }

    private func suits(_ key: FamilyCase, _ other: FamilyCase) -> Bool {
        switch key.family {
        case .rsaPKCS1, .rsaPSS: other.family == .rsaPKCS1 || other.family == .rsaPSS
        case .ecdsa: other.family == .ecdsa && other.hash == key.hash
        case .edDSA: other.family == .edDSA
        case .mlDSA: other.family == .mlDSA
        case .hmac:
            other.family == .hmac && other.hash.digestBytes <= key.hash.digestBytes
        }
    }

    @Test("RFC 7518 3.2: a symmetric key shorter than the digest is rejected, a longer one works")
    func symmetricKeySizes() throws {
        for hash in [HashAlgorithm.sha256, .sha384, .sha512] {
            for count in [1, 16, hash.digestBytes - 1] {
                let key = try NativeKey.symmetric(SecretBytes([UInt8](repeating: 7, count: count)))
                for signing in [true, false] {
                    #expect(throws: CryptoError.unusableKey) {
                        _ = try SignatureOperation(
                            key: key, family: .hmac, hash: hash, signing: signing)
                    }
                }
            }
            for count in [hash.digestBytes, 64, 65, 127, 128, 129, 512, 65_536]
            where count >= hash.digestBytes {
                let bytes = try Random.bytes(count)
                let key = try NativeKey.symmetric(SecretBytes(bytes))
                let signer = try SignatureOperation(
                    key: key, family: .hmac, hash: hash, signing: true)
                // The published vectors for HMAC are in HashTests.
                let expected = try HMAC.code(hash, bytes, [1, 2, 3])
                #expect(try signer.sign([1, 2, 3]) == expected)
            }
        }
    }
}
