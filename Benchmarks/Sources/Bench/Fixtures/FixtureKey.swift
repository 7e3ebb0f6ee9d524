// A fixed RSA key in the two shapes that the scenarios need: JWK text and raw numbers.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import Foundation
import JOSE

struct FixtureKey {
    let kid: String
    let bits: Int
    let n, d, p, q, dp, dq, qi: String

    /// Public members in RFC 7517 text, with the members that select a key.
    func publicJWK(use: String, alg: String?) -> String {
        let alg = alg.map { #""alg":"\#($0)","# } ?? ""
        return #"{"kty":"RSA","kid":"\#(kid)","use":"\#(use)",\#(alg)"n":"\#(n)","e":"AQAB"}"#
    }

    func privateJWK(use: String, alg: String?) -> String {
        let shared = publicJWK(use: use, alg: alg).dropLast()
        return shared
            + #","d":"\#(d)","p":"\#(p)","q":"\#(q)","dp":"\#(dp)","dq":"\#(dq)","qi":"\#(qi)"}"#
    }

    /// n, e, d, p, q, dp, dq, qi as big endian bytes.
    var numbers: [[UInt8]] {
        [n, "AQAB", d, p, q, dp, dq, qi].map { decodeBase64URL($0) }
    }

    /// The key as libcrypto holds it, for the baselines. Never freed: it lives as long as the
    /// program.
    func baselineKey() throws -> OpaquePointer {
        let made = try JWK(json: privateJWK(use: "sig", alg: nil)).baselineBytes()
            .withUnsafeBufferPointer {
                baseline_key_new($0.baseAddress, $0.count)
            }
        guard let made else { throw BenchmarkFailure("libcrypto rejects the fixed key \(kid)") }
        return made
    }
}

/// Lends the numbers to C, all at once.
func withBaselineNumbers<R>(
    _ numbers: [[UInt8]], _ body: (UnsafePointer<baseline_number>) -> R
) -> R {
    let flat = numbers.flatMap { $0 }
    return flat.withUnsafeBufferPointer { flat in
        var start = 0
        let parts = numbers.map { number in
            defer { start += number.count }
            return baseline_number(bytes: flat.baseAddress.map { $0 + start }, count: number.count)
        }
        return parts.withUnsafeBufferPointer { parts in
            // Safe: there is at least one number.
            body(parts.baseAddress.unsafelyUnwrapped)
        }
    }
}

extension JWK {
    /// As the baselines read it: PKCS#8 in DER, of a secret its bytes.
    func baselineBytes() throws -> [UInt8] {
        func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
        if keyType == .oct {
            return try withSymmetricKey { bytes throws(JOSEError) in copy(bytes) }
        }
        return try withPrivateKeyFile(.der) { bytes throws(JOSEError) in copy(bytes) }
    }
}

/// Foundation's base64 for set-up; what is measured uses the library's own.
func decodeBase64URL(_ text: some StringProtocol) -> [UInt8] {
    var plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(
        of: "_", with: "/")
    while plain.utf8.count % 4 != 0 { plain += "=" }
    return Data(base64Encoded: plain).map { [UInt8]($0) } ?? []
}

func encodeBase64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data([UInt8](bytes)).base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
}

/// Standard base64, as `x5c` has it.
func encodeBase64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

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

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

/// A JWK Set whose last key is real; the others have the form of RSA keys and nothing behind it.
func keySetJSON(count: Int, last: FixtureKey, use: String, alg: String) -> String {
    var random = FixedRandom(UInt64(count))
    var parts: [String] = []
    for index in 0..<(count - 1) {
        var modulus = random.bytes(256)
        modulus[0] |= 0x80
        modulus[255] |= 1
        let n = encodeBase64URL(modulus)
        parts.append(
            #"{"kty":"RSA","kid":"key-\#(index)","use":"\#(use)","alg":"\#(alg)","n":"\#(n)","e":"AQAB"}"#
        )
    }
    parts.append(last.publicJWK(use: use, alg: alg))
    return #"{"keys":["# + parts.joined(separator: ",") + "]}"
}
