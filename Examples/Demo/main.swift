// Shows a login between a relying party and a provider in memory, then ten attacks:
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
      --profile NAME     \(Profile.all.map(\.name).joined(separator: ", ")); default: itsme2
      --module PATH      PKCS#11 module, to create the client's keys in a token
      --token URI        PKCS#11 URI of the token
      --pin-file FILE    file with the token's PIN
    """
var options = ["--profile": "itsme2"]
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst(), let value = arguments.popFirst() { options[name] = value }
let known = ["--profile", "--module", "--token", "--pin-file"]
let tokenOptions = (options["--module"], options["--token"], options["--pin-file"])
guard CommandLine.arguments.count % 2 == 1, options.keys.allSatisfy(known.contains),
    options.count == 1 || options.count == 4,
    let profile = Profile.all.first(where: { $0.name == options["--profile"] })
else {
    print(usage)
    exit(2)
}

do {
    var token: PKCS11Token?
    if case (let module?, let uri?, let pin?) = tokenOptions {
        token = try await .open(
            PKCS11URI(uri), module: .load(path: module, timeout: keyTimeout), pin: .file(pin),
            timeout: keyTimeout)
    }
    var script = DemoScript(profile)
    try await script.run(Attack.all(profile.rules), token: token)
} catch {
    print("demo: \(error)")
    exit(1)
}
