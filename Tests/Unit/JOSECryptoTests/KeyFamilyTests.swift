// Key management families that start, wrap and finish in steps: round trips, published values,
// errors.

import Foundation
import Testing

@testable import JOSECrypto

/// One key management algorithm with a key for each side.
struct KeyMethod: Sendable, CustomTestStringConvertible {
    let name: String
    let family: KeyManagementFamily
    var wrapBytes = 0
    var hash = HashAlgorithm.sha256
    var curve: NativeCurve?
    var keyBytes: Int?

    var testDescription: String { name }

    static let symmetric: [KeyMethod] = [16, 24, 32].flatMap { size in
        [
            KeyMethod(name: "A\(size * 8)KW", family: .aesKW, wrapBytes: size, keyBytes: size),
            KeyMethod(
                name: "A\(size * 8)GCMKW", family: .aesGCMKW, wrapBytes: size, keyBytes: size),
        ]
    }
    private static let agreed: [NativeCurve] = [.p256, .p384, .p521, .x25519, .x448]
    static let agreeing: [KeyMethod] = agreed.flatMap { curve in
        [0, 16, 24, 32].map { size in
            KeyMethod(
                name: "ECDH-ES \(curve) \(size)", family: .ecdhES, wrapBytes: size, curve: curve)
        }
    }
    static let direct = KeyMethod(name: "dir", family: .direct)
    static let rsa = KeyMethod(name: "RSA-OAEP", family: .rsaOAEP)
    static let all = symmetric + agreeing + [direct, rsa]

    var givesKey: Bool { family != .rsaOAEP && wrapBytes == 0 }

    /// A private key for content of this kind.
    func key(_ content: ContentAlgorithm) throws -> NativeKey {
        if let curve { return try .generate(curve) }
        if family == .rsaOAEP { return try .published() }
        return try .symmetric(SecretBytes(Random.bytes(keyBytes ?? content.keyBytes)))
    }

    func operation(
        _ key: NativeKey, wrapping: Bool, _ options: OperationOptions = []
    ) throws(CryptoError) -> KeyManagementOperation {
        try KeyManagementOperation(
            key: key, family: family, hash: hash, wrapBytes: wrapBytes, wrapping: wrapping,
            options: options)
    }
}

/// A message as its parts, created in steps.
struct Stepped: Equatable {
    var sealed: Sealed
    var parameters: [UInt8]
    var partyU: [UInt8] = []
    var partyV: [UInt8] = []
}

extension KeyManagementOperation {
    func stepped(
        _ plaintext: [UInt8], _ content: ContentAlgorithm, aad: [UInt8], partyU: [UInt8] = [],
        partyV: [UInt8] = []
    ) throws(CryptoError) -> Stepped {
        var encryptedKey = [UInt8](repeating: 0xee, count: encryptedKeyBytes(for: content))
        var parameters = [UInt8](repeating: 0xee, count: parameterBytes)
        var keySpan = encryptedKey.mutableSpan
        var parameterSpan = parameters.mutableSpan
        let parties = partyU + partyV
        let key = try begin(
            content, KeyParameters(partyUBytes: partyU.count, partyVBytes: partyV.count),
            in: parties.span, encryptedKey: &keySpan, parameters: &parameterSpan)
        let sealed = try key.finished(plaintext, content, aad: aad, encryptedKey: encryptedKey)
        return Stepped(sealed: sealed, parameters: parameters, partyU: partyU, partyV: partyV)
    }

    func open(
        _ message: Stepped, _ content: ContentAlgorithm, aad: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        var text = message.sealed.ciphertext
        var span = text.mutableSpan
        let values = message.sealed.values
        let parameterValues = message.parameters + message.partyU + message.partyV
        let count = try open(
            inPlace: &span, content: content, message.sealed.parts, in: values.span,
            aad: aad.span,
            KeyParameters(
                partyUBytes: message.partyU.count, partyVBytes: message.partyV.count),
            in: parameterValues.span)
        return Array(text[..<count])
    }
}

extension ContentKey {
    func finished(
        _ plaintext: [UInt8], _ content: ContentAlgorithm, aad: [UInt8], encryptedKey: [UInt8]
    ) throws(CryptoError) -> Sealed {
        var iv = [UInt8](repeating: 0, count: content.ivBytes)
        var text = [UInt8](repeating: 0, count: content.ciphertextBytes(for: plaintext.count) ?? 0)
        var tag = [UInt8](repeating: 0, count: content.tagBytes)
        var ivSpan = iv.mutableSpan
        var textSpan = text.mutableSpan
        var tagSpan = tag.mutableSpan
        try finish(
            plaintext.span, aad: aad.span, iv: &ivSpan, ciphertext: &textSpan, tag: &tagSpan)
        return Sealed(encryptedKey: encryptedKey, iv: iv, ciphertext: text, tag: tag)
    }
}

@Suite struct KeyFamilyTests {
    @Test("text encrypted in steps decrypts, also with OpenSSL alone", arguments: KeyMethod.all)
    func roundTrip(_ method: KeyMethod) throws {
        for content in ContentAlgorithm.allCases {
            let key = try method.key(content)
            for options in [OperationOptions(), .openSSLOnly] {
                let sealer = try method.operation(key, wrapping: true, options)
                let opener = try method.operation(key, wrapping: false)
                for count in [0, 1, 600] {
                    let text = try Random.bytes(count)
                    let message = try sealer.stepped(
                        text, content, aad: [1, 2], partyU: [3], partyV: [])
                    #expect(try opener.open(message, content, aad: [1, 2]) == text)
                    #expect(
                        try method.operation(key, wrapping: false, .openSSLOnly)
                            .open(message, content, aad: [1, 2]) == text)
                }
            }
        }
    }

    @Test(
        "the fused call and the separate steps decrypt each other's output",
        arguments: KeyMethod.all)
    func fused(_ method: KeyMethod) throws {
        for content in ContentAlgorithm.allCases {
            let key = try method.key(content)
            let sealer = try method.operation(key, wrapping: true)
            guard sealer.parameterBytes == 0 else {
                #expect(throws: CryptoError.failure) {
                    _ = try sealer.seal([1], content: content, aad: [])
                }
                continue
            }
            let sealed = try sealer.seal([1, 2, 3], content: content, aad: [9])
            let opener = try method.operation(key, wrapping: false)
            #expect(try opener.open(sealed, content: content, aad: [9]) == [1, 2, 3])
        }
    }

    @Test("RFC 7516 11.5: every changed bit gives the single rejection", arguments: KeyMethod.all)
    func tampered(_ method: KeyMethod) throws {
        for content in [ContentAlgorithm.a128GCM, .a256CBCHS512] {
            let key = try method.key(content)
            let message = try method.operation(key, wrapping: true)
                .stepped([5, 6, 7], content, aad: [1], partyU: [2], partyV: [3, 4])
            let opener = try method.operation(key, wrapping: false)
            #expect(try opener.open(message, content, aad: [1]) == [5, 6, 7])
            func expectRejected(_ comment: Comment, _ change: (inout Stepped) -> Void) {
                var changed = message
                change(&changed)
                guard changed != message else { return }
                #expect(throws: CryptoError.rejected, comment) {
                    _ = try opener.open(changed, content, aad: [1])
                }
            }
            let isSlow = method.curve != nil || method.family == .rsaOAEP
            for path in [
                \Stepped.sealed.encryptedKey, \.sealed.iv, \.sealed.ciphertext, \.sealed.tag,
                \.parameters,
            ] {
                for bit in stride(
                    from: 0, to: message[keyPath: path].count * 8, by: isSlow ? 41 : 1)
                {
                    // The highest bit of an X25519 coordinate is ignored (RFC 7748 section 5).
                    if path == \.parameters, method.curve == .x25519, bit == 255 { continue }
                    expectRejected("bit \(bit)") {
                        $0[keyPath: path][bit / 8] ^= 1 << UInt8(bit % 8)
                    }
                }
                expectRejected("one longer") { $0[keyPath: path].append(0) }
                expectRejected("one shorter") { _ = $0[keyPath: path].popLast() }
                expectRejected("empty") { $0[keyPath: path] = [] }
            }
            if method.family == .ecdhES {
                expectRejected("apu") { $0.partyU = [] }
                expectRejected("apv") { $0.partyV = [3] }
                expectRejected("moved") {
                    $0.partyU = [2, 3]; $0.partyV = [4]
                }
            }
        }
    }

    @Test("a key of a wrong size or kind is rejected during preparation or for its content")
    func keys() throws {
        let ec = try NativeKey.generate(.p256)
        let x = try NativeKey.generate(.x25519)
        let signing = try [NativeKey.generate(.ed25519), .generate(.secp256k1), .generate(.ed448)]
        let rsa = try NativeKey.published()
        for method in KeyMethod.all {
            var wrong = signing
            if method.curve == nil { wrong += [ec, x] }
            if method.family != .rsaOAEP { wrong.append(rsa) }
            if method.keyBytes != nil || method.family == .rsaOAEP || method.curve != nil {
                for count in [1, 15, 17, 23, 25, 31, 33, 64] {
                    wrong.append(try .symmetric(SecretBytes(Random.bytes(count))))
                }
            }
            for key in wrong {
                for wrapping in [true, false] {
                    #expect(throws: CryptoError.unusableKey, "\(method.name)") {
                        _ = try method.operation(key, wrapping: wrapping)
                    }
                }
            }
        }
        for content in ContentAlgorithm.allCases {
            for count in [content.keyBytes - 1, content.keyBytes + 1] {
                let key = try NativeKey.symmetric(SecretBytes(Random.bytes(count)))
                let sealer = try KeyMethod.direct.operation(key, wrapping: true)
                #expect(!sealer.supports(content))
                #expect(throws: CryptoError.unusableKey) {
                    _ = try sealer.seal([1], content: content, aad: [])
                }
                #expect(throws: CryptoError.unusableKey) {
                    _ = try sealer.stepped([1], content, aad: [])
                }
            }
        }
        #expect(throws: CryptoError.failure) {
            _ = try KeyManagementOperation(key: ec, family: .ecdhES, wrapBytes: 20, wrapping: true)
        }
    }

    @Test("one content key for several recipients, never if the algorithm defines the key itself")
    func severalRecipients() throws {
        let content = ContentAlgorithm.a256GCM
        for first in KeyMethod.all {
            let firstKey = try first.key(content)
            let sealer = try first.operation(firstKey, wrapping: true)
            for second in [
                KeyMethod.symmetric[0], .symmetric[1], .agreeing[0], .agreeing[1], .rsa, .direct,
            ] {
                let secondKey = try second.key(content)
                let further = try second.operation(secondKey, wrapping: true)
                var parts = [
                    [UInt8](repeating: 0, count: sealer.encryptedKeyBytes(for: content)),
                    [UInt8](repeating: 0, count: sealer.parameterBytes),
                    [UInt8](repeating: 0, count: further.encryptedKeyBytes(for: content)),
                    [UInt8](repeating: 0, count: further.parameterBytes),
                ]
                var one = parts[0]
                var oneParameters = parts[1]
                var two = parts[2]
                var twoParameters = parts[3]
                var oneSpan = one.mutableSpan
                var oneParameterSpan = oneParameters.mutableSpan
                let key = try sealer.begin(
                    content, encryptedKey: &oneSpan, parameters: &oneParameterSpan)
                var twoSpan = two.mutableSpan
                var twoParameterSpan = twoParameters.mutableSpan
                do throws(CryptoError) {
                    try key.wrapAgain(
                        for: further, encryptedKey: &twoSpan,
                        parameters: &twoParameterSpan)
                    #expect(!first.givesKey && !second.givesKey, "\(first.name) \(second.name)")
                } catch {
                    #expect(error == .unusableKey && (first.givesKey || second.givesKey))
                    continue
                }
                parts = [one, oneParameters, two, twoParameters]
                let sealed = try key.finished([7], content, aad: [], encryptedKey: parts[0])
                var message = Stepped(sealed: sealed, parameters: parts[1])
                #expect(
                    try first.operation(firstKey, wrapping: false)
                        .open(message, content, aad: []) == [7])
                message.sealed.encryptedKey = parts[2]
                message.parameters = parts[3]
                #expect(
                    try second.operation(secondKey, wrapping: false)
                        .open(message, content, aad: []) == [7])
            }
        }
    }
}
