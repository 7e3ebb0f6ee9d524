// Searches and changes the memory of the process byte by byte.

import Foundation
import JOSEBytes
import Synchronization
import Testing

/// With AddressSanitizer freed memory stays in quarantine, and flips there prove nothing. With
/// ThreadSanitizer the heap is one mapping of many gigabytes, which takes too long to search.
let hasHeapOfSanitizer = ["__asan_init", "__tsan_init"].contains {
    (try? cFunction($0, as: UnsafeRawPointer.self)) != nil
}

/// A secret that is in memory only while it is used: the bytes are stored masked.
struct Masked {
    let bytes: [UInt8]
    var count: Int { bytes.count }
    var reversed: Masked { Masked(bytes: bytes.reversed()) }

    init(bytes: [UInt8]) { self.bytes = bytes }
    init(masking secret: Span<UInt8>) { bytes = secret.indices.map { secret[$0] ^ 0x5a } }

    func part(_ range: Range<Int>) -> Masked { Masked(bytes: Array(bytes[range])) }

    func use<R>(_ body: ([UInt8]) throws -> R) rethrows -> R {
        var plain = [UInt8](repeating: 0, count: bytes.count)
        for index in bytes.indices { plain[index] = bytes[index] ^ 0x5a }
        defer { wipe(&plain) }
        return try body(plain)
    }
}

/// One search at a time: the copy that a search makes may contain what another one looks for.
private let searching = Lock<Void>(())

/// The writable memory of this process.
final class Memory {
    private let file = open("/proc/self/mem", O_RDWR)
    private let memmem:
        @convention(c) (
            UnsafeRawPointer, Int, UnsafeRawPointer, Int
        ) -> UnsafeRawPointer?

    init() throws { memmem = try cFunction("memmem", as: type(of: memmem)) }
    deinit { close(file) }

    /// The addresses of the number as libcrypto stores it, little-endian.
    func places(of number: [UInt8]) throws -> [UInt64] {
        var pattern = Array(number.reversed())
        defer { wipe(&pattern) }
        return try places(holding: pattern)
    }

    /// The addresses of these bytes, except the pattern itself.
    func places(holding pattern: [UInt8]) throws -> [UInt64] {
        try searching.withLock { _ in try search(for: pattern) }
    }

    private static let piece = 1 << 26

    private func search(for pattern: [UInt8]) throws -> [UInt64] {
        var found: [UInt64] = []
        for line in try maps().split(separator: "\n") {
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard fields[1].hasPrefix("rw") else { continue }
            // In overlapping chunks: a heap may be large, and its copy must not enlarge it further.
            for start in stride(from: ends[0], to: ends[1], by: Memory.piece) {
                let end = min(ends[1], start + UInt64(Memory.piece + pattern.count - 1))
                found += search(for: pattern, from: start, size: Int(end - start))
            }
        }
        return found
    }

    /// Foundation takes the first short read for the end of a file, and the kernel returns this
    /// file a page at a time.
    private func maps() throws -> String {
        let file = try #require(fopen("/proc/self/maps", "r"))
        defer { fclose(file) }
        var text: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&page, 1, page.count, file), count > 0 {
            text += page[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func search(for pattern: [UInt8], from start: UInt64, size: Int) -> [UInt64] {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer {
            memset(copy, 0, size)
            copy.deallocate()
        }
        // Another thread may release the end of a heap between reading the map and reading the
        // memory.
        let count = pread(file, copy, size, off_t(start))
        guard count > 0 else { return [] }
        return pattern.withUnsafeBytes { needle in
            let mine = UInt64(UInt(bitPattern: needle.baseAddress))
            let buffer =
                UInt64(UInt(bitPattern: copy))..<UInt64(UInt(bitPattern: copy) + UInt(size))
            var found: [UInt64] = []
            var rest = UnsafeRawPointer(copy)
            let end = UnsafeRawPointer(copy) + count
            while let hit = memmem(rest, end - rest, needle.baseAddress ?? rest, needle.count) {
                let place = start + UInt64(hit - UnsafeRawPointer(copy))
                if place != mine, !buffer.contains(place) { found.append(place) }
                rest = hit + 1
            }
            return found
        }
    }

    /// Flips one bit if the number, or the number with that bit flipped, is still there.
    func flip(_ bit: Int, of number: [UInt8], at place: UInt64, isFlipped: Bool) {
        var expected = Array(number.reversed())
        if isFlipped { expected[bit / 8] ^= 1 << UInt8(bit % 8) }
        var bytes = [UInt8](repeating: 0, count: number.count)
        guard pread(file, &bytes, bytes.count, off_t(place)) == bytes.count, bytes == expected
        else { return }
        var byte = bytes[bit / 8] ^ 1 << UInt8(bit % 8)
        pwrite(file, &byte, 1, off_t(place) + off_t(bit / 8))
    }
}

/// Overwrites the array in place. No other reference to it may exist.
func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { zero($0) }
}

private func zero(_ bytes: UnsafeMutableRawBufferPointer) {
    for index in bytes.indices { bytes.storeBytes(of: 0, toByteOffset: index, as: UInt8.self) }
}
