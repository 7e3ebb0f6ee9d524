// A device for tests: a private key in libcrypto, used through the raw EVP operations.

import Foundation
import JOSE
import JOSECrypto
import Testing

/// Does what a device does and nothing more: no header, no policy, no content. The conformance is
/// unchecked because of the pointer; each call has its own context.
final class SoftDevice: @unchecked Sendable {
    private let key: OpaquePointer

    /// The padding modes of RSA.
    private enum Padding: Int32 {
        case pkcs1 = 1
        case none = 3
        case oaep = 4
        case pss = 6
    }

    init(_ key: JWK) throws {
        let der = try key.withPrivateKeyFile(.der) { span in span.indices.map { span[$0] } }
        self.key = try need(
            der.withUnsafeBufferPointer { bytes in
                var start = bytes.baseAddress
                return LibCrypto.readKey(nil, &start, der.count)
            })
    }

    deinit { LibCrypto.freeKey(key) }

    /// The signature of a digest (ECDSA: in DER) or of a message.
    func sign(_ request: ExternalSigningRequest) -> [UInt8]? {
        switch request.input {
        case .digest(let digest): sign(request.algorithm, digest: digest)
        case .message(let message): sign(message: message)
        }
    }

    private func sign(_ algorithm: SignatureAlgorithm, digest: [UInt8]) -> [UInt8]? {
        run(LibCrypto.signStart) { context in
            let name =
                String(algorithm.name.dropFirst(2)) == "256K"
                ? "256" : String(algorithm.name.suffix(3))
            guard LibCrypto.setDigest(context, LibCrypto.digest("SHA" + name)) == 1 else {
                return nil
            }
            if algorithm.name.hasPrefix("RS") || algorithm.name.hasPrefix("PS") {
                let padding: Padding = algorithm.name.hasPrefix("RS") ? .pkcs1 : .pss
                guard LibCrypto.setPadding(context, padding.rawValue) == 1 else { return nil }
                // The salt is as long as the digest.
                if padding == .pss, LibCrypto.setSalt(context, -1) != 1 { return nil }
            }
            return output { LibCrypto.sign(context, $0, $1, digest, digest.count) }
        }
    }

    private func sign(message: [UInt8]) -> [UInt8]? {
        guard let context = LibCrypto.makeDigest() else { return nil }
        defer { LibCrypto.freeDigest(context) }
        guard LibCrypto.digestStart(context, nil, nil, nil, key) == 1 else { return nil }
        return output { LibCrypto.digestSign(context, $0, $1, message, message.count) }
    }

    /// RSA-OAEP as a device does it; nil if the padding is wrong.
    func unwrap(_ request: ExternalUnwrappingRequest) -> [UInt8]? {
        let name =
            request.algorithm.name == "RSA-OAEP" ? "1" : String(request.algorithm.name.suffix(3))
        return run(LibCrypto.decryptStart) { context in
            let digest = LibCrypto.digest("SHA" + name)
            guard LibCrypto.setPadding(context, Padding.oaep.rawValue) == 1,
                LibCrypto.setOAEPDigest(context, digest) == 1,
                LibCrypto.setMaskDigest(context, digest) == 1
            else { return nil }
            return output {
                LibCrypto.decrypt(context, $0, $1, request.encryptedKey, request.encryptedKey.count)
            }
        }
    }

    /// The raw operation on a block below the modulus: also its signature (RFC 8017, 5.2.1).
    func raw(_ block: [UInt8]) -> [UInt8]? {
        run(LibCrypto.decryptStart) { context in
            guard LibCrypto.setPadding(context, Padding.none.rawValue) == 1 else { return nil }
            return output { LibCrypto.decrypt(context, $0, $1, block, block.count) }
        }
    }

    /// ECDH, X25519 or X448.
    func agree(_ request: ExternalAgreementRequest) throws -> [UInt8]? {
        let half = request.publicKey.count / 2
        let isEC = request.curve.keyType == .ec
        let x = isEC ? request.publicKey[..<half] : request.publicKey[...]
        let y = isEC ? #","y":"\#(Independent.base64URL(request.publicKey[half...]))""# : ""
        let peer = try JWK(
            json: #"{"kty":"\#(request.curve.keyType.name)","crv":"\#(request.curve.name)","#
                + #""x":"\#(Independent.base64URL(x))"\#(y)}"#)
        let der = try peer.publicKeyFile(.der)
        let other = try need(
            der.withUnsafeBufferPointer { bytes in
                var start = bytes.baseAddress
                return LibCrypto.readPublicKey(nil, &start, der.count)
            })
        defer { LibCrypto.freeKey(other) }
        return run(LibCrypto.deriveStart) { context in
            guard LibCrypto.setPeer(context, other) == 1 else { return nil }
            return output { LibCrypto.derive(context, $0, $1) }
        }
    }

    private func run(
        _ start: (OpaquePointer) -> Int32, _ body: (OpaquePointer) -> [UInt8]?
    ) -> [UInt8]? {
        guard let context = LibCrypto.makeContext(key, nil) else { return nil }
        defer { LibCrypto.freeContext(context) }
        return start(context) == 1 ? body(context) : nil
    }

    private func output(
        _ write: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> Int32
    ) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 8_192)
        var count = bytes.count
        let done = bytes.withUnsafeMutableBufferPointer { write($0.baseAddress, &count) }
        return done == 1 ? Array(bytes[..<count]) : nil
    }
}

/// The functions of libcrypto that the device uses.
private enum LibCrypto {
    typealias Pointer = OpaquePointer
    typealias Out = UnsafeMutablePointer<UInt8>
    typealias Size = UnsafeMutablePointer<Int>
    typealias Work =
        @convention(c) (Pointer, Out?, Size, UnsafePointer<UInt8>, Int) -> Int32
    typealias Start = @convention(c) (Pointer) -> Int32
    typealias Read =
        @convention(c) (
            Pointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int
        ) -> Pointer?
    typealias SetDigest = @convention(c) (Pointer, Pointer?) -> Int32
    typealias SetNumber = @convention(c) (Pointer, Int32) -> Int32
    typealias Free = @convention(c) (Pointer?) -> Void

    private static func find<F>(_ name: String, as type: F.Type = F.self) -> F {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else {
            preconditionFailure("libcrypto has no \(name)")
        }
        return unsafeBitCast(symbol, to: type)
    }

    static let readKey: Read = find("d2i_AutoPrivateKey")
    static let readPublicKey: Read = find("d2i_PUBKEY")
    static let freeKey: Free = find("EVP_PKEY_free")
    static let makeContext: @convention(c) (Pointer, Pointer?) -> Pointer? = find(
        "EVP_PKEY_CTX_new")
    static let freeContext: Free = find("EVP_PKEY_CTX_free")
    static let signStart: Start = find("EVP_PKEY_sign_init")
    static let sign: Work = find("EVP_PKEY_sign")
    static let decryptStart: Start = find("EVP_PKEY_decrypt_init")
    static let decrypt: Work = find("EVP_PKEY_decrypt")
    static let deriveStart: Start = find("EVP_PKEY_derive_init")
    static let setPeer: @convention(c) (Pointer, Pointer) -> Int32 = find(
        "EVP_PKEY_derive_set_peer")
    static let derive: @convention(c) (Pointer, Out?, Size) -> Int32 = find("EVP_PKEY_derive")
    static let setPadding: SetNumber = find("EVP_PKEY_CTX_set_rsa_padding")
    static let setSalt: SetNumber = find("EVP_PKEY_CTX_set_rsa_pss_saltlen")
    static let setDigest: SetDigest = find("EVP_PKEY_CTX_set_signature_md")
    static let setOAEPDigest: SetDigest = find("EVP_PKEY_CTX_set_rsa_oaep_md")
    static let setMaskDigest: SetDigest = find("EVP_PKEY_CTX_set_rsa_mgf1_md")
    static let digest: @convention(c) (UnsafePointer<CChar>) -> Pointer? = find(
        "EVP_get_digestbyname")
    static let makeDigest: @convention(c) () -> Pointer? = find("EVP_MD_CTX_new")
    static let freeDigest: Free = find("EVP_MD_CTX_free")
    static let digestStart:
        @convention(c) (Pointer, Pointer?, Pointer?, Pointer?, Pointer) -> Int32 = find(
            "EVP_DigestSignInit")
    static let digestSign: Work = find("EVP_DigestSign")
}
