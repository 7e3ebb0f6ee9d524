// Shared helpers: published vectors, keys from JWKs, and short forms of calls.

import Foundation
import Testing

@testable import JOSECrypto

typealias Members = [String: Any]

/// A file of `Vectors/` at the root of the repository.
func vectorFile(_ name: String) throws -> Members {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL
    let data = try Data(contentsOf: root.appending(path: "Vectors/\(name).json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? Members)
}

/// The vector or the derived negative with this id.
func vector(_ id: String, in file: String) throws -> (input: Members, output: Members) {
    let file = try vectorFile(file)
    let all = (file["vectors"] as? [Members] ?? []) + (file["negative"] as? [Members] ?? [])
    let found = try #require(all.first { $0["id"] as? String == id })
    return (found["input"] as? Members ?? [:], found["output"] as? Members ?? [:])
}

func publishedKey(_ name: String, in file: String) throws -> Members {
    let keys = try #require(try vectorFile(file)["keys"] as? Members)
    return try #require(keys[name] as? Members)
}

func base64URL(_ text: Any?) throws -> [UInt8] {
    var text = try #require(text as? String)
        .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return [UInt8](try #require(Data(base64Encoded: text)))
}

func hex(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Substring(text)
    while let byte = UInt8(rest.prefix(2), radix: 16) {
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return bytes
}

/// A C function that is not imported into Swift, by name.
func cFunction<F>(_ name: String, as type: F.Type) throws -> F {
    unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), name)), to: type)
}

/// The numbers of an RSA key. A test changes one and imports the result.
struct RSANumbers {
    var n: [UInt8]
    var e: [UInt8]
    var d: [UInt8]
    /// p, q, dp, dq, qi
    var crt: [[UInt8]]?

    init(_ jwk: Members) throws {
        n = try base64URL(jwk["n"])
        e = try base64URL(jwk["e"])
        d = jwk["d"] == nil ? [] : try base64URL(jwk["d"])
        let names = ["p", "q", "dp", "dq", "qi"]
        if names.contains(where: { jwk[$0] != nil }) {
            crt = try names.map { jwk[$0] == nil ? [] : try base64URL(jwk[$0]) }
        }
    }

    func publicKey() throws(CryptoError) -> NativeKey {
        try NativeKey.rsaPublic(modulus: n.span, exponent: e.span)
    }

    func privateKey() throws(CryptoError) -> NativeKey {
        let parts = crt.map { $0.map { SecretBytes(copying: $0.span) } }
        return try NativeKey.rsaPrivate(
            modulus: n.span, exponent: e.span, privateExponent: SecretBytes(copying: d.span),
            crt: parts.map { RSACRT(p: $0[0], q: $0[1], dp: $0[2], dq: $0[3], qi: $0[4]) })
    }
}

extension NativeKey {
    /// The key of RFC 7515 appendix A.2, with private members.
    static func published() throws -> NativeKey {
        try RSANumbers(publishedKey("a2-rsa", in: "rfc7515")).privateKey()
    }

    func secret(_ part: RSAPrivatePart) throws -> [UInt8] {
        try rsaPrivateMember(part).bytes
    }
}

extension SecretBytes {
    var bytes: [UInt8] {
        withSpan { span in
            var bytes: [UInt8] = []
            for index in span.indices { bytes.append(span[index]) }
            return bytes
        }
    }
}

extension SignatureOperation {
    func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        var signature = [UInt8](repeating: 0xee, count: signatureBytes)
        var span = signature.mutableSpan
        try sign(message.span, into: &span)
        return signature
    }

    func accepts(_ message: [UInt8], _ signature: [UInt8]) throws -> Bool {
        do throws(CryptoError) {
            try verify(message.span, signature: signature.span)
            return true
        } catch .rejected {
            return false
        }
    }
}

/// The four parts of an encrypted text.
struct Sealed: Equatable {
    var encryptedKey: [UInt8]
    var iv: [UInt8]
    var ciphertext: [UInt8]
    var tag: [UInt8]

    /// The parts except the ciphertext, as an operation takes them.
    var parts: EncryptedParts {
        EncryptedParts(encryptedKeyBytes: encryptedKey.count, ivBytes: iv.count)
    }
    var values: [UInt8] { encryptedKey + iv + tag }
}

extension KeyManagementOperation {
    func seal(
        _ plaintext: [UInt8], content: ContentAlgorithm = .a128CBCHS256, aad: [UInt8]
    ) throws(CryptoError) -> Sealed {
        var key = [UInt8](repeating: 0, count: encryptedKeyBytes(for: content))
        var iv = [UInt8](repeating: 0, count: content.ivBytes)
        var text = [UInt8](
            repeating: 0, count: content.ciphertextBytes(for: plaintext.count) ?? 0)
        var tag = [UInt8](repeating: 0, count: content.tagBytes)
        var keySpan = key.mutableSpan
        var ivSpan = iv.mutableSpan
        var textSpan = text.mutableSpan
        var tagSpan = tag.mutableSpan
        try seal(
            plaintext.span, content: content, aad: aad.span, encryptedKey: &keySpan, iv: &ivSpan,
            ciphertext: &textSpan, tag: &tagSpan)
        return Sealed(encryptedKey: key, iv: iv, ciphertext: text, tag: tag)
    }

    func open(
        _ sealed: Sealed, content: ContentAlgorithm = .a128CBCHS256, aad: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        var text = sealed.ciphertext
        var span = text.mutableSpan
        let values = sealed.values
        let count = try open(
            inPlace: &span, content: content, sealed.parts, in: values.span, aad: aad.span)
        return Array(text[..<count])
    }
}

extension ContentTestVectors {
    static func encrypt(
        _ content: ContentAlgorithm, _ cek: [UInt8], _ iv: [UInt8], _ aad: [UInt8],
        _ plaintext: [UInt8]
    ) throws(CryptoError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        try encrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, plaintext: plaintext.span)
    }

    static func decrypt(
        _ content: ContentAlgorithm, _ cek: [UInt8], _ iv: [UInt8], _ aad: [UInt8],
        _ ciphertext: [UInt8], _ tag: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try decrypt(
            content, cek: cek.span, iv: iv.span, aad: aad.span, ciphertext: ciphertext.span,
            tag: tag.span)
    }
}

extension ContentTestVectors {
    /// The content of the buffer after a ciphertext was rejected.
    static func rejected(
        _ content: ContentAlgorithm, _ cek: [UInt8], _ iv: [UInt8], _ aad: [UInt8],
        _ ciphertext: [UInt8], _ tag: [UInt8]
    ) throws -> [UInt8] {
        var text = ciphertext
        var span = text.mutableSpan
        do throws(CryptoError) {
            _ = try decrypt(
                content, inPlace: &span, cek: cek.span, iv: iv.span, aad: aad.span, tag: tag.span)
            Issue.record("accepted")
        } catch {
            #expect(error == .rejected)
        }
        return text
    }
}

extension HMAC {
    static func code(
        _ algorithm: HashAlgorithm, _ key: [UInt8], _ message: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try code(algorithm, key: key.span, message.span)
    }
}

extension Hash {
    static func digest(
        _ algorithm: HashAlgorithm, _ message: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try digest(algorithm, message.span)
    }
}

extension SecretBytes {
    convenience init(_ bytes: [UInt8]) {
        self.init(copying: bytes.span)
    }
}
