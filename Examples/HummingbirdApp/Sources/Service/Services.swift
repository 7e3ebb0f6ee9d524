// Objects of the library in the life of a service (ServiceLifecycle). Copy what you need.

import AsyncHTTPClient
import JOSE
import JOSERemote
import Logging
import ServiceLifecycle

/// Fetches a key set at start, so that the first request does not wait for it. An outage does not
/// stop the service: requests get 503 until the keys are there.
struct KeySetService: Service {
    let keys: RemoteJWKSet
    let logger: Logger

    func run() async throws {
        do throws(JOSEError) {
            _ = try await keys.keys(keyID: nil)
        } catch {
            logger.warning("no keys yet", metadata: ["error": "\(error)"])
        }
        try? await gracefulShutdown()
    }
}

/// Closes an HTTP client, after the services that were added after this one have ended.
struct HTTPClientService: Service {
    let client: HTTPClient

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}
