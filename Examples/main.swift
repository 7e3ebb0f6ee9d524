// An offline login between an example relying party and provider, printed step by step:
// swift run openid-example [itsme0|itsme1|itsme2|signicat|nets|openid]

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
let name = CommandLine.arguments.dropFirst().first ?? "itsme2"
guard let profile = profiles.first(where: { $0.key == name })?.value else {
    print("unknown profile \(name): use one of \(profiles.map(\.key).joined(separator: ", "))")
    exit(2)
}

/// Signs a user in, and then replays the authorization response.
func login(_ profile: OpenIDProfile) async throws {
    let provider = try ExampleProvider(profile)
    let party = try await ExampleParty(profile, at: provider)
    try await provider.register(try party.registration(), keys: try party.publishedKeys())

    let (url, cookie) = try await party.start()
    print("authorization request   \(url.prefix(90))… (\(url.utf8.count) bytes)")
    let redirect = try await provider.authorize(url)
    let isForm = redirect.responseMode.carrier == .form
    let text = redirect.parameters.encoded
    print(
        "authorization response  "
            + (isForm ? "POST \(redirect.redirectURI) \(text)" : redirect.url))
    let user = try await party.finish(text, isForm: isForm, cookie: cookie)
    print("signed in               \(user.subject), \(user.name ?? "without a name")")

    // The relying party has removed the session, and the provider has used up the code.
    do {
        _ = try await party.finish(text, isForm: isForm, cookie: cookie)
        print("accepted a replayed response")
    } catch {
        print("rejected a replay       \(error)")
    }
}

// The example's keys have no certificates, which itsme's oldest guide requires.
var offline = profile
offline.publishedCertificates = .any
try await login(offline)
