// Signs and decrypts tokens with a key that this process never has. Usage: client SOCKET [OPERATIONS]

import Custodian
import Foundation
import JOSE

let path = CommandLine.arguments.dropFirst().first ?? "key-service.socket"
let operations = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1_000
let custodian = SocketCustodian(socket: path)

do {
    // In a service of yours the public key stands in the configuration: it is what each signature is looked at with.
    let file = try KeyFileContents(try await custodian.publicKey())
    guard var pinned = file.keys.first else { throw CustodianFault.failed }
    pinned.keyID = "held-1"
    let key = try pinned.held(by: custodian, rule: CustodyRule(mostUnderWay: operations))

    let signer = try JWSSigner(key: key, algorithm: .rs256)
    let token = try await signer.sign("a payload", within: .seconds(2))
    _ = try JWSVerifier(key: pinned, algorithms: [.rs256]).verify(token)
    print("signed by the service, verified here:", token.prefix(40) + "…")

    let sealed = try JWEEncrypter(key: pinned, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        .encrypt("for the key's holder")
    let opened = try await JWEDecrypter(
        key: key, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]
    ).decrypt(sealed, within: .seconds(2))
    print("decrypted:", String(decoding: opened.unauthenticatedPlaintext, as: UTF8.self))

    let clock = ContinuousClock()
    let time = try await clock.measure {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<operations {
                group.addTask { _ = try await signer.sign("payload \(number)", within: .seconds(30)) }
            }
            try await group.waitForAll()
        }
    }
    print("\(operations) signatures at once: \(time)")
} catch {
    print("client: \(error)")
    exit(1)
}
