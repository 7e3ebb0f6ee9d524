// An external key for a key service behind a Unix socket. Copy and change it.
// A message is a request or response: a number (8 bytes), a type (1 byte) and a body. Responses
// come in any order, so one connection carries all requests, and no thread waits.

import Foundation
import JOSE
import Synchronization

/// An external key in a key service. Create it once. The library cancels the task of a request that
/// times out.
package final class SocketExternalKey: ExternalKey {
    package let capabilities = ExternalKeyCapabilities(
        signatures: [.rs256, .ps256], keyManagement: [.rsaOAEP256])
    private typealias Reply = Result<[UInt8], ExternalKeyError>
    private let path: String
    private let numbers = Atomic<UInt64>(0)
    private let waiting = Mutex<[UInt64: CheckedContinuation<Reply, Never>]>([:])
    /// The socket, negative if there is none. Used only on the queue, since sending may block.
    private let connection = Mutex<Int32>(-1)
    private let queue = DispatchQueue(label: "requests")

    package init(socket path: String) throws {
        let isValid = 1..<108 ~= path.utf8.count && !path.utf8.contains(0)  // limit of sun_path
        guard isValid else { throw POSIXError(.ENAMETOOLONG) }
        self.path = path
    }

    package func sign(_ request: ExternalSigningRequest) async throws(ExternalKeyError)
        -> ExternalSignature
    {
        guard case .digest(let digest) = request.input else { throw .failed }
        return .plain(try await call(request.algorithm == .rs256 ? "s" : "p", digest))
    }

    package func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        var key = try await call("u", request.encryptedKey)
        return .contentKey(ExternalKeySecret(wiping: &key))
    }

    /// Sends a request, again if no response comes: signing and unwrapping twice is harmless. A
    /// response is final, including an error.
    private func call(_ type: String, _ body: [UInt8]) async throws(ExternalKeyError) -> [UInt8] {
        for pause in [0, 20, 50, 100, 250, 500] where !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(pause))
            let reply = await send(Array(type.utf8) + body)
            if reply != .failure(.unavailable) { return try reply.get() }
        }
        throw .unavailable
    }

    private func send(_ request: [UInt8]) async -> Reply {
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                waiting.withLock { $0[number] = caller }
                queue.async { [self] in
                    let message = withUnsafeBytes(of: number) { Array($0) } + request
                    let sent = Foundation.send(
                        connected(), message, message.count, Int32(MSG_NOSIGNAL))
                    if sent < 0 { finish(number) }
                }
                if Task.isCancelled { finish(number) }
            }
        } onCancel: {
            finish(number)
        }
    }

    private func finish(_ number: UInt64, _ reply: Reply = .failure(.unavailable)) {
        waiting.withLock { $0.removeValue(forKey: number) }?.resume(returning: reply)
    }

    /// Returns the connection. Opens one if needed, with a thread that reads it.
    private func connected() -> Int32 {
        if case let known = connection.withLock({ $0 }), known >= 0 { return known }
        let made = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        connection.withLock { $0 = made }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // Without a listener both sending and reading fail, and the thread ends.
        _ = withUnsafeBytes(of: &address) {
            connect(made, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, UInt32($0.count))
        }
        Thread.detachNewThread { [self] in
            var bytes = [UInt8](repeating: 0, count: 1_024)
            while case let size = recv(made, &bytes, bytes.count, 0), size > 8 {
                let number = bytes.withUnsafeBytes { $0.load(as: UInt64.self) }
                finish(number, bytes[8] > 0 ? .failure(.failed) : .success(Array(bytes[9..<size])))
                explicit_bzero(&bytes, size)
            }
            queue.async { [self] in
                connection.withLock { if $0 == made { $0 = -1 } }
                close(made)
                for number in waiting.withLock({ Array($0.keys) }) { finish(number) }
            }
        }
        return made
    }
}
