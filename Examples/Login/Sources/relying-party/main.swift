// relying-party --profile NAME --provider-port N --site-port N --keys FOLDER
//     [--issuer ADDRESS --client-id NAME [--authorities FILE] [--key-roots FILE]]

import Agreement
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
    let site = try Site(agreement)
    let tls = try agreement.tls("rp.localhost")
    note("relying party: \(agreement.site)")
    try await WebServer.run(
        port: agreement.sitePort, certificates: tls.certificate, key: tls.key
    ) { try await site.answer($0) }
} catch {
    note("relying party: \(error)")
    exit(1)
}
