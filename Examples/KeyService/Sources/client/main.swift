// Signs and decrypts tokens with a key that this process never has.

import ExternalKey
import Foundation
import JOSE

let words = CommandLine.arguments.dropFirst()
guard 2...3 ~= words.count,
    let operations = words.count < 3 ? 1_000 : words.last.flatMap({ Int($0) })
else {
    print("usage: client SOCKET PUBLIC-KEY-FILE [OPERATIONS]")
    exit(2)
}
let (socketPath, keyPath) = (words[1], words[2])

do {
    // The public key is pinned: each signature is verified with it before it leaves. Keep it with your configuration.
    let file = try Data(contentsOf: URL(filePath: keyPath))
    guard var pinned = try KeyFileContents([UInt8](file)).keys.first else {
        throw CocoaError(.fileReadCorruptFile)
    }
    pinned.keyID = "held-1"
    // A rule for each key: 1,000 questions at once here, as the service takes them.
    let key = try pinned.withExternalKey(
        SocketExternalKey(socket: socketPath),
        options: ExternalKeyOptions(maxConcurrent: operations, timeout: .seconds(30)) { event in
            print("operator: \(event)")
        })

    let signer = try JWSSigner(key: key, algorithm: .rs256)
    let token = try await signer.sign(Array("a payload".utf8), timeout: .seconds(2))
    _ = try JWSVerifier(key: pinned, algorithms: [.rs256]).verify(token)
    print("signed by the service, verified here: \(token.prefix(40))…")

    let sealed = try JWEEncrypter(key: pinned, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        .encrypt("for the key's holder")
    let opened = try await JWEDecrypter(
        key: key, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]
    ).decrypt(sealed, timeout: .seconds(2))
    print("decrypted:", String(decoding: opened.unauthenticatedPlaintext, as: UTF8.self))

    let time = try await ContinuousClock().measure {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<operations {
                group.addTask {
                    _ = try await signer.sign(Array("payload \(number)".utf8), timeout: .seconds(30))
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
