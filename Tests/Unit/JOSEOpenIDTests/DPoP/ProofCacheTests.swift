// Proof keys leave no state: a thousand keys of unknown clients use no memory afterwards.

import Foundation
import JOSE
import JOSEOpenID
import Testing

/// Sanitizers replace malloc, so its numbers are not available.
private let hasOwnHeap = ["__asan_init", "__tsan_init"].contains { (name: String) in
    dlsym(dlopen(nil, RTLD_NOW), name) != nil
}

@Suite("Memory use of DPoP proofs", .disabled(if: hasOwnHeap, "malloc is the sanitizer's"))
struct ProofCacheTests {
    /// A store that keeps nothing. A real store keeps the digest of a `jti`, limited by its
    /// capacity.
    private struct Forgetful: ReplayStore {
        func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {}
    }

    private static func held() throws -> Int {
        typealias Info = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32
        let tell = unsafeBitCast(
            try need(dlsym(dlopen(nil, RTLD_NOW), "malloc_info")), to: Info.self)
        let file = try need(tmpfile())
        defer { fclose(file) }
        try #require(tell(0, UnsafeMutableRawPointer(file)) == 0)
        rewind(file)
        var text: [UInt8] = []
        while case let byte = getc(file), byte >= 0 { text.append(UInt8(byte)) }
        // The totals of all heaps follow the last heap.
        let sums = try need(
            String(decoding: text, as: UTF8.self).components(separatedBy: "</heap>").last)
        func size(_ type: Substring) throws -> Int {
            let line = try need(sums.split(separator: "\n").first { $0.contains(type) })
            return try need(Int(need(line.firstMatch(of: /size="(\d+)"/)).1))
        }
        // From glibc 2.43 on there are no fast bins.
        let fast = sums.contains("type=\"fast\"") ? try size("type=\"fast\"") : 0
        return try size("type=\"current\"") + size("type=\"mmap\"") - fast
            - size("type=\"rest\"")
    }

    private static let count = 1_000

    @Test("a thousand accepted proofs by fresh keys, and a thousand rejected ones, leak nothing")
    func strangers() async {
        await #expect(processExitsWith: .success) {
            let env = try TestEnvironment(.openID)
            let verifier = try DPoPVerifier(
                server: ResourceHandler.resource, replays: Forgetful())
            let server = try ResourceServer(
                issuer: TestEnvironment.issuer, audiences: [ResourceHandler.resource],
                keys: TestKeys.provider.publicKeys, proofs: verifier)
            let responses = try await env.client.tokenIssuer()
            /// A proof that is accepted, and the same proof with a token for another key.
            func round() async throws {
                let prover = try DPoPProver.fresh()
                let url = ResourceHandler.resource + "/things"
                for thumbprint in [prover.keyThumbprint, IntrospectionHandler.jkt] {
                    let token = try responses.accessToken(
                        AccessGrant(
                            subject: "user-1", audience: [ResourceHandler.resource],
                            scopes: ["read"],
                            binding: TokenBinding(keyThumbprint: thumbprint)),
                        at: .testNow)
                    let request = try ResourceRequest(
                        method: "GET", url: url, authorization: "DPoP " + token,
                        proofs: [
                            try prover.proof(
                                method: "GET", url: url, accessToken: token, at: .testNow)
                        ])
                    do {
                        let access = try await server.verify(request, at: .testNow)
                        try #require(access.binding.keyThumbprint == prover.keyThumbprint)
                    } catch let error as JOSEError {
                        try #require(verdict(error) == "claim-rejected cnf")
                        try #require(thumbprint != prover.keyThumbprint)
                    }
                }
            }
            // Warm-up: creates everything that is created once.
            for _ in 0..<50 { try await round() }
            let before = try Self.held()
            for _ in 0..<Self.count { try await round() }
            let after = try Self.held()
            #expect(
                after - before < 64 * Self.count,
                "\(after - before) bytes are held after \(Self.count) keys")
            // A counter-check: the measurement detects this number of kept keys.
            let kept = try (0..<Self.count).map { _ in try JWK.generate(.curve(.p256)).publicKey }
            let grown = try Self.held() - after
            #expect(grown > 256 * kept.count, "\(grown) bytes for \(kept.count) keys")
        }
    }
}
