// The external key with a working, a restarted and a misbehaving service.

import SocketKey
import Foundation
import JOSE
import Synchronization
import Testing

/// A timeout that a slow machine does not reach.
private let ample = Duration.seconds(3_600)

private final class Kinds: Sendable {
    private let seen = Mutex<[String]>([])
    var all: [String] { seen.withLock { $0 } }
    func note(_ event: any JOSEEvent) {
        guard let event = event as? ExternalKeyEvent else { return }
        seen.withLock { $0.append("\(event.kind)") }
    }
}

private final class Counter: Sendable {
    private let state = Mutex(0)
    var value: Int { state.withLock { $0 } }
    func add(_ more: Int) { state.withLock { $0 += more } }
    func raise(to least: Int) { state.withLock { $0 = max($0, least) } }
}

private func external(
    _ key: JWK, at folder: Folder, atOnce count: Int = 64, _ kinds: Kinds = Kinds()
) throws -> JWK {
    try key.withExternalKey(
        SocketExternalKey(socket: folder.socket),
        options: ExternalKeyOptions(
            maxConcurrent: count, timeout: ample, observe: { kinds.note($0) }))
}

/// The code of what a call throws; nil where it succeeds.
private func code(_ call: () async throws -> Void) async -> JOSEError.Code? {
    do {
        try await call()
        return nil
    } catch {
        return (error as? JOSEError)?.code
    }
}

@Suite("An external key of a key service", .serialized)
struct SocketKeyTests {
    @Test("1,000 concurrent signatures with a latency of 20 ms, without a thread each")
    func thousand() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let service = try Service(in: folder, milliseconds: 20)
        let key = try Service.publicKey(in: folder)
        let verifier = try JWSVerifier(key: key, algorithms: [.ps256])
        let signer = try JWSSigner(key: external(key, at: folder, atOnce: 1_000), algorithm: .ps256)
        let threads = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let token = try await signer.sign(
                        Array("payload \(number)".utf8), timeout: ample)
                    let now = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
                    threads.raise(to: now.count)
                    #expect(try verifier.verify(token).payload == Array("payload \(number)".utf8))
                }
            }
            try await group.waitForAll()
        }
        #expect(threads.value < 60)
        withExtendedLifetime(service) {}
    }

    @Test("tokens for the key are decrypted, others fail with decryptionFailed")
    func decrypts() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let service = try Service(in: folder)
        let key = try Service.publicKey(in: folder)
        let kinds = Kinds()
        let decrypter = try JWEDecrypter(
            key: external(key, at: folder, kinds), algorithms: [.rsaOAEP256],
            content: [.a128CBCHS256])
        let encrypter = try JWEEncrypter(key: key, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        let token = try encrypter.encrypt("a text")
        let opened = try await decrypter.decrypt(token, timeout: ample)
        #expect(opened.unauthenticatedPlaintext == Array("a text".utf8))
        #expect(kinds.all.isEmpty)
        // An encrypted key with changed bits.
        var parts = token.split(separator: ".").map(String.init)
        parts[1] = (parts[1].first == "A" ? "B" : "A") + parts[1].dropFirst()
        let forged = parts.joined(separator: ".")
        let rejected = await code { _ = try await decrypter.decrypt(forged, timeout: ample) }
        #expect(rejected == .decryptionFailed)
        withExtendedLifetime(service) {}
    }

    @Test(
        "a service that is killed and restarted: valid signatures or unavailable, then it works"
    )
    func restarted() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        var service = try Service(in: folder, milliseconds: 5)
        let key = try Service.publicKey(in: folder)
        let verifier = try JWSVerifier(key: key, algorithms: [.rs256])
        let signer = try JWSSigner(key: external(key, at: folder), algorithm: .rs256)
        let good = Counter()
        let isOver = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<32 {
                group.addTask {
                    while isOver.value == 0 {
                        do {
                            let token = try await signer.sign(
                                Array("caller \(caller)".utf8), timeout: ample)
                            _ = try verifier.verify(token)
                            good.add(1)
                        } catch let error as JOSEError {
                            #expect(error.code == .unavailable)
                        }
                    }
                }
            }
            for round in 1...3 {
                let wanted = good.value + 64
                while good.value < wanted { await Task.yield() }
                service.kill()
                service = try Service(in: folder, milliseconds: 5)
                #expect(
                    try Service.publicKey(in: folder).thumbprint() == key.thumbprint(), "\(round)")
            }
            let wanted = good.value + 64
            while good.value < wanted { await Task.yield() }
            isOver.add(1)
            try await group.waitForAll()
        }
        _ = try await signer.sign(Array("afterwards".utf8), timeout: ample)
        service.kill()
        #expect(
            await code { _ = try await signer.sign(Array("nobody".utf8), timeout: ample) }
                == .unavailable)
    }

    @Test("a request without response is sent again; a response is final")
    func retries() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let service = try Service(in: folder)
        let key = try Service.publicKey(in: folder)
        let token = try await JWSSigner(key: external(key, at: folder), algorithm: .rs256)
            .sign(Array("a payload".utf8), timeout: ample)
        service.kill()
        let text = token.split(separator: ".")[2].replacing("-", with: "+").replacing(
            "_", with: "/")
        let signature = [UInt8](Data(base64Encoded: text + "==") ?? Data())
        try FileManager.default.removeItem(atPath: folder.socket)

        let misbehaving = try MisbehavingService(at: folder.socket) { request, before in
            #expect(request.count == 33 && request[0] == UInt8(ascii: "s"))
            return before < 2 ? .hangUp : .rest([0] + signature)
        }
        defer { misbehaving.close() }
        let kinds = Kinds()
        let signer = try JWSSigner(key: external(key, at: folder, kinds), algorithm: .rs256)
        #expect(try await signer.sign(Array("a payload".utf8), timeout: ample) == token)
        #expect(misbehaving.requestCount == 3 && kinds.all.isEmpty)
        // The same signature is wrong for other bytes, and is not requested again.
        #expect(
            await code { _ = try await signer.sign(Array("another".utf8), timeout: ample) }
                == .internal)
        #expect(misbehaving.requestCount == 4 && kinds.all == ["invalid"])
    }

    @Test(
        "invalid responses are rejected, each with its code",
        arguments: [
            (
                "a rejection", MisbehavingService.Response.rest([1]), JOSEError.Code.internal,
                "failed", 1
            ),
            ("neither yes nor no", .rest([7, 1, 2]), .internal, "failed", 1),
            ("an empty signature", .rest([0]), .internal, "invalid", 1),
            ("zeros", .rest([UInt8](repeating: 0, count: 257)), .internal, "invalid", 1),
            (
                "more than a message holds", .rest([UInt8](repeating: 0, count: 1_900)), .internal,
                "invalid", 1
            ),
            ("no number", .whole([1, 2, 3]), .unavailable, "unavailable", 6),
            ("no question before it", .hangUp, .unavailable, "unavailable", 6),
        ])
    func nonsense(
        _ name: String, _ response: MisbehavingService.Response, _ expected: JOSEError.Code,
        _ kind: String,
        _ tries: Int
    ) async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let service = try MisbehavingService(at: folder.socket) { _, _ in response }
        defer { service.close() }
        let key = try JWK.generate(.rsa)
        let kinds = Kinds()
        let external = try external(key.publicKey, at: folder, kinds)
        let signer = try JWSSigner(key: external, algorithm: .rs256)
        #expect(
            await code { _ = try await signer.sign(Array("a payload".utf8), timeout: ample) }
                == expected)
        #expect(service.requestCount == tries && kinds.all == [kind])

        // A failed decryption does not reveal the reason.
        let token = try JWEEncrypter(key: key.publicKey, algorithm: .rsaOAEP256, content: .a128GCM)
            .encrypt("a text")
        let decrypter = try JWEDecrypter(
            key: external, algorithms: [.rsaOAEP256], content: [.a128GCM])
        let rejected = await code { _ = try await decrypter.decrypt(token, timeout: ample) }
        #expect(rejected == (expected == .unavailable ? .unavailable : .decryptionFailed))
    }

    @Test("a service that is silent, or answers other requests, is unavailable at the timeout")
    func silence() async throws {
        let responses: [MisbehavingService.Response] = [
            .silence, .whole([UInt8](repeating: 0xee, count: 265)),
        ]
        for response in responses {
            let folder = try Folder()
            defer { folder.remove() }
            let service = try MisbehavingService(at: folder.socket) { _, _ in response }
            defer { service.close() }
            let kinds = Kinds()
            let key = try JWK.generate(.rsa).publicKey
            let signer = try JWSSigner(key: external(key, at: folder, kinds), algorithm: .rs256)
            let rejected = await code {
                _ = try await signer.sign(Array("a payload".utf8), timeout: .milliseconds(100))
            }
            #expect(rejected == .unavailable && kinds.all == ["timeout"])
            let task = Task {
                await code { _ = try await signer.sign(Array("a payload".utf8), timeout: ample) }
            }
            task.cancel()
            #expect(await task.value == .unavailable)
        }
    }

    @Test("a too long socket path is rejected by both sides: truncated, it would be another path")
    func longPath() throws {
        let folder = try Folder()
        defer { folder.remove() }
        for path in [folder.path + "/" + String(repeating: "s", count: 107), "", "a\0b"] {
            #expect(throws: POSIXError.self) { _ = try SocketExternalKey(socket: path) }
        }
        let longest =
            folder.path + "/" + String(repeating: "s", count: 106 - folder.path.utf8.count)
        #expect(throws: Never.self) { _ = try SocketExternalKey(socket: longest) }
        let rejected = try Service.rejection([longest + "s", folder.key])
        #expect(rejected.contains("too long for a socket"), "\(rejected)")
        // An old socket is replaced, a file is not.
        try "precious".write(toFile: folder.socket, atomically: false, encoding: .utf8)
        let taken = try Service.rejection([folder.socket, folder.key])
        #expect(taken.contains("in use"), "\(taken)")
        #expect(try String(contentsOfFile: folder.socket, encoding: .utf8) == "precious")
    }

    @Test("a key file that cannot be read, or has no key, is not changed")
    func unreadable() throws {
        let folder = try Folder(mode: 0o777)
        defer { folder.remove() }
        try "precious".write(toFile: folder.key, atomically: false, encoding: .utf8)
        let other = try Service.rejection([folder.socket, folder.key])
        #expect(other.contains("no private key"), "\(other)")
        // Writable, but not readable.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o222], ofItemAtPath: folder.key)
        let hidden = try Service.rejection([folder.socket, folder.key], asNobody: true)
        #expect(hidden.contains("Permission denied"), "\(hidden)")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: folder.key)
        #expect(try String(contentsOfFile: folder.key, encoding: .utf8) == "precious")
        #expect(!FileManager.default.fileExists(atPath: folder.key + ".pub"))
    }

    @Test("without a listener the key is unavailable")
    func noListener() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let key = try JWK.generate(.rsa).publicKey
        let signer = try JWSSigner(key: external(key, at: folder), algorithm: .rs256)
        #expect(
            await code { _ = try await signer.sign(Array("a payload".utf8), timeout: ample) }
                == .unavailable)
    }
}
