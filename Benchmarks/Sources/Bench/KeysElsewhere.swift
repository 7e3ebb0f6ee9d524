// What it costs to have a key in a token: our processor time on top of the module's own call, by
// the tests' small module.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import CBenchProbe
import Foundation
import JOSE
import JOSEPKCS11

private let underWay = 64
private let sessions: Int32 = 8
/// Microseconds of our processor time for an operation, on top of the module's own call and the raw
/// rest.
private let maxOnTop = 15.0
private let leastScaling = 1.9
/// Of each caller in a round, so that its task is not counted; in turns: the best of each are those
/// that nobody else disturbed.
private let callsOfEach = 16
private let rounds = 40

/// An operation with a key in the token, the module's part of it, and the rest as libcrypto does
/// it.
private struct ExternalOperation {
    let name: String
    let module: Work
    let rest: Work
    /// Both in turns, on as many threads as there are sessions: what a program does that has
    /// nothing else to do.
    let beside: Work
    let held: @Sendable () async throws -> Void
    /// Of our own C, in one operation.
    let allocations: Double
}

/// The module is that of `--token-module`, which `./dev bench` gives.
func printKeysElsewhere(_ env: TestEnvironment, _ options: Options) throws {
    let path = try options.needed("token-module")
    let token = try open(path, sessions: Int(sessions))
    print(
        """

        keys elsewhere, microseconds of processor time with \(underWay) under way, best of many rounds
        """)
    print(
        pad("", -30) + pad("ours", 8) + pad("bound", 8) + pad("beside", 9) + pad("all", 9)
            + pad("module", 9) + pad("raw", 9) + pad("lone", 9) + pad("alloc in C", 12))
    for operation in try operations(env, token, path)
    where !options.has("only") || options.wants("keys-elsewhere/" + operation.name) {
        try measure(operation)
    }
    print(
        """
        ours: all, less what stands beside it: the module's own call and the raw rest (the verification of a signature, the
        content of what is decrypted), on as many threads as there are sessions. module, raw: each by itself, on one
        thread. lone: one call by the clock, with nothing else under way.
        """)
    guard !options.has("only") || options.wants("keys-elsewhere/scaling") else { return }
    print(
        "\ntwo sessions over one, by the clock (bound x\(number(leastScaling, 2)) where the module scales)"
    )
    try printScaling(token, path)
}

private func measure(_ operation: ExternalOperation) throws {
    let calls = callsOfEach * underWay
    var (all, module, rest) = (Double.infinity, Double.infinity, Double.infinity)
    var (beside, lone) = (Double.infinity, Double.infinity)
    for round in 0..<rounds {
        all = min(all, try spent(calls) { try together(calls, operation.held) })
        beside = min(
            beside,
            try spent(calls) {
                _ = try threads(Int(sessions), calls / Int(sessions), operation.beside)
            })
        module = min(module, try spent(calls) { try operation.module(calls, 0) })
        rest = min(rest, try spent(calls) { try operation.rest(calls, 0) })
        if round % 4 == 0 { lone = min(lone, try loneCall(operation.held)) }
    }
    let ours = all - beside
    print(
        pad("  " + operation.name, -30) + pad(number(ours, 1), 8) + pad(number(maxOnTop, 0), 8)
            + pad(number(beside, 1), 9) + pad(number(all, 1), 9) + pad(number(module, 1), 9)
            + pad(number(rest, 1), 9) + pad(number(lone, 1), 9)
            + pad(count(operation.allocations), 12)
            + (ours <= maxOnTop && operation.allocations == 0 ? "" : "  <-- bound"))
}

/// Microseconds of the processors for one of so many.
private func spent(_ count: Int, _ work: () throws -> Void) throws -> Double {
    let start = bench_process_ns()
    try work()
    return Double(bench_process_ns() - start) / 1000 / Double(count)
}

/// So many operations, by callers that each begin the next when they have their answer.
private func together(
    _ count: Int, callers: Int = underWay, _ operation: @escaping @Sendable () async throws -> Void
) throws {
    try waiting {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask { for _ in 0..<(count / callers) { try await operation() } }
            }
            try await group.waitForAll()
        }
    }
}

private func loneCall(_ operation: @escaping @Sendable () async throws -> Void) throws -> Double {
    let best = Best()
    try waiting {
        for _ in 0..<20 {
            let start = probe_wall_ns()
            try await operation()
            best.value = min(best.value, Double(probe_wall_ns() - start) / 1000)
        }
    }
    return best.value
}

/// Written by one task, read behind it.
private final class Best: @unchecked Sendable {
    var value = Double.infinity
}

// What is measured.

private func open(_ path: String, sessions: Int) throws -> PKCS11Token {
    try response {
        try await PKCS11Token.open(
            PKCS11URI("pkcs11:token=jose%20tests"), module: PKCS11Module(path: path),
            pin: .prompt { _ in
                ExternalKeySecret(count: 6) { for byte in "123456".utf8 { $0.append(byte) } }
            }, sessions: sessions)
    }
}

private func operations(
    _ env: TestEnvironment, _ token: PKCS11Token, _ path: String
) throws -> [ExternalOperation] {
    let payload = env.payload600
    let digest = [UInt8](repeating: 7, count: 32)
    // Any DigestInfo costs the same.
    let info: [UInt8] =
        [0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
        + [0x05, 0x00, 0x04, 0x20] + digest
    var all: [ExternalOperation] = []
    for (algorithm, kind, input) in [
        (SignatureAlgorithm.es256, PKCS11KeyKind.curve(.p256), digest),
        (.rs256, .rsa(bits: 2048), info),
    ] {
        let label = "bench \(algorithm)"
        let key = try response { try await token.makeKey(kind, use: .signature, label: label) }
        let signer = try JWSSigner(key: key.jwk(), algorithm: algorithm)
        all.append(
            ExternalOperation(
                name: "sign-\(algorithm)",
                module: try moduleCall(path, label, algorithm.name, input),
                rest: try rowVerification(env, algorithm),
                beside: try beside(
                    moduleCall(path, label, algorithm.name, input, threads: Int(sessions))
                ) {
                    try rowVerification(env, algorithm)
                },
                held: { _ = try await signer.sign(payload, timeout: .seconds(60)) },
                allocations: try allocationsInC(path, label, algorithm.name, input)))
    }
    let label = "bench decryption"
    let key = try response {
        try await token.makeKey(.rsa(bits: 2048), use: .encryption, label: label)
    }
    let sealed = try JWEEncrypter(
        key: key.publicKey, algorithm: .rsaOAEP256, content: .a128CBCHS256
    ).encrypt(payload)
    let wrapped = decodeBase64URL(sealed.split(separator: ".")[1])
    let decrypter = try JWEDecrypter(
        key: key.jwk(), algorithms: [.rsaOAEP256], content: [.a128CBCHS256])
    all.append(
        ExternalOperation(
            name: "decrypt-RSA-OAEP-256",
            module: try moduleCall(path, label, "RSA-OAEP-256", wrapped),
            rest: try contentDecryption(env),
            beside: try beside(
                moduleCall(path, label, "RSA-OAEP-256", wrapped, threads: Int(sessions))
            ) {
                try contentDecryption(env)
            },
            held: { _ = try await decrypter.decrypt(sealed, timeout: .seconds(60)) },
            allocations: try allocationsInC(path, label, "RSA-OAEP-256", wrapped)))
    return all
}

private func raw(_ path: String, _ label: String, _ algorithm: String) throws -> OpaquePointer {
    guard let made = baseline_token_new(path, label, algorithm) else {
        throw BenchmarkFailure("the module has no \(label)")
    }
    return made
}

/// The module's own two calls, on as many threads as are asked for.
private func moduleCall(
    _ path: String, _ label: String, _ algorithm: String, _ input: [UInt8], threads: Int = 1
) throws -> Work {
    let lanes = try (0..<threads).map { _ in try raw(path, label, algorithm) }
    return { iterations, thread in
        for _ in 0..<iterations {
            try require(
                baseline_token_call(lanes[thread], input, input.count) == 1, "the module rejects")
        }
    }
}

/// The module's call and the rest of an operation in turns, each thread with its own of both.
private func beside(_ module: @escaping Work, _ rest: () throws -> Work) throws -> Work {
    let rests = try (0..<sessions).map { _ in try rest() }
    return { iterations, thread in
        for _ in 0..<iterations {
            try module(1, thread)
            try rests[thread](1, 0)
        }
    }
}

private func allocationsInC(
    _ path: String, _ label: String, _ algorithm: String, _ input: [UInt8]
) throws -> Double {
    let lane = try raw(path, label, algorithm)
    return try countAllocations { iterations, _ in
        for _ in 0..<iterations {
            try require(baseline_token_shim(lane, input, input.count) == 1, "the module rejects")
        }
    }.ours
}

private func rowVerification(_ env: TestEnvironment, _ algorithm: SignatureAlgorithm) throws -> Work
{
    let name = "row-\(algorithm)/verify-baseline"
    let rows = signatureEntryScenarios(env)
    guard let row = rows.first(where: { $0.name == name }) else {
        throw BenchmarkFailure("no \(name)")
    }
    return try row.prepare()
}

private func contentDecryption(_ env: TestEnvironment) throws -> Work {
    let (sealed, lane) = (
        try env.lane(.encryption2048, capacity: 1_024),
        try env.lane(.encryption2048, capacity: 1_024)
    )
    let payload = env.payload600
    // The baseline keeps its address.
    let header = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 48)
    header.initialize(repeating: UInt8(ascii: "e"))
    try require(
        baseline_content_encrypt(sealed, header.baseAddress, header.count, payload, payload.count)
            == 1, "seal")
    return { iterations, _ in
        for _ in 0..<iterations {
            try require(baseline_content_decrypt(lane, sealed) == 1, "open")
        }
    }
}

// Two sessions over one: a module that computes, and one that waits as a device does.

private func printScaling(_ token: PKCS11Token, _ path: String) throws {
    // Of a shorter operation one session takes more than one processor: its callers work beside it.
    let label = "bench scaling"
    _ = try response {
        try await token.makeKey(.rsa(bits: 3072), use: .signature, label: label)
    }
    let digest = [UInt8](repeating: 7, count: 51)
    let (one, two) = (
        try moduleCall(path, label, "RS256", digest),
        try moduleCall(path, label, "RS256", digest, threads: 2)
    )
    let module = try pairThreads(two, one: one).wall
    for (what, delay) in [("that computes (RSA-3072)", 0), ("that waits 1 ms", 1_000)] {
        try require(baseline_token_delay(path, delay) == 1, "the module has no delay")
        defer { baseline_token_delay(path, 0) }
        let ratio = try scaling(path, label)
        print(
            pad("  a module \(what)", -36) + pad("x" + number(ratio, 2), 8)
                + (delay == 0 ? ", its own calls x\(number(module, 2))" : "")
                + (ratio >= leastScaling ? "" : "  <-- bound"))
    }
}

/// Throughput of two sessions over that of one.
private func scaling(_ path: String, _ label: String) throws -> Double {
    let signers = try [1, 2].map { sessions in
        let token = try open(path, sessions: sessions)
        let key = try response {
            try await token.key(
                PKCS11URI("pkcs11:object=" + label.replacingOccurrences(of: " ", with: "%20")))
        }
        return try JWSSigner(key: key.jwk(), algorithm: .rs256)
    }
    var best = [Double.infinity, .infinity]
    for _ in 0..<60 {
        for (index, signer) in signers.enumerated() {
            let start = probe_wall_ns()
            try together(underWay) {
                _ = try await signer.sign(Array("a payload".utf8), timeout: .seconds(60))
            }
            best[index] = min(best[index], Double(probe_wall_ns() - start))
        }
    }
    return best[0] / best[1]
}

/// Runs asynchronous work and gives its result.
private func response<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let box = Box<Value>()
    try waiting { box.value = try await work() }
    guard let value = box.value else { throw BenchmarkFailure("no answer") }
    return value
}

/// Written by one task, read behind it.
private final class Box<Value>: @unchecked Sendable {
    var value: Value?
}
