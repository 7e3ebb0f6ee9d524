// Signs and decrypts tokens with a private key in another process.

import SocketKey
import Foundation
import JOSE

let arguments = CommandLine.arguments.dropFirst()
guard 2...3 ~= arguments.count,
    let operations = arguments.count < 3 ? 1_000 : arguments.last.flatMap({ Int($0) })
else {
    print("usage: client SOCKET PUBLIC-KEY-FILE [OPERATIONS]")
    exit(2)
}
let (socketPath, keyPath) = (arguments[1], arguments[2])

do {
    // The public key is pinned: each signature is verified with it. Store it with your
    // configuration.
    let file = try Data(contentsOf: URL(filePath: keyPath))
    guard var pinned = try KeyFileContents([UInt8](file)).keys.first else {
        throw CocoaError(.fileReadCorruptFile)
    }
    pinned.keyID = "external-1"
    // This service accepts 1,000 requests at once.
    let key = try pinned.withExternalKey(
        SocketExternalKey(socket: socketPath),
        options: ExternalKeyOptions(maxConcurrent: operations, timeout: .seconds(30)) { event in
            print("operator: \(event)")
        })

    let signer = try JWSSigner(key: key, algorithm: .rs256)
    let token = try await signer.sign(Array("a payload".utf8), timeout: .seconds(2))
    _ = try JWSVerifier(key: pinned, algorithms: [.rs256]).verify(token)
    print("signed by the service, verified here: \(token.prefix(40))…")

    let encrypted = try JWEEncrypter(key: pinned, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        .encrypt("a secret text")
    let decrypted = try await JWEDecrypter(
        key: key, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]
    ).decrypt(encrypted, timeout: .seconds(2))
    print(
        "decrypted by the service:",
        String(decoding: decrypted.unauthenticatedPlaintext, as: UTF8.self))

    let time = try await ContinuousClock().measure {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<operations {
                group.addTask {
                    _ = try await signer.sign(
                        Array("payload \(number)".utf8), timeout: .seconds(30))
                }
            }
            try await group.waitForAll()
        }
    }
    print("\(operations) signatures at once: \(time)")
} catch {
    print("client: \(error)")
    exit(1)
}
