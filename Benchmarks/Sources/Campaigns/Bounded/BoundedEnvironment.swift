// Keys, verifiers and valid inputs of a wanted size.

import Foundation
import JOSE

final class BoundedEnvironment {
    private let secret: JWK
    private let rsa: JWK
    private let signer: JWSSigner
    private let verifier: JWSVerifier
    private let tokenVerifier: JWTVerifier
    private let decrypter: JWEDecrypter
    private let encrypter: JWEEncrypter
    private let store: TrustStore
    private let chain: ChainVector
    private static let wide: JOSELimits = {
        var limits = JOSELimits.standard
        limits.tokenBytes = 1 << 24
        return limits
    }()

    init() throws {
        secret = try JWK(symmetricKey: [UInt8](repeating: 0x5a, count: 32))
        rsa = try JWK.generate(.rsa(bits: 2_048))
        signer = try JWSSigner(key: secret, algorithm: .hs256, limits: BoundedEnvironment.wide)
        verifier = try JWSVerifier(key: secret, algorithms: [.hs256])
        tokenVerifier = try JWTVerifier(
            issuer: "https://issuer.example", audience: "https://client.example",
            signature: .required(key: secret, algorithms: [.hs256]))
        decrypter = try JWEDecrypter(key: rsa, algorithms: [.rsaOAEP], content: [.a128GCM])
        encrypter = try JWEEncrypter(key: rsa.publicKey, algorithm: .rsaOAEP, content: .a128GCM)
        chain = try ChainVector("Vectors")
        store = try TrustStore(anchors: chain.anchors)
    }

    private func sample(_ bytes: [UInt8], _ run: @escaping ([UInt8]) throws(JOSEError) -> Void)
        -> Sample
    {
        // Typed, since the box of an untyped error is an allocation.
        Sample(bytes: bytes.count) {
            do throws(JOSEError) { try run(bytes) } catch {}
        }
    }

    /// A text that is accepted, or the set-up fails.
    private func accepted(_ bytes: [UInt8], _ run: @escaping ([UInt8]) throws(JOSEError) -> Void)
        throws -> Sample
    {
        try run(bytes)
        return sample(bytes, run)
    }

    func verifying(_ token: [UInt8]) -> Sample {
        sample(token) { [verifier] (bytes) throws(JOSEError) in _ = try verifier.verify(bytes) }
    }

    func verifyingClaims(_ claims: [UInt8]) throws -> Sample {
        sample(Array(try signer.sign(claims).utf8)) { [tokenVerifier] (bytes) throws(JOSEError) in
            _ = try tokenVerifier.verify(bytes)
        }
    }

    func verifyingJSON(_ token: [UInt8]) -> Sample {
        let text = String(decoding: token, as: UTF8.self)
        return sample(token) { [verifier] (_) throws(JOSEError) in
            _ = try verifier.verifyJSON(text, requiring: .all)
        }
    }

    func decrypting(_ token: [UInt8]) -> Sample {
        sample(token) { [decrypter] (bytes) throws(JOSEError) in _ = try decrypter.decrypt(bytes) }
    }

    func decryptingJSON(_ token: [UInt8]) -> Sample {
        let text = String(decoding: token, as: UTF8.self)
        return sample(token) { [decrypter] (_) throws(JOSEError) in
            _ = try decrypter.decryptJSON(text)
        }
    }

    func readingSet(_ text: [UInt8]) -> Sample {
        sample(text) { (bytes) throws(JOSEError) in _ = try PublicJWKSet(json: bytes) }
    }

    func readingChain(_ certificates: [[UInt8]]) -> Sample {
        Sample(bytes: certificates.reduce(0) { $0 + $1.count }) { [store, chain] in
            _ = try? store.report(certificates, purpose: .signature, at: chain.now)
        }
    }

    // ---- valid inputs

    /// A signed JWT of ordinary claims.
    func validToken(_ size: Int) throws -> Sample {
        let claims = Text.claims(Text.ordinary((size - 100) * 3 / 4 - 160))
        return try accepted(Array(try signer.sign(claims).utf8)) {
            [tokenVerifier] (bytes) throws(JOSEError) in _ = try tokenVerifier.verify(bytes)
        }
    }

    /// A general JWS with so many signatures over ordinary claims.
    func validJSON(_ size: Int, signatures: Int) throws -> Sample {
        let signers = try (0..<signatures).map { _ in try JWSJSONSigner.Signatory(signer: signer) }
        let payload = Text.claims(Text.ordinary(max(0, size - 2_000) * 3 / 4 - 160))
        let text = try JWSJSONSigner(signatories: signers, limits: BoundedEnvironment.wide).sign(
            payload, as: .general)
        return try accepted(Array(text.utf8)) { [verifier] (_) throws(JOSEError) in
            _ = try verifier.verifyJSON(text, requiring: .all)
        }
    }

    func encrypted(_ size: Int) throws -> String {
        try encrypter.encrypt(Text.claims(Text.ordinary(max(0, (size - 600) * 3 / 4 - 200))))
    }

    func validEncrypted(_ size: Int) throws -> Sample {
        try accepted(Array(try encrypted(size).utf8)) { [decrypter] (bytes) throws(JOSEError) in
            _ = try decrypter.decrypt(bytes)
        }
    }

    /// A set of RSA keys, as many as may be, and a member that is ignored.
    func validSet(_ size: Int) throws -> Sample {
        var random = FixedRandom(1)
        let room = min(size - 40, 410_000)
        let keys = fill(room) { number in
            var n = (0..<256).map { _ in UInt8.random(in: 0...255, using: &random) }
            n[0] |= 0x80
            n[255] |= 1
            return
                #"{"kty":"RSA","use":"sig","alg":"RS256","kid":"key-\#(number)","n":"\#(base64URL(n))","e":"AQAB"}"#
        }
        return try accepted(
            Array(
                #"{"keys":[\#(keys)],"note":"\#(String(repeating: "n", count: size - 40 - room))"}"#
                    .utf8)
        ) { (bytes) throws(JOSEError) in _ = try PublicJWKSet(json: bytes) }
    }

    /// The accepted chain of the vectors, whatever size is asked for: a larger one is not accepted.
    func validChain(_ size: Int) throws -> Sample {
        let certificates = chain.key.certificateChain ?? []
        try require(
            try store.report(certificates, purpose: chain.purpose, at: chain.now).error == nil,
            "the chain of the vectors")
        return readingChain(certificates)
    }
}
