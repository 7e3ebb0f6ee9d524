// This library as a worker of `tools/run bench-peers`, and the inputs that all workers read.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import Foundation
import JOSE

/// Writes keys and tokens for all workers into a folder.
func commandFixtures(_ options: Options) throws {
    guard let folder = options.words.first else { throw BenchmarkFailure("which folder?") }
    let env = try environment()
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
    }
    let encrypter = try env.encrypter(.rsaOAEP)
    try write("claims.json", env.claims)
    try write("jws.txt", env.token.utf8)
    try write("nested.txt", try PeerWork(env).nested.utf8)
    try write(
        "jwks10.json", keySetJSON(count: 10, last: .signing2048, use: "sig", alg: "RS256").utf8)
    for bytes in [600, 65_536] {
        try write("payload-\(bytes).txt", TestEnvironment.payload(bytes))
        try write("jwe-\(bytes).txt", try encrypter.encrypt(TestEnvironment.payload(bytes)).utf8)
    }
    for (name, key, use, alg) in [
        ("sig", FixtureKey.signing2048, "sig", "RS256"),
        ("enc", FixtureKey.encryption2048, "enc", "RSA-OAEP"),
    ] {
        try write("\(name)-public.json", key.publicJWK(use: use, alg: alg).utf8)
        try write("\(name)-private.json", key.privateJWK(use: use, alg: alg).utf8)
        try write("\(name)-private.pem", try env.keyFile(BASELINE_PKCS8_PEM, key))
        try write("\(name)-public.pem", try env.keyFile(BASELINE_SPKI_PEM, key))
    }
}

/// The operations of the comparison, with everything prepared as the others may too.
private struct PeerWork {
    let env: TestEnvironment
    let nestedRecipient: JWTRecipient
    let nested: String

    init(_ env: TestEnvironment) throws {
        self.env = env
        nestedRecipient = try JWTRecipient(
            key: env.encryptionKey, algorithm: .rsaOAEP, content: .a128CBCHS256)
        nested = try env.issuer.issue(IDTokenClaims.sample, encryptedFor: nestedRecipient)
    }

    func operations() throws -> [(name: String, work: (Int) throws -> Void)] {
        let env = env
        let verifier = try JWSVerifier(key: env.verificationKey, algorithms: [.rs256])
        let claimsVerifier = try env.jwtVerifier(
            .required(key: env.verificationKey, algorithms: [.rs256]))
        let nestedVerifier = try env.nestedVerifier()
        let encrypter = try env.encrypter(.rsaOAEP)
        let decrypter = try env.decrypter(.rsaOAEP)
        let small = TestEnvironment.payload(600)
        let large = TestEnvironment.payload(65_536)
        let sealedSmall = try encrypter.encrypt(small)
        let sealedLarge = try encrypter.encrypt(large)
        let set = keySetJSON(count: 10, last: .signing2048, use: "sig", alg: "RS256")
        let (token, nested, recipient) = (env.token, nested, nestedRecipient)
        return [
            ("verify", { for _ in 0..<$0 { _ = try verifier.verify(token) } }),
            (
                "claims",
                { for _ in 0..<$0 { _ = try claimsVerifier.verify(token, as: IDTokenClaims.self) } }
            ),
            ("sign", { for _ in 0..<$0 { _ = try env.signer.sign(env.claims) } }),
            ("encrypt-600", { for _ in 0..<$0 { _ = try encrypter.encrypt(small) } }),
            ("encrypt-64k", { for _ in 0..<$0 { _ = try encrypter.encrypt(large) } }),
            ("decrypt-600", { for _ in 0..<$0 { _ = try decrypter.decrypt(sealedSmall) } }),
            ("decrypt-64k", { for _ in 0..<$0 { _ = try decrypter.decrypt(sealedLarge) } }),
            (
                "nested-make",
                {
                    for _ in 0..<$0 {
                        _ = try env.issuer.issue(IDTokenClaims.sample, encryptedFor: recipient)
                    }
                }
            ),
            (
                "nested-open",
                {
                    for _ in 0..<$0 {
                        _ = try nestedVerifier.verify(nested, as: IDTokenClaims.self)
                    }
                }
            ),
            (
                "set-pick",
                { for _ in 0..<$0 { _ = try PublicJWKSet(json: set).key(keyID: "sig-2048") } }
            ),
        ]
    }
}

/// Answers `OPERATION COUNT` with nanoseconds until the input ends. With `opted-in` all keys allow
/// every kernel, and only the operations that this changes are offered.
func commandPeer(_ options: Options) throws {
    func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
    let optedIn = options.words.first == "opted-in"
    let env = optedIn ? try TestEnvironment(.withPrivateKeysAndFloatingPoint) : try environment()
    var operations = try PeerWork(env).operations()
    if optedIn { operations.removeAll { ["verify", "claims", "set-pick"].contains($0.name) } }
    for (_, work) in operations { try work(1) }
    say(
        "ready swift-jose\(optedIn ? "-opted-in" : "") main "
            + operations.map(\.name).joined(separator: " "))
    while let line = readLine() {
        let words = line.split(separator: " ")
        guard words.count == 2, let count = Int(words[1]),
            let chosen = operations.first(where: { $0.name == words[0] })
        else { throw BenchmarkFailure("what is \(line)?") }
        let start = probe_wall_ns()
        try chosen.work(count)
        let end = probe_wall_ns()
        say("\(end - start)")
    }
}
