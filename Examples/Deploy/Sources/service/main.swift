// Verifies each line of standard input as a JWT and prints one line with the result:
// service ISSUER AUDIENCE KEYS, where KEYS is the issuer's JWK Set.

import JOSE

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

struct AccessToken: Codable { var sub: String }

/// Escapes all but printable ASCII, so that a claim cannot add lines or control a terminal.
func escaped(_ claim: String) -> String {
    claim.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
}

/// Prints a result without buffering, since the caller of a pipe waits for it.
func respond(_ result: String) {
    print(result)
    fflush(nil)
}

guard CommandLine.arguments.count == 4 else {
    print("usage: service ISSUER AUDIENCE KEYS")
    exit(2)
}
do {
    let verifier = try JWTVerifier(
        issuer: CommandLine.arguments[1], audience: CommandLine.arguments[2],
        signature: .required(
            keys: PublicJWKSet(json: CommandLine.arguments[3]), algorithms: [.rs256]))
    while let line = readLine() {
        do throws(JOSEError) {
            let claims = try verifier.verify(line, as: AccessToken.self)
            respond("accepted: \(escaped(claims.sub))")
        } catch {
            respond("rejected: \(error)")
        }
    }
} catch {
    print("service:", error)
    exit(3)
}
