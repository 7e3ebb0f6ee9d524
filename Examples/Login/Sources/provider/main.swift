// provider --profile NAME --provider-port N --site-port N --keys FOLDER [--token-seconds N] [--clients FILE] [--listen N]

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

do {
    let agreement = try Agreement(CommandLine.arguments)
    let provider = try Provider(
        agreement, others: agreement.option("clients").map(ClientMetadata.read) ?? [],
        tokenSeconds: agreement.number("token-seconds", usual: 300))
    // SIGUSR1 tells that there are other keys in the folder.
    signal(SIGUSR1, SIG_IGN)
    let otherKeys = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
    otherKeys.setEventHandler { @Sendable in Task { await provider.rotate() } }
    otherKeys.resume()
    let tls = try agreement.tls("idp.localhost")
    note("provider: \(agreement.profile) at \(agreement.issuer)")
    // Another port than the issuer's where a proxy stands in front.
    let port = agreement.number("listen", usual: Int64(agreement.providerPort))
    try await WebServer.run(
        port: UInt16(clamping: port), certificates: tls.certificate, key: tls.key
    ) { try await provider.answer($0) }
} catch {
    note("provider: \(error)")
    exit(1)
}
