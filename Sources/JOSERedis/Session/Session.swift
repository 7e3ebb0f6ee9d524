// A session, which is a checked connection and its epoch, and the handshake that makes it.

import JOSE
import JOSEBytes
import Synchronization

/// A connection that a `Handshake` has checked. The store drops it on any unexpected reply.
final class Session: Sendable {
    let number: Int
    let connection: Connection
    let info: ServerInfo
    let isNewEpoch: Bool
    private let current: Lock<Epoch>

    init(
        _ number: Int, _ connection: Connection, _ info: ServerInfo, _ epoch: Epoch, isNew: Bool
    ) {
        self.number = number
        self.connection = connection
        self.info = info
        isNewEpoch = isNew
        current = Lock(epoch)
    }

    var epoch: Epoch { current.withLock { $0 } }

    /// Takes over the epoch that `markUsed` read; nil if it is not one of this run of the server.
    func adopt(_ reply: RedisReply) -> Epoch? {
        guard case .bytes(let value) = reply, let epoch = Epoch(value), epoch.run == info.run else {
            return nil
        }
        current.withLock { $0 = epoch }
        return epoch
    }
}

struct Handshake: Sendable {
    let server: RedisServer
    let settings: RedisReplaySettings
    let connection: Connection
    let now: @Sendable () -> NumericDate
    let timeLeft: @Sendable () -> Duration

    /// Logs in, checks the server, and reads its epoch or begins one.
    func session(_ number: Int) async throws(RedisError) -> Session {
        try await logIn()
        guard case .bytes(let text) = try await ask(.one("INFO")), let info = ServerInfo(text)
        else { throw .broken }
        if let failure = info.failure { throw failure }
        let (epoch, isNew) = try await epoch(info.run)
        return Session(number, connection, info, epoch, isNew: isNew)
    }

    private func logIn() async throws(RedisError) {
        if let password = server.password {
            let login =
                if let user = server.user {
                    Pipeline.one("AUTH", user, password)
                } else {
                    Pipeline.one("AUTH", password)
                }

            guard try await reply(login) == .ok else { throw .denied }
        }
        if server.database != 0 {
            guard try await ask(.one("SELECT", String(server.database))) == .ok else {
                throw .broken
            }
        }
    }

    /// Reads the epoch of this run, or begins one if no machine has. A server that restarted may
    /// have lost its last entries, even if it kept the others.
    private func epoch(_ run: String) async throws(RedisError) -> (Epoch, isNew: Bool) {
        let key = settings.epochKey
        var reply = try await ask(.one("GET", key))
        if case .bytes(let value) = reply, let epoch = Epoch(value), epoch.run == run {
            return (epoch, false)
        }
        let begun = Epoch(run: run, since: now())
        let newValue = String(decoding: begun.value, as: UTF8.self)
        // If several machines begin an epoch at once, one of the epochs stays: the first with NX,
        // otherwise the last. Each begins after the loss.
        let set =
            reply == .nothing
            ? Pipeline.one("SET", key, newValue, "NX") : Pipeline.one("SET", key, newValue)
        switch try await ask(set) {
        case .ok, .nothing: break
        default: throw .broken
        }
        reply = try await ask(.one("GET", key))
        guard case .bytes(let value) = reply, let epoch = Epoch(value), epoch.run == run else {
            throw .broken
        }
        return (epoch, epoch == begun)
    }

    private func ask(_ pipeline: Pipeline) async throws(RedisError) -> RedisReply {
        let reply = try await reply(pipeline)
        if case .error(let failure) = reply { throw failure }
        return reply
    }

    private func reply(_ pipeline: Pipeline) async throws(RedisError) -> RedisReply {
        let replies = try await connection.send(pipeline, timeout: timeLeft())
        guard replies.count == 1 else { throw .broken }
        return replies[0]
    }
}

extension RedisReplaySettings {
    var epochKey: String { "\(prefix):epoch" }

    /// The key of an entry (`use`) or of a counter (`quota`).
    func key(_ kind: String, _ name: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        var key = Array("\(prefix):\(kind):".utf8)
        for byte in name {
            key.append(digits[Int(byte >> 4)])
            key.append(digits[Int(byte & 15)])
        }
        return key
    }
}
