// A server whose replies a test controls: late, wrong, or none.

import Foundation
import Glibc
import JOSEBytes
import Synchronization

/// Speaks the protocol on loopback. The test's script answers each command, or else the server
/// responds as Redis does.
final class FakeRedis: Sendable {
    enum Response: Sendable {
        case text(String)
        case bytes([UInt8])
        case silence
        /// No reply from here on.
        case deaf
        case hangUp
        /// Endless zeros, as long as the other side reads them.
        case endless(String)
    }
    typealias Script = @Sendable ([String]) -> Response?

    static let run = String(repeating: "0f", count: 20)
    static let info = """
        # Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nrun_id:\(run)\r\n\
        # Memory\r\nmaxmemory_policy:noeviction\r\n# Replication\r\nrole:master\r\n
        """

    let port: Int
    private let listener: Int32
    private let state = Lock<(script: Script?, seen: [[String]], accepted: Int)>((nil, [], 0))
    private let sockets = OpenSockets()

    init(_ script: Script? = nil) throws {
        (listener, port) = try listeningSocket()
        state.withLock { $0.script = script }
        let (listener, sockets) = (listener, sockets)
        // Only the thread that waits on a socket closes it, as its number may be reused at once.
        Thread.detachNewThread { [weak self] in
            defer { close(listener) }
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                guard let self else {
                    close(socket)
                    return
                }
                sockets.add(socket)
                state.withLock { $0.accepted += 1 }
                Thread.detachNewThread { [weak self] in
                    FakeRedis.serve(socket) { self }
                    sockets.end(socket)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        sockets.shutDown()
    }

    var seen: [[String]] { state.withLock { $0.seen } }
    var accepted: Int { state.withLock { $0.accepted } }
    func response(_ script: Script?) { state.withLock { $0.script = script } }

    /// Sends an unsolicited reply on every connection.
    func blurt(_ text: String) {
        for socket in sockets.all { FakeRedis.send(socket, Array(text.utf8)) }
    }

    private static func serve(_ socket: Int32, _ server: () -> FakeRedis?) {
        var unread: [UInt8] = []
        var isDeaf = false
        var piece = [UInt8](repeating: 0, count: 4_096)
        receiving: while true {
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { break }
            unread += piece[..<count]
            while let words = take(&unread) {
                guard let server = server() else { break receiving }
                let script = server.state.withLock { state in
                    state.seen.append(words)
                    return state.script
                }
                if isDeaf { continue }
                switch script?(words) ?? usual(words) {
                case .text(let text): send(socket, Array(text.utf8))
                case .bytes(let bytes): send(socket, bytes)
                case .silence: break
                case .deaf: isDeaf = true
                case .hangUp: break receiving
                case .endless(let head):
                    send(socket, Array(head.utf8))
                    let zeros = [UInt8](repeating: 0x30, count: 65_536)
                    for _ in 0..<4_096 where send(socket, zeros) { continue }
                    break receiving
                }
            }
        }
    }

    static func usual(_ words: [String]) -> Response {
        switch words[0] {
        case "INFO": .text("$\(info.utf8.count)\r\n\(info)\r\n")
        case "GET": .text("$51\r\n\(run) 1760000000\r\n")
        case "INCR", "EXPIRE": .text(":1\r\n")
        default: .text("+OK\r\n")
        }
    }

    @discardableResult
    private static func send(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Removes and returns one command if it is complete.
    private static func take(_ bytes: inout [UInt8]) -> [String]? {
        var at = 0
        func number() -> Int? {
            guard let end = bytes[at...].firstIndex(of: 0x0a) else { return nil }
            defer { at = end + 1 }
            return Int(String(decoding: bytes[(at + 1)..<(end - 1)], as: UTF8.self))
        }
        guard !bytes.isEmpty, let count = number() else { return nil }
        var words: [String] = []
        for _ in 0..<count {
            guard at < bytes.count, let length = number(), at + length + 2 <= bytes.count else {
                return nil
            }
            words.append(String(decoding: bytes[at..<(at + length)], as: UTF8.self))
            at += length + 2
        }
        bytes.removeFirst(at)
        return words
    }
}

/// The served sockets. One is closed only while no other thread uses it.
private final class OpenSockets: Sendable {
    private let open = Lock<[Int32]>([])

    var all: [Int32] { open.withLock { $0 } }
    func add(_ socket: Int32) { open.withLock { $0.append(socket) } }

    func end(_ socket: Int32) {
        open.withLock {
            $0.removeAll { $0 == socket }
            _ = close(socket)
        }
    }

    func shutDown() {
        open.withLock { for socket in $0 { shutdown(socket, Int32(SHUT_RDWR)) } }
    }
}
