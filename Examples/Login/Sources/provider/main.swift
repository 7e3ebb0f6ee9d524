// The provider program. `--help` lists its options.

import Agreement
import Dispatch
import JOSE
import Web

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

if CommandLine.arguments.contains("--help") {
    note(lines: Options.usage)
    exit(0)
}

do {
    let agreement = try Agreement(CommandLine.arguments.dropFirst())
    let provider = try Provider(
        agreement, others: agreement.options["clients"].map(ClientMetadata.read) ?? [],
        tokenSeconds: agreement.options.number("token-seconds", usual: 300, in: 1...86_400))
    // SIGUSR1 reloads the keys.
    signal(SIGUSR1, SIG_IGN)
    let reload = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
    reload.setEventHandler { @Sendable in Task { await provider.rotate() } }
    reload.resume()
    let tls = try agreement.tls("idp.localhost")
    // Behind a proxy the port differs from the issuer's.
    let port = try agreement.options.port("listen", usual: agreement.providerPort)
    try WebServer.start(port: port, certificates: tls.certificate, key: tls.key) {
        try await provider.response($0)
    }
    note("provider: \(agreement.profileName) at \(agreement.issuer)")
    try await WebServer.wait()
} catch {
    note(lines: "provider: \(error)")
    exit(1)
}
