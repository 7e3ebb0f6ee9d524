// One connection: questions with numbers go out by a queue, a thread reads the answers in whatever order they come.
//
// A question: its number (8 bytes), the operation, the size (4 bytes), the body. An answer: the number, 0 or 1 for
// "refused", the size, the body. Numbers in the processor's order: both ends are on one machine.

import Foundation
import Synchronization

final class Line: Sendable {
    enum Reply {
        case answer([UInt8])
        case refused
        case gone
    }
    private struct State {
        var descriptor: Int32 = -1
        var last: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Reply, Never>] = [:]
    }
    private let path: String
    private let state = Mutex(State())
    private let writing = DispatchQueue(label: "questions")

    init(_ path: String) { self.path = path }

    func ask(_ operation: UInt8, _ body: [UInt8]) async -> Reply {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { put(number, operation, body, $0) }
        } onCancel: {
            finish(number, .gone)
        }
    }

    private func put(
        _ number: UInt64, _ operation: UInt8, _ body: [UInt8],
        _ caller: CheckedContinuation<Reply, Never>
    ) {
        state.withLock { $0.waiting[number] = caller }
        let frame = bytes(of: number) + [operation] + bytes(of: UInt32(body.count)) + body
        writing.async { [self] in
            if !write(frame) { finish(number, .gone) }
        }
        // Cancelled before there was anything to take back.
        if Task.isCancelled { finish(number, .gone) }
    }

    /// Waits where the service reads slowly: on the queue's thread, never on one of Swift's own.
    private func write(_ frame: [UInt8]) -> Bool {
        let descriptor = state.withLock { state in
            if state.descriptor < 0 { state.descriptor = connectAndRead() }
            return state.descriptor
        }
        var sent = 0
        while sent < frame.count {
            let count = frame.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, frame.count - sent, quietly)
            }
            guard count > 0 else {
                shutdown(descriptor, Int32(SHUT_RDWR))
                return false
            }
            sent += count
        }
        return true
    }

    private func finish(_ number: UInt64, _ reply: Reply) {
        let caller = state.withLock { $0.waiting.removeValue(forKey: number) }
        caller?.resume(returning: reply)
    }

    /// A connection with a thread that reads it to its end; negative where there is none.
    private func connectAndRead() -> Int32 {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.count > path.utf8.count && { room.copyBytes(from: path.utf8); return true }()
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(made, $0, size) == 0 }
        }
        guard made >= 0, fits, isConnected else {
            close(made)
            return -1
        }
        Thread.detachNewThread { [self] in
            while let head = read(13, from: made), head[8] <= 1,
                let body = read(Int(number(head[9...]) & 0xffff), from: made)
            {
                finish(number(head[..<8]), head[8] == 0 ? .answer(body) : .refused)
            }
            let left = state.withLock { state in
                defer { state.waiting = [:] }
                state.descriptor = -1
                close(made)
                return state.waiting
            }
            left.values.forEach { $0.resume(returning: .gone) }
        }
        return made
    }
}

private let quietly = Int32(MSG_NOSIGNAL)

private func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
}

private func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
}

/// Exactly so many bytes; nil at the end of the connection.
private func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
    return got == count ? bytes : nil
}
