// The Concat KDF compared with its definition, for every size, name and party. Also random bytes of
// every size.

import Testing

@testable import JOSECrypto

@Suite struct DerivedKeyTests {
    private func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// RFC 7518 4.6.2, as written there.
    private func derived(
        _ z: [UInt8], _ name: String, bytes: Int, _ u: [UInt8], _ v: [UInt8]
    ) throws -> [UInt8] {
        let tail =
            number(name.utf8.count) + Array(name.utf8) + number(u.count) + u + number(v.count) + v
            + number(bytes * 8)
        var key: [UInt8] = []
        for round in 1...2 { key += try Hash.digest(.sha256, number(round) + z + tail) }
        return Array(key[..<bytes])
    }

    private func wrap(
        _ operation: KeyManagementOperation, _ content: ContentAlgorithm, cek: [UInt8] = [],
        ephemeral: NativeKey? = nil, _ u: [UInt8] = [], _ v: [UInt8] = []
    ) throws -> (encryptedKey: [UInt8], cek: [UInt8]) {
        let (none, parties): ([UInt8], [UInt8]) = ([], u + v)
        let made = try KeyManagementTestVectors.wrap(
            operation, content: content, cek: cek.span, seed: none.span,
            ephemeral: ephemeral, KeyParameters(partyUBytes: u.count, partyVBytes: v.count),
            in: parties.span)
        return (made.encryptedKey, made.cek)
    }

    private let z: [UInt8]
    private let ephemeral: NativeKey
    private let recipient: NativeKey

    init() throws {
        let output = try vector("rfc8037-a6-x25519", in: "rfc8037").output
        z = hex(try #require(output["z_hex"] as? String))
        let sender = try publishedKey("ephemeral-x25519", in: "rfc8037")
        let x = try base64URL(sender["x"])
        ephemeral = try .okpPrivate(
            .x25519, x: x.span, d: SecretBytes(base64URL(sender["d"])))
        let receiver = try publishedKey("rec-x25519", in: "rfc8037")
        let u = try base64URL(receiver["x"])
        recipient = try .okpPublic(.x25519, x: u.span)
    }

    private static let parties: [([UInt8], [UInt8])] = [
        ([], []), ([1], []), ([], [2]), (Array("Alice".utf8), Array("Bob".utf8)),
        ([UInt8](repeating: 3, count: 300), [UInt8](repeating: 4, count: 257)),
    ]

    @Test("RFC 7518 4.6.2: the key of every content encryption, with and without apu and apv")
    func direct() throws {
        let names = [
            "A128CBC-HS256", "A192CBC-HS384", "A256CBC-HS512", "A128GCM", "A192GCM", "A256GCM",
        ]
        let method = KeyMethod(name: "", family: .ecdhES, curve: .x25519)
        for options in [OperationOptions(), .openSSLOnly] {
            let operation = try method.operation(recipient, wrapping: true, options)
            for (content, name) in zip(ContentAlgorithm.allCases, names) {
                for (u, v) in Self.parties {
                    let made = try wrap(operation, content, ephemeral: ephemeral, u, v)
                    let wanted = try derived(z, name, bytes: content.keyBytes, u, v)
                    #expect(made.cek == wanted, "\(name), \(u.count) and \(v.count)")
                }
            }
        }
    }

    @Test("RFC 7518 4.6.2: the wrapping key depends on its size and name")
    func wrapping() throws {
        let cek = (0..<32).map { UInt8($0 * 7) }
        for (size, name) in [
            (16, "ECDH-ES+A128KW"), (24, "ECDH-ES+A192KW"), (32, "ECDH-ES+A256KW"),
        ] {
            for (u, v) in Self.parties {
                let key = try derived(z, name, bytes: size, u, v)
                let plain = KeyMethod(name: "", family: .aesKW, wrapBytes: size)
                let wanted = try wrap(
                    plain.operation(.symmetric(SecretBytes(key)), wrapping: true), .a256GCM,
                    cek: cek)
                for options in [OperationOptions(), .openSSLOnly] {
                    let method = KeyMethod(
                        name: "", family: .ecdhES, wrapBytes: size, curve: .x25519)
                    let made = try wrap(
                        method.operation(recipient, wrapping: true, options), .a256GCM, cek: cek,
                        ephemeral: ephemeral, u, v)
                    #expect(made.encryptedKey == wanted.encryptedKey, "\(name)")
                }
            }
        }
    }

    // MARK: random bytes

    @Test("random bytes fill requests of every size near the buffer's size completely")
    func ends() throws {
        #expect(try Random.bytes(0).isEmpty)
        for count in [1, 16, 255, 256, 257, 512, 2_047, 2_048, 2_049, 5_000] {
            // 40 requests: an end that is never written would be the same in all.
            let draws = try (0..<40).map { _ in try Random.bytes(count) }
            #expect(draws.allSatisfy { $0.count == count })
            #expect(Set(draws.map { $0[0] }).count > 10, "\(count)")
            #expect(Set(draws.map { $0[count - 1] }).count > 10, "\(count)")
            #expect(Set(draws.map { $0[count / 2] }).count > 10, "\(count)")
        }
    }

    @Test("no buffered random byte is used twice, whatever the sizes before")
    func once() throws {
        var seen: Set<[UInt8]> = []
        var drawn = 0
        for round in 0..<400 {
            let bytes = try Random.bytes([16, 256, 12, 200, 31, 8, 255, 257][round % 8])
            for start in stride(from: 0, through: bytes.count - 8, by: 8) {
                seen.insert(Array(bytes[start..<(start + 8)]))
                drawn += 1
            }
        }
        #expect(seen.count == drawn && !seen.contains([0, 0, 0, 0, 0, 0, 0, 0]))
    }
}
