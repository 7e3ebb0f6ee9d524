// Printing or dumping the requests to external keys and replay stores shows nothing of a token.

import Foundation
import JOSE
import JOSEBytes
import Testing

@Suite("External keys: redaction")
struct ExternalKeyRedactionTests {
    /// Whether it appears as bytes, as text or in hexadecimal.
    private static let secret = "ZZsecretZZ"

    private func expectSilent(_ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        let bytes = "\(Array(Self.secret.utf8).map { Int($0) })".dropFirst().dropLast()
        for text in [String(describing: value), String(reflecting: value), "\([value])", dumped] {
            #expect(!text.contains(Self.secret) && !text.contains(bytes), "\(type(of: value))")
            // One a line, as in a dump.
            #expect(!text.split(separator: "\n").contains { $0.hasSuffix("- 90") }, "\(text)")
        }
    }

    @Test("an external key that logs its requests and results logs no token content")
    func questions() {
        let bytes = Array(Self.secret.utf8)
        let deadline = ContinuousClock.now
        for input in [ExternalSigningRequest.Input.digest(bytes), .message(bytes)] {
            let request = ExternalSigningRequest(
                algorithm: .es256, input: input, deadline: deadline)
            expectSilent(input)
            expectSilent(request)
            #expect("\(request)" == "ExternalSigningRequest, ES256")
        }
        expectSilent(
            ExternalUnwrappingRequest(algorithm: .rsaOAEP, encryptedKey: bytes, deadline: deadline))
        expectSilent(ExternalAgreementRequest(curve: .p256, publicKey: bytes, deadline: deadline))
        expectSilent(ExternalSignature.plain(bytes))
        expectSilent(ExternalSignature.der(bytes))
        expectSilent(ExternalUnwrappedKey.contentKey(ExternalKeySecret(count: 1) { $0.append(90) }))
        expectSilent(ExternalUnwrappedKey.block(ExternalKeySecret(count: 1) { $0.append(90) }))
    }

    @Test("a store that logs its uses logs no code and no jti")
    func uses() throws {
        let now = try #require(NumericDate(exactly: 1_760_000_000))
        expectSilent(
            ReplayEntry(
                purpose: "code", issuer: Self.secret, audience: Self.secret, tokenID: Self.secret,
                expires: now))
    }

    @Test(
        "every public type of external keys prints no content, or holds none")
    func complete() throws {
        let silent: [Any.Type] = [
            ExternalSigningRequest.self, ExternalSigningRequest.Input.self, ExternalSignature.self,
            ExternalUnwrappingRequest.self, ExternalAgreementRequest.self, ExternalKeySecret.self,
        ]
        for type in silent { #expect(type is any RedactedDescription.Type, "\(type)") }
        let others: Set = [
            "ExternalKeyCapabilities", "ExternalUnwrappedKey", "ExternalKeyError",
            "ExternalKeyOptions",
            "ExternalKeyEvent", "Kind", "Operation",
        ]
        let folder = VectorFile.folder.appending(path: "../Sources/JOSE/ExternalKeys")
            .standardizedFileURL
        let declaration = #/^ *public (?:struct|enum|final class|indirect enum) (\w+)/#
            .anchorsMatchLineEndings()
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for match in text.matches(of: declaration) { names.insert(String(match.1)) }
        }
        #expect(names == others.union(silent.map { "\($0)" }))
    }
}
