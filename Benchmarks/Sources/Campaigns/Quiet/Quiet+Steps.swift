// The steps: every entry accepts and rejects, in every form; then claims, sets, keys and chains.

import Foundation
import JOSE
import JOSEOpenID

extension Quiet {
    private static let payload = Array("a payload of the campaign".utf8)

    static func signatureSteps() throws -> [Step] {
        try Entries().signatures().flatMap { entry -> [Step] in
            let signer = try JWSSigner(key: entry.key, algorithm: entry.algorithm)
            let verifier = try JWSVerifier(key: entry.verifying, algorithms: [entry.algorithm])
            let token = try signer.sign(payload)
            let wrong = damaged(token, part: 2)
            let json = try JWSJSONSigner(signatories: [.init(signer: signer)]).sign(
                payload, as: .general)
            let detached = try signer.signDetached(payload)
            return [
                Step(name: "\(entry.name) verify") {
                    try require(try verifier.verify(token).payload == payload, "payload")
                },
                Step(name: "\(entry.name) reject") {
                    try rejects(.signatureInvalid) { _ = try verifier.verify(wrong) }
                },
                Step(name: "\(entry.name) JSON") {
                    let read = try verifier.verifyJSON(json, requiring: .all)
                    try require(read.payload == payload, "payload")
                },
                Step(name: "\(entry.name) detached") {
                    _ = try verifier.verifyDetached(detached, payload: payload)
                },
                Step(name: "\(entry.name) batch") {
                    let results = verifier.verifyBatch([token, wrong, token])
                    try require(
                        (try? results[0].get()) != nil && (try? results[1].get()) == nil, "batch")
                },
            ]
        }
    }

    static func encryptionSteps() throws -> [Step] {
        try Entries().encryptions().flatMap { entry -> [Step] in
            let token = try entry.encrypter().encrypt(payload)
            let decrypter = try JWEDecrypter(
                key: entry.key, algorithms: [entry.algorithm], content: [entry.content])
            let wrongTag = damaged(token, part: 4)
            let wrongText = damaged(token, part: 3)
            let json = try JWEJSONEncrypter(
                recipients: [
                    JWERecipient(
                        key: entry.encrypting, algorithm: entry.algorithm, options: entry.options)
                ],
                content: entry.content
            ).encrypt(payload, as: .flattened)
            return [
                Step(name: "\(entry.name) decrypt") {
                    let opened = try decrypter.decrypt(token)
                    try require(opened.unauthenticatedPlaintext == payload, "plaintext")
                },
                Step(name: "\(entry.name) reject") {
                    try rejects(.decryptionFailed) { _ = try decrypter.decrypt(wrongTag) }
                    try rejects(.decryptionFailed) { _ = try decrypter.decrypt(wrongText) }
                },
                Step(name: "\(entry.name) JSON") {
                    let opened = try decrypter.decryptJSON(json)
                    try require(opened.unauthenticatedPlaintext == payload, "plaintext")
                },
            ]
        }
    }

    private struct Claims: Codable {
        var iss = "https://issuer.example"
        var aud = "https://client.example"
        var exp = 4_102_444_800
    }

    static func otherSteps(_ vectors: String) throws -> [Step] {
        let rsa = try Entries().rsa
        let issuer = try JWTIssuer(key: rsa, algorithm: .rs256)
        let nested = try issuer.issue(
            Claims(),
            encryptedFor: JWTRecipient(
                key: rsa.publicKey, algorithm: .rsaOAEP256, content: .a256GCM))
        let set = try PublicJWKSet(keys: [rsa.publicKey])
        let setText = set.json()
        let opener = try JWTVerifier(
            issuer: "https://issuer.example", audience: "https://client.example",
            encryption: .required(key: rsa, algorithms: [.rsaOAEP256], content: [.a256GCM]),
            signature: .required(keys: set, algorithms: [.rs256]))
        let token = try issuer.issue(Claims())
        let small = try JWEEncrypter(
            key: rsa.publicKey, algorithm: .rsaOAEP, content: .a128GCM, compression: .deflate
        ).encrypt(payload)
        let inflater = try JWEDecrypter(
            key: rsa, algorithms: [.rsaOAEP], content: [.a128GCM], compression: [.deflate])
        let privateText = try rsa.privateJSON()
        let chain = try ChainVector(vectors)
        let replay = MemoryReplayStore()
        return [
            Step(name: "nested") { _ = try opener.verify(nested, as: Claims.self) },
            Step(name: "nested, rejected") {
                try rejects(.decryptionFailed) { _ = try opener.verify(damaged(nested, part: 4)) }
            },
            Step(name: "a private key that opted in to kernels, until one is used") {
                let fresh = try JWEDecrypter(
                    key: rsa.withAcceleration(.withPrivateKeys), algorithms: [.rsaOAEP],
                    content: [.a128GCM], compression: [.deflate])
                for _ in 0..<40 { _ = try fresh.decrypt(small) }
            },
            Step(name: "a set and a key for the first time") {
                let fresh = try PublicJWKSet(json: setText)
                _ = try JWSVerifier(keys: fresh, algorithms: [.rs256]).verify(token)
            },
            Step(name: "a private key for the first time") {
                let fresh = try JWK(json: privateText)
                let decrypter = try JWEDecrypter(
                    key: fresh, algorithms: [.rsaOAEP], content: [.a128GCM], compression: [.deflate]
                )
                _ = try decrypter.decrypt(small)
            },
            Step(name: "inflating") { _ = try inflater.decrypt(small) },
            Step(name: "a chain") { try chain.validate() },
            Step(name: "replay") {
                let use = ReplayEntry(
                    purpose: "quiet", issuer: "i", audience: "a",
                    tokenID: "\(UInt64.random(in: 0 ... .max))",
                    expires: try NumericDate(seconds: 1_000))
                try replay.markUsedNow(use, at: NumericDate(seconds: 500))
            },
        ]
    }
}

/// An accepted chain of Vectors/x5c.json, validated at each call.
struct ChainVector: Sendable {
    let key: JWK
    let now: NumericDate
    let purpose: CertificatePurpose
    let anchors: [[UInt8]]

    init(_ folder: String) throws {
        let data = try Data(contentsOf: URL(filePath: folder + "/x5c.json"))
        guard let file = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let profile = file["profile"] as? [String: Any],
            let texts = profile["trust_anchors"] as? [String],
            let time = profile["validation_time"] as? Int,
            let vectors = file["vectors"] as? [[String: Any]],
            let now = NumericDate(exactly: Int64(time))
        else { throw Failure("x5c.json has another form") }
        anchors = texts.compactMap { Data(base64Encoded: $0).map { [UInt8]($0) } }
        self.now = now
        for vector in vectors {
            guard let input = vector["input"] as? [String: Any],
                let jwk = (input["jwk"] ?? input["key"]) as? [String: Any],
                let key = try? JWK(json: [UInt8](JSONSerialization.data(withJSONObject: jwk)))
            else { continue }
            for purpose in [CertificatePurpose.signature, .encryption] {
                guard let store = try? TrustStore(anchors: anchors),
                    (try? key.validated(by: store, purpose: purpose, at: now)) != nil
                else { continue }
                self.key = key
                self.purpose = purpose
                return
            }
        }
        throw Failure("x5c.json has no chain that is accepted")
    }

    func validate() throws {
        _ = try key.validated(by: TrustStore(anchors: anchors), purpose: purpose, at: now)
    }
}
