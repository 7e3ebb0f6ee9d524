// The token of a test: the test module, which can misbehave, or the one that the environment names.

import Foundation
import Glibc
import JOSE
import JOSEBytes
import JOSECrypto
@testable import JOSEPKCS11
import Synchronization
import Testing

/// How the test module misbehaves. The numbers are those of `Module/token.h`.
enum Misbehaviour: Int, CaseIterable {
    case none, signatureWrong, signatureShort, signatureLong, signatureHuge, signatureDER, otherKey
    case otherPublic, otherPublicObject
    case attributeHuge, attributeLong, attributeAbsent, attributeWide
    case findEndless, findMore, slots, point, plaintextLong, plaintextShort, secretShort, secretLong
    case sessionBusy, loginCounts, noLogin, keypad, noCurve
}

/// A module with one token.
///
/// Each test module is a copy of the library with its own state. `tools/run tokens` names another
/// module in the environment, whose one token all tests share.
final class TestToken: Sendable {
    let path: String
    let module: PKCS11Module
    let label: String
    let pin: String

    private struct Foreign {
        let path, label, pin: String
    }
    private static let foreign: Foreign? = {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment["JOSE_TEST_TOKEN_MODULE"],
            let label = environment["JOSE_TEST_TOKEN_LABEL"],
            let pin = environment["JOSE_TEST_TOKEN_PIN"]
        else { return nil }
        return Foreign(path: path, label: label, pin: pin)
    }()

    /// Whether the tests may damage the token.
    static var isOwn: Bool { foreign == nil }
    /// How long concurrency tests run. `tools/run tokens SECONDS` sets it.
    static let seconds =
        ProcessInfo.processInfo.environment["JOSE_TEST_TOKEN_SECONDS"].flatMap(Int.init) ?? 3
    static let onlyOwn: Comment = "only the tests' own module misbehaves, loses and counts"

    init() throws {
        if let foreign = TestToken.foreign {
            (path, label, pin) = (foreign.path, foreign.label, foreign.pin)
        } else {
            (path, label, pin) = (try OwnModule.copy(), "jose tests", "123456")
        }
        module = try PKCS11Module(path: path)
    }

    var uri: PKCS11URI {
        get throws {
            let token = label.utf8.map { "%" + String(format: "%02x", $0) }.joined()
            return try PKCS11URI("pkcs11:token=\(token)")
        }
    }

    func open(
        sessions: Int = 4, pin: PKCS11PIN? = nil, allowsFinalTry: Bool = false
    ) async throws -> PKCS11Token {
        try await PKCS11Token.open(
            uri, module: module, pin: pin ?? .text(self.pin), sessions: sessions,
            allowsFinalTry: allowsFinalTry)
    }

    /// The token of a URI with these attributes, without a login.
    func unlocked(_ attributes: String) async throws -> PKCS11Token {
        try await PKCS11Token.open(
            PKCS11URI("pkcs11:" + attributes), module: module, pin: nil, sessions: 1)
    }

    /// Calls a function of the module with a number.
    func tell(_ name: String, _ number: Int) {
        typealias Function = @convention(c) (Int) -> Void
        call(name, as: Function.self)?(number)
    }

    func ask(_ name: String) -> Int {
        typealias Function = @convention(c) () -> Int
        return call(name, as: Function.self)?() ?? -1
    }

    /// Sets the result of the next logins.
    func responseLogins(_ response: Int, times: Int = 1_000) {
        tell("token_login_response", times << 32 | response)
    }

    func misbehave(_ misbehaviour: Misbehaviour) { tell("token_misbehave", misbehaviour.rawValue) }

    /// As another program with the same module does: ends all sessions of the token, and the login.
    func closeAllSessions() throws {
        typealias Function = @convention(c) (UInt) -> UInt
        let slot = try #require(try slot())
        _ = call("C_CloseAllSessions", as: Function.self)?(UInt(slot))
    }

    private func slot() throws -> UInt64? {
        try module.slots().first { try module.describe($0).label == Array(label.utf8) }
    }

    private func call<Function>(_ name: String, as type: Function.Type) -> Function? {
        guard let library = dlopen(path, RTLD_NOW | RTLD_NOLOAD),
            let symbol = dlsym(library, name)
        else {
            Issue.record("the module has no \(name)")
            return nil
        }
        return unsafeBitCast(symbol, to: type)
    }
}

/// The test module, compiled once per test run.
private enum OwnModule {
    private static let compiled = Result {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "jose-token-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Module")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments =
            ["clang", "-std=gnu17", "-O1", "-shared", "-fPIC", "-Wl,-Bsymbolic"]
            + ["module.c", "objects.c", "keys.c", "operations.c", "store.c"].map {
                sources.appending(path: $0).path
            }
            + ["-o", folder.appending(path: "token.so").path, "-lcrypto"]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw NoModule() }
        return folder
    }
    private static let copies = Atomic<Int>(0)

    static func copy() throws -> String {
        let folder = try compiled.get()
        let number = copies.add(1, ordering: .relaxed).newValue
        let copy = folder.appending(path: "token-\(number).so")
        try FileManager.default.copyItem(at: folder.appending(path: "token.so"), to: copy)
        return copy.path
    }

    private struct NoModule: Error {}
}

extension PKCS11PIN {
    /// A PIN source with a known PIN.
    static func text(_ text: String) -> PKCS11PIN { .prompt { _ in .text(text) } }
}

extension ExternalKeySecret {
    static func text(_ text: String) -> ExternalKeySecret {
        ExternalKeySecret(count: text.utf8.count) { for byte in text.utf8 { $0.append(byte) } }
    }

    var copy: [UInt8] {
        bytes.withSpan { span in
            [UInt8](capacity: span.count) { $0.append(copying: span) }
        }
    }
}

/// A label that no other test uses.
func freshLabel() -> String { "key " + UUID().uuidString }

func uri(_ label: String) throws -> PKCS11URI {
    try PKCS11URI("pkcs11:object=" + label.utf8.map { String(format: "%%%02X", $0) }.joined())
}

/// A timeout that is long enough even if other work keeps the threads busy.
let ample = Duration.seconds(3_600)
let ampleRule = ExternalKeyOptions(timeout: ample)

extension PKCS11Key {
    /// A signature of a message, requested as the engine does.
    func signature(
        _ algorithm: SignatureAlgorithm, of message: [UInt8], timeout: Duration = ample
    ) async throws -> [UInt8] {
        let isWhole = algorithm.family == .edDSA
        let request = ExternalSigningRequest(
            algorithm: algorithm,
            input: isWhole
                ? .message(message) : .digest(try Hash.digest(algorithm.hash, message.span)),
            deadline: .now + timeout)
        guard case .plain(let signature) = try await sign(request) else {
            Issue.record("a token answers r and s")
            return []
        }
        return signature
    }

    /// A correct signature of a message of one byte.
    func signs(_ caller: Int) async throws(ExternalKeyError) {
        let message = [UInt8(caller)]
        do {
            let signature = try await signature(.es256, of: message)
            #expect(try isRight(signature, .es256, of: message))
        } catch {
            throw error as? ExternalKeyError ?? .failed
        }
    }

    func isRight(
        _ signature: [UInt8], _ algorithm: SignatureAlgorithm, of message: [UInt8]
    ) throws -> Bool {
        let operation = try publicKey.prepared.signature(algorithm, signing: false)
        return (try? operation.verify(message.span, signature: signature.span)) != nil
    }

    /// An encrypted key for this key, taken from a token encrypted here.
    func encryptedKey(_ algorithm: KeyManagementAlgorithm) throws -> [UInt8] {
        let token = try JWEEncrypter(key: publicKey, algorithm: algorithm, content: .a256GCM)
            .encrypt(Array("text".utf8))
        let part = token.split(separator: ".")[1]
        let bytes = Base64URL.decode(Array(part.utf8).span)
        return try #require(bytes)
    }

    func unwrapped(
        _ algorithm: KeyManagementAlgorithm, _ encryptedKey: [UInt8], timeout: Duration = ample
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        try await unwrap(
            ExternalUnwrappingRequest(
                algorithm: algorithm, encryptedKey: encryptedKey, deadline: .now + timeout))
    }

    /// The coordinates of the public key, as key agreement takes the other side's.
    var coordinates: [UInt8] {
        guard let material = publicKey.prepared.material as? CurveKeyMaterial else { return [] }
        return material.x + material.y
    }

    func agreed(with other: PKCS11Key) async throws -> [UInt8] {
        let curve = try #require(publicKey.curve)
        return try await agree(
            ExternalAgreementRequest(
                curve: curve, publicKey: other.coordinates, deadline: .now + ample)
        ).copy
    }
}

extension Trait where Self == ConditionTrait {
    static var onlyOwn: Self { .enabled(if: TestToken.isOwn, TestToken.onlyOwn) }
}

extension TestToken {
    /// A new open token with a signing key.
    static func signing(
        sessions: Int = 4
    ) async throws -> (test: TestToken, token: PKCS11Token, key: PKCS11Key) {
        let test = try TestToken()
        let token = try await test.open(sessions: sessions)
        return (test, token, try await token.signing())
    }

    /// The same with a decryption key.
    static func decrypting(
        sessions: Int = 4
    ) async throws -> (test: TestToken, token: PKCS11Token, key: PKCS11Key) {
        let test = try TestToken()
        let token = try await test.open(sessions: sessions)
        return (test, token, try await token.decrypting())
    }
}

extension PKCS11Token {
    func signing() async throws -> PKCS11Key {
        try await makeKey(.curve(.p256), use: .signature, label: freshLabel())
    }

    func decrypting() async throws -> PKCS11Key {
        try await makeKey(.rsa(bits: 2048), use: .encryption, label: freshLabel())
    }

    func agreeing() async throws -> PKCS11Key {
        try await makeKey(.curve(.p256), use: .encryption, label: freshLabel())
    }
}

func expectRejection(
    _ code: JOSEError.Code, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    let error = await rejection(body)
    #expect(error?.code == code, comment, sourceLocation: sourceLocation)
}

func expectError(
    _ failure: ExternalKeyError, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    await #expect(throws: failure, sourceLocation: sourceLocation) { try await body() }
}

/// The error of a call, as code and message.
func rejection(_ body: () async throws -> Void) async -> JOSEError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? JOSEError
    }
}
