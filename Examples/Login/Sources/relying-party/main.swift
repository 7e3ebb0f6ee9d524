// The relying party program. `--help` lists its options.

import Agreement
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
    let site = try Site(agreement)
    let tls = try agreement.tls("rp.localhost")
    try WebServer.start(
        port: agreement.sitePort, certificates: tls.certificate, key: tls.key
    ) { try await site.response($0) }
    note("relying party: \(agreement.profileName) at \(agreement.site)")
    try await WebServer.wait()
} catch {
    note(lines: "relying party: \(error)")
    exit(1)
}
