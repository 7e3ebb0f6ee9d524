// Shared helpers of the JOSEBytes tests.

import Foundation

@testable import JOSEBytes

/// A small seeded generator, so that a failure can be repeated.
struct Generator: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }
}

/// Scans a text that may be invalid UTF-8; nil for no error.
func failure(_ text: [UInt8], depth: Int = 32) -> JSONError? {
    // With a buffer for every node: the smaller limit of documents is tested separately.
    let room = min(JSON.nodeCapacityBound(text.count), 1 << 20)
    return withScratch(of: JSONNode.self, capacity: room) { nodes in
        do throws(JSONError) {
            try JSON.scan(text.span, maxDepth: depth, into: &nodes)
            return nil
        } catch {
            return error
        }
    }
}

func failure(_ text: String, depth: Int = 32) -> JSONError? {
    failure(Array(text.utf8), depth: depth)
}

// The test library's macros do not accept spans: the same functions for arrays.

func isValid(_ text: [UInt8]) -> Bool { Base64URL.isValid(text.span) }

func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool { equal(a.span, b.span) }

func isLiteral(_ a: [UInt8], _ text: StaticString) -> Bool { equal(a.span, text) }

func areEqualConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool { equalConstantTime(a.span, b.span) }

func plainCount(_ text: [UInt8], _ start: Int) -> Int { JSON.plainCount(text.span, start) }

/// At most the first five offsets.
func places(_ byte: UInt8, _ bytes: [UInt8]) -> [Int] {
    let found = ByteOffsets(of: byte, in: bytes.span)
    let (first, second, third, fourth, fifth) = found.offsets
    return Array([first, second, third, fourth, fifth].prefix(found.count))
}

/// Runs `body` on a thread with a stack of 64 KiB.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.stackSize = 64 * 1024
    thread.start()
    while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
}

func nodeCapacity(_ text: String) -> Int { nodeCapacity(Array(text.utf8)) }

func nodeCapacity(_ text: [UInt8]) -> Int { JSON.nodeCapacity(for: text.span) }
