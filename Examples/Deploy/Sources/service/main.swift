// service ISSUER AUDIENCE KEYS: judges each line of standard input as a token of the issuer, and answers it with one line
// before it reads the next; KEYS is its JWK Set.

import JOSE

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

struct AccessToken: Codable { var sub: String }

/// Of what a claim says only printable ASCII goes out as it is: no subject writes a line of its own, nor to a terminal.
func shown(_ claim: String) -> String {
    claim.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
}

/// A pipe would keep verdicts until many have come, and who asked waits.
func response(_ verdict: String) {
    print(verdict)
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
            response("accepted: \(shown(claims.sub))")
        } catch {
            response("rejected: \(error)")
        }
    }
} catch {
    print("service:", error)
    exit(3)
}
