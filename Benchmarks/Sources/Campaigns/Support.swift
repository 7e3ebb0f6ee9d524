// What all campaigns share: failures, fixed random numbers, text.

import Foundation

/// Why a campaign cannot go on, or what it found.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func require(_ truth: Bool, _ what: @autoclosure () -> String) throws {
    guard truth else { throw Failure(what()) }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct FixedRandom: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Foundation's base64 for set-up; what is measured uses the library's own.
func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
}

/// The text with one character in the middle of its part number `part` replaced by another of the
/// alphabet.
func damaged(_ token: String, part: Int) -> String {
    var parts = token.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
    let middle = parts[part].count / 2
    parts[part][middle] =
        parts[part][middle] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
}

/// Text of so many columns.
func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return right ? space + text : text + space
}
