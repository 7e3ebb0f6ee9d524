// A login between a relying party and its provider, in memory: every message, then ten attacks.
// demo [--profile NAME] [--module PATH --token URI --pin-file FILE]

import JOSE
import JOSEPKCS11

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

let usage = """
    usage: demo [--profile NAME] [--module PATH --token URI --pin-file FILE]
    profiles: \(Profile.all.map(\.name).joined(separator: ", ")); default itsme2
    """
var options = ["--profile": "itsme2"]
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst(), let value = arguments.popFirst() { options[name] = value }
let known = ["--profile", "--module", "--token", "--pin-file"]
let inToken = (options["--module"], options["--token"], options["--pin-file"])
guard CommandLine.arguments.count % 2 == 1, options.keys.allSatisfy(known.contains),
    options.count == 1 || options.count == 4,
    let profile = Profile.all.first(where: { $0.name == options["--profile"] })
else {
    print(usage)
    exit(2)
}

do {
    var token: PKCS11Token?
    if case (let module?, let uri?, let pin?) = inToken {
        token = try await .open(
            PKCS11URI(uri), module: .load(path: module, timeout: patience), pin: .file(pin),
            timeout: patience)
    }
    var story = DemoScript(profile)
    try await story.run(Attack.all(profile.rules), token: token)
} catch {
    print("demo: \(error)")
    exit(1)
}
