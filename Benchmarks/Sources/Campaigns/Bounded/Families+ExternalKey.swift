// What external keys of keys answer: signatures, content keys, blocks and shared secrets of any
// size and shape.

import Foundation
import JOSE
import Synchronization

extension Bounded {
    static func externalKeyFamilies() throws -> [Family] {
        let env = try ExternalKeyEnvironment()
        let sizes = [16_384, 65_536, 262_144]
        let signatures: [(String, SignatureAlgorithm, (Int) -> ExternalSignature)] = [
            ("r and s of many bytes", .es256, { .plain(ones($0)) }),
            ("an RSA signature of many bytes", .rs256, { .plain(ones($0)) }),
            ("EdDSA of many bytes", .edDSA, { .plain(ones($0)) }),
            ("DER with a long r", .es256, { .der(pair(DER.tagged(0x02, ones($0 - 16)), short)) }),
            ("DER with a long s", .es512, { .der(pair(short, DER.tagged(0x02, ones($0 - 16)))) }),
            (
                "DER with zeros before r", .es256,
                { .der(pair(DER.tagged(0x02, [UInt8](repeating: 0, count: $0 - 17) + [1]), short)) }
            ),
            (
                "DER of many numbers", .es256,
                { .der(DER.tagged(0x30, DER.repeated(short, $0 - 4))) }
            ),
            ("DER with bytes behind it", .es256, { .der(pair(short, short) + ones($0 - 8)) }),
            ("nested DER", .es256, { .der(DER.nested($0 - 8)) }),
        ]
        let secrets:
            [(
                String, KeyManagementAlgorithm,
                (ExternalKeySecret) -> ExternalKeyEnvironment.Response
            )] =
                [
                    ("a long content key", .rsaOAEP256, { .unwrapped(.contentKey($0)) }),
                    ("a long block", .rsaOAEP256, { .unwrapped(.block($0)) }),
                    ("a long shared secret", .ecdhES, { .agreed($0) }),
                    ("a long secret, wrapped", .ecdhESA128KW, { .agreed($0) }),
                ]
        return signatures.map { name, algorithm, response in
            Family(
                name: "external key: " + name, sizes: sizes,
                hostile: { try env.signing(algorithm, $0, .signature(response($0))) },
                valid: { try env.signing(algorithm, $0, env.right(algorithm)) })
        }
            + secrets.map { name, algorithm, response in
                Family(
                    name: "external key: " + name, sizes: sizes,
                    hostile: { try env.opening(algorithm, $0, response(secret($0))) },
                    valid: {
                        try env.opening(
                            algorithm, $0,
                            algorithm == .rsaOAEP256
                                ? .unwrapped(.block(secret(256))) : .agreed(secret(32)))
                    })
            }
    }

    private static let short: [UInt8] = [0x02, 0x01, 0x01]

    private static func ones(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    private static func pair(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] { DER.tagged(0x30, r + s) }

    private static func secret(_ count: Int) -> ExternalKeySecret {
        ExternalKeySecret(count: count) { for _ in 0..<count { $0.append(1) } }
    }
}

/// Keys whose external key returns a fixed response.
private final class ExternalKeyEnvironment {
    enum Response: Sendable {
        case signature(ExternalSignature)
        case unwrapped(ExternalUnwrappedKey)
        case agreed(ExternalKeySecret)
    }

    private struct FixedKey: ExternalKey {
        let capabilities = ExternalKeyCapabilities(
            signatures: [.es256, .es512, .rs256, .edDSA],
            keyManagement: [.rsaOAEP256, .ecdhES, .ecdhESA128KW])
        let response: Response

        func sign(_ request: ExternalSigningRequest) async throws(ExternalKeyError)
            -> ExternalSignature
        {
            guard case .signature(let signature) = response else { throw .failed }
            return signature
        }
        func unwrap(
            _ request: ExternalUnwrappingRequest
        ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
            guard case .unwrapped(let unwrapped) = response else { throw .failed }
            return unwrapped
        }
        func agree(
            _ request: ExternalAgreementRequest
        ) async throws(ExternalKeyError) -> ExternalKeySecret {
            guard case .agreed(let secret) = response else { throw .failed }
            return secret
        }
    }

    private let rsa, agreement: JWK
    private let curves: [SignatureAlgorithm: JWK]
    private let rule = ExternalKeyOptions(timeout: .seconds(3_600))

    init() throws {
        rsa = try JWK.generate(.rsa)
        agreement = try JWK.generate(.curve(.p256))
        curves = [
            .es256: try JWK.generate(.curve(.p256)), .es512: try JWK.generate(.curve(.p521)),
            .edDSA: try JWK.generate(.curve(.ed25519)),
        ]
    }

    private static let payload = "a payload"

    /// What an external key says that has the key.
    func right(_ algorithm: SignatureAlgorithm) throws -> Response {
        let token = try JWSSigner(key: curves[algorithm] ?? rsa, algorithm: algorithm)
            .sign(ExternalKeyEnvironment.payload)
        guard let text = token.split(separator: ".").last else { throw Failure("no signature") }
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let signature = Data(base64Encoded: base64 + padding) else {
            throw Failure("no base64url")
        }
        return .signature(.plain([UInt8](signature)))
    }

    func signing(
        _ algorithm: SignatureAlgorithm, _ bytes: Int, _ response: Response
    ) throws -> Sample {
        let key = try (curves[algorithm] ?? rsa).publicKey
        let signer = try JWSSigner(
            key: key.withExternalKey(FixedKey(response: response), options: rule),
            algorithm: algorithm)
        return sample(bytes) {
            _ = try await signer.sign(
                Array(ExternalKeyEnvironment.payload.utf8), timeout: .seconds(3_600))
        }
    }

    func opening(
        _ algorithm: KeyManagementAlgorithm, _ bytes: Int, _ response: Response
    ) throws -> Sample {
        let key = try (algorithm == .rsaOAEP256 ? rsa : agreement).publicKey
        let token = try JWEEncrypter(key: key, algorithm: algorithm, content: .a128GCM)
            .encrypt(ExternalKeyEnvironment.payload)
        let decrypter = try JWEDecrypter(
            key: key.withExternalKey(FixedKey(response: response), options: rule),
            algorithms: [algorithm],
            content: [.a128GCM])
        return sample(bytes) { _ = try await decrypter.decrypt(token, timeout: .seconds(3_600)) }
    }

    private func sample(
        _ bytes: Int, _ work: @escaping @Sendable () async throws -> Void
    ) -> Sample {
        let thread = WaitingThread()
        return Sample(bytes: bytes) { thread.run(work) }
    }
}

/// Runs a call on the thread that is measured, which waits for what others do of it meanwhile.
private final class WaitingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let come = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        come.signal()
    }

    func run(_ work: @escaping @Sendable () async throws -> Void) {
        let end = End()
        Task(executorPreference: self) {
            try? await work()
            end.isReached.withLock { $0 = true }
        }
        while !end.isReached.withLock({ $0 }) {
            come.wait()
            jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private final class End: Sendable {
        let isReached = Mutex(false)
    }
}
