// A fuzz target is one function that takes untrusted bytes, and the properties that hold for it.

import CFuzz
import Foundation
import JOSE
import JOSEBytes

/// One target. A new one is a file in `Targets/` and an entry in `all`.
struct FuzzTarget: Sendable {
    let name: String
    /// Throws `Broken` if a property does not hold. The target handles rejections itself.
    let run: @Sendable ([UInt8]) throws -> Void
    /// The meaning of an input, for `differential.py`; nil for a rejection.
    var response: (@Sendable ([UInt8]) -> [UInt8]?)?

    init(
        _ name: String, response: (@Sendable ([UInt8]) -> [UInt8]?)? = nil,
        run: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.response = response
        self.run = run
    }

    static let all: [FuzzTarget] = [
        base64url, json, claims, compact, jwk, jwkSet, keyFile, pkcs12, certificateFile, subject,
        chain, jws, jwsJSON, jwe,
        jweJSON, nested, callback, claimsRequest, discovery, basic, bearer, userClaims,
        requestObject, address, pushed, jarm, backchannel, dpop, resourceRequest,
        accessToken, numbers, tokenURI, signatureValue, externalKeyResponse, redirect,
    ]

    /// Whether its inputs are DER, which is mutated by its grammar.
    var isKeyFile: Bool { ["key-file", "pkcs12", "certificate-file"].contains(name) }

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A property that does not hold.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

func hold(_ truth: Bool, _ property: @autoclosure () -> String) throws {
    guard truth else { throw Broken(description: property()) }
}

/// The value; nil for a rejection. Untrusted bytes are never a misuse by the caller or an internal
/// error.
func accepted<T>(_ body: () throws -> T) throws -> T? {
    do {
        return try body()
    } catch let error as JOSEError {
        try hold(
            error.code != .internal && error.code != .misuse && error.code != .unavailable,
            "rejected with \(error)")
        return nil
    } catch is JSONError {
        return nil
    }
}

/// The same, while the memory that `body` allocates at once stays within `times` the input plus 64
/// KB.
///
/// One-time preparation (the C library's tables, pools) may exceed it the first time only.
/// libcrypto expands an ML-DSA seed to many times its size: `pairs` counts the private keys that
/// were created, and another one may have been rejected. Memory is counted where the fuzzer runs;
/// elsewhere every count is 0.
func bounded<T>(
    _ input: [UInt8], times: Int = 4, pairs: (T) -> Int = { _ in 0 }, _ body: () throws -> T
) throws -> T? {
    let expanded = SignatureAlgorithm.mlDSA44.isAvailable ? 49_152 : 0
    let most = times * input.count + 65_536 + expanded
    var held = 0
    for _ in 0..<2 {
        cfuzz_count_begin()
        let value = Result { try accepted(body) }
        held = cfuzz_count_end()
        let made = try? value.get().map(pairs)
        if held <= most + expanded * ((made ?? nil) ?? 0) { return try value.get() }
    }
    throw Broken(description: "\(input.count) bytes of input held \(held) bytes of memory")
}

/// The members of a JSON object as another reader sees them; nil if it cannot represent a number
/// (1e400).
func foundationMembers(of bytes: [UInt8]) -> [String: Any]? {
    guard let value = try? JSONSerialization.jsonObject(with: Data(bytes)) else { return nil }
    return value as? [String: Any] ?? [:]
}
