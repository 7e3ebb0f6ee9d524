// provider --profile NAME --provider-port N --site-port N --keys FOLDER [--token-seconds N]

import Agreement
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
        agreement, tokenSeconds: agreement.number("token-seconds", usual: 300))
    let tls = try agreement.tls("idp.localhost")
    note("provider: \(agreement.profile) at \(agreement.issuer)")
    try await WebServer.run(
        port: agreement.providerPort, certificates: tls.certificate, key: tls.key
    ) { try await provider.answer($0) }
} catch {
    note("provider: \(error)")
    exit(1)
}
