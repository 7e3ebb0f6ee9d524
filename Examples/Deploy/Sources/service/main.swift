// service ISSUER AUDIENCE KEYS: judges each line of standard input as a token of the issuer; KEYS is its JWK Set.

import JOSE

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

struct AccessToken: Codable { var sub: String }

guard CommandLine.arguments.count == 4 else {
    print("usage: service ISSUER AUDIENCE KEYS")
    exit(2)
}
do {
    let verifier = try JWTVerifier(
        issuer: CommandLine.arguments[1], audience: CommandLine.arguments[2],
        encryption: .notEncrypted,
        signature: .required(
            keys: PublicJWKSet(json: CommandLine.arguments[3]), algorithms: [.rs256]))
    while let line = readLine() {
        do throws(JOSEError) {
            print("accepted:", try verifier.verify(line, as: AccessToken.self).sub)
        } catch {
            print("refused:", error)
        }
    }
} catch {
    print("service:", error)
    exit(3)
}
