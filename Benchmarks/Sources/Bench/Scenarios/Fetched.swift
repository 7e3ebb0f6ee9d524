// Keys behind a source: what the wait for a set that is there adds to a verification with keys at
// hand.

@_spi(Bench) import JOSEBenchmark
import Dispatch
import JOSE

/// Verifications in one iteration: the task is woken for all of them once.
private let many = 256

/// A microsecond above the five or the fifteen that the same verification takes with keys at hand.
private let fetchedBound = Bound.ratio(hasKernels ? 1.18 : hasDoubles ? 1.12 : 1.07)

func fetchedScenarios(_ env: TestEnvironment) -> [Scenario] {
    let bytes = env.claims.count * many
    return [
        // The same task and the same wait around a verification with keys at hand.
        Scenario("fetched/baseline", bytes: bytes, gated: false) {
            let verifier = try env.jwtVerifier(
                .required(keys: env.verificationSet, algorithms: [.rs256]))
            let token = env.token
            return { iterations, _ in
                try waiting { for _ in 0..<iterations * many { _ = try verifier.verify(token) } }
            }
        },
        // Not held by the gate: its allocations are another thread's, which are counted apart.
        Scenario(
            "fetched/policy", baseline: "fetched/baseline", bound: fetchedBound, bytes: bytes,
            gated: false
        ) {
            let policy = ClaimsPolicy(
                issuer: IDTokenClaims.issuer, audience: IDTokenClaims.audience)
            let verifier = try AsyncJWTVerifier(
                policy: policy, keys: env.verificationSet, algorithms: [.rs256])
            let token = env.token
            return { iterations, _ in
                try waiting {
                    for _ in 0..<iterations * many { _ = try await verifier.verify(token) }
                }
            }
        },
    ]
}

/// Runs asynchronous work on the pool and waits for it: one task, however many iterations.
func waiting(_ work: @escaping @Sendable () async throws -> Void) throws {
    let end = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    Task.detached {
        do { try await work() } catch { outcome.error = error }
        end.signal()
    }
    end.wait()
    if let error = outcome.error { throw error }
}

/// Written before the semaphore is signalled, read behind it.
private final class Outcome: @unchecked Sendable {
    var error: (any Error)?
}
