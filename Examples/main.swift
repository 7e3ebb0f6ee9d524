// One login, offline: a browser's way between the relying party and the provider, printed step by
// step. swift run openid-example [itsme0|itsme1|itsme2|signicat|nets|openid], names that `./dev
// demo --profile` has too

import JOSE
import JOSEOpenID

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

let profiles: KeyValuePairs<String, OpenIDProfile> = [
    "itsme0": .itsme0, "itsme1": .itsme1, "itsme2": .itsme2, "signicat": .signicatMobileID,
    "nets": .netsEIDBroker, "openid": .openID,
]
let wanted = CommandLine.arguments.dropFirst().first ?? "itsme2"
guard let profile = profiles.first(where: { $0.key == wanted })?.value else {
    print("no such profile; there are \(profiles.map(\.key).joined(separator: ", "))")
    exit(2)
}

/// From the address that the browser opens to the user, and the same answer once more.
func login(_ profile: OpenIDProfile) async throws {
    let provider = try ExampleProvider(profile)
    let party = try await ExampleParty(profile, at: provider)
    try await provider.register(try party.registration(), keys: try party.publishedKeys())

    let (url, session) = try await party.start()
    print("browser goes to   \(url.prefix(100))… (\(url.utf8.count) bytes)")
    let back = try await provider.authorize(url)
    let isForm = back.responseMode.carrier == .form
    let text = back.parameters.encoded
    print(
        isForm ? "browser posts to  \(back.redirectURI) \(text)" : "browser comes to  \(back.url)")
    let user = try await party.finish(text, isForm: isForm, cookie: session)
    print("signed in         \(user.subject), \(user.name ?? "without a name")")

    // The same answer again: the party has forgotten the login, and the provider has used up the code.
    do {
        _ = try await party.finish(text, isForm: isForm, cookie: session)
        print("a replay was accepted")
    } catch {
        print("replay rejected    \(error)")
    }
}

// Both sides make keys without certificates here, which itsme's oldest guide would not let them publish.
var offline = profile
offline.publishedCertificates = .any
try await login(offline)
