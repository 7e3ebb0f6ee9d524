// A custodian for a key service behind a Unix socket.

import Foundation
import JOSE
import Synchronization

/// Asks the key service; any number of questions share a few connections, and no thread waits for any of them.
///
/// The engine gives each question its deadline and cancels the task behind it.
public final class SocketCustodian: KeyCustodian {
    public let abilities = CustodianAbilities(
        signatures: [.rs256, .ps256], keyManagement: [.rsaOAEP256])
    private let lines: [Line]
    private let turn = Atomic<Int>(0)

    /// - Parameters:
    ///   - path: The service's socket.
    ///   - connections: How many connections share the questions.
    public init(socket path: String, connections: Int = 2) {
        lines = (0..<connections).map { _ in Line(path) }
    }

    /// The service's public key: SubjectPublicKeyInfo in DER. Pin it: keep it with your configuration.
    public func publicKey() async throws(CustodianFault) -> [UInt8] { try await ask("k", []) }

    public func sign(
        _ request: CustodianSigning
    ) async throws(CustodianFault) -> CustodianSignature {
        guard case .digest(let digest) = request.input else { throw .failed }
        return .plain(try await ask(request.algorithm == .rs256 ? "s" : "p", digest))
    }

    public func unwrap(
        _ request: CustodianUnwrapping
    ) async throws(CustodianFault) -> CustodianUnwrapped {
        var key = try await ask("u", request.encryptedKey)
        return .contentKey(CustodianSecret(wiping: &key))
    }

    /// One more try on another connection where the first went away: to sign and to unwrap twice does no harm.
    private func ask(
        _ operation: Character, _ body: [UInt8]
    ) async throws(CustodianFault) -> [UInt8] {
        let first = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        for attempt in 0..<2 where !Task.isCancelled {
            let line = lines[abs(first &+ attempt) % lines.count]
            switch await line.ask(operation.asciiValue ?? 0, body) {
            case .answer(let bytes): return bytes
            case .refused: throw .failed
            case .gone: continue
            }
        }
        throw .unavailable
    }
}
