// Private keys in PKCS#11 tokens, for one run of josectl.

import JOSE
import JOSEBytes
import JOSEPKCS11
import Synchronization

/// The tokens of one PKCS#11 module. The first use of a key loads the module. The token of each URI
/// stays open until the process ends.
final class ExternalKeys: Sendable {
    private static let timeLimit = Lock(Duration.seconds(300))
    /// The time limit of each operation. A token may wait for a touch, or generate a large key.
    static var timeout: Duration { timeLimit.withLock { $0 } }

    static func setTimeout(_ time: Duration) { timeLimit.withLock { $0 = time } }

    private struct State {
        /// The module, or why loading it failed. A failed load is not repeated.
        var module: Result<PKCS11Module, Rejection>?
        /// The open tokens, by the token attributes of their URIs.
        var tokens: [PKCS11URI: PKCS11Token] = [:]
        /// The token that the PIN is for, once it is open and logged in.
        var pinToken: PKCS11Token?
        /// The last requested opening of a token. The next opening waits until it completes.
        var lastOpening: Task<Void, Never>?
    }
    private let modulePath: String
    private let pin: (file: PINFile, token: PKCS11URI)?
    private let sessions: Int
    private let state = Lock(State())

    /// `pin` is the path of the PIN file and the token that the PIN is for; nil to open tokens
    /// without login. `sessions` is the number of concurrent operations for each token, 1 to 64.
    init(module: String, pin: (path: String, token: PKCS11URI)?, sessions: Int = 8) {
        modulePath = module
        self.pin = pin.map { (PINFile($0.path), $0.token) }
        self.sessions = sessions
    }

    func key(_ uri: PKCS11URI) async throws -> PKCS11Key {
        let token = try await token(uri)
        do throws(JOSEError) {
            return try await token.key(uri, timeout: ExternalKeys.timeout)
        } catch {
            throw Rejection(uri, error, error.code == .keyNotFound ? hint(token) : "")
        }
    }

    /// A possible reason why the token has no such key for this login.
    private func hint(_ token: PKCS11Token) -> String {
        guard let pin else { return "; private keys are visible after a login: use --pin-file" }
        let isPINToken = state.withLock { $0.pinToken === token }
        return isPINToken ? "" : "; the PIN is only for \(pin.token)"
    }

    /// Returns the key as a private JWK. The token performs its operations.
    func jwk(_ uri: PKCS11URI) async throws -> JWK {
        try await key(uri).jwk(options: ExternalKeys.options)
    }

    static var options: ExternalKeyOptions { ExternalKeyOptions(timeout: timeout) }

    /// Returns the open token that a URI names, logged in if the PIN is for it. Gives a wrong PIN
    /// to the token only once.
    func token(_ uri: PKCS11URI) async throws -> PKCS11Token {
        // One opening at a time: if two URIs name one token, the second opening must know that the
        // token rejected the PIN.
        let task = state.withLock { state in
            let before = state.lastOpening
            let task = Task {
                await before?.value
                return try await self.opened(uri)
            }
            state.lastOpening = Task { _ = await task.result }
            return task
        }
        return try await task.value
    }

    private func opened(_ uri: PKCS11URI) async throws -> PKCS11Token {
        let name = uri.ofToken
        if let token = state.withLock({ $0.tokens[name] }) { return token }
        let module = try await module()
        let token: PKCS11Token
        if let pin, name == pin.token {
            token = try await openPINToken(uri, module)
        } else {
            let candidate = try await openWithoutLogin(uri, module)
            let isPINToken = try await isPINToken(candidate, module)
            token =
                isPINToken
                ? try await openPINToken(uri, module) : await deduplicated(candidate)
        }
        state.withLock { $0.tokens[name] = token }
        return token
    }

    private func openWithoutLogin(_ uri: PKCS11URI, _ module: PKCS11Module) async throws
        -> PKCS11Token
    {
        do throws(JOSEError) {
            return try await PKCS11Token.open(
                uri.ofToken, module: module, pin: nil, sessions: sessions,
                timeout: ExternalKeys.timeout)
        } catch {
            throw Rejection(uri, error)
        }
    }

    /// Returns the token that is already open for the same device, otherwise `token`. Each open
    /// token has its own threads and sessions, and hundreds of URIs can name one device.
    private func deduplicated(_ token: PKCS11Token) async -> PKCS11Token {
        var seen: Set<ObjectIdentifier> = []
        for other in state.withLock({ Array($0.tokens.values) })
        where seen.insert(ObjectIdentifier(other)).inserted {
            let isSame = try? await token.isSame(as: other, timeout: ExternalKeys.timeout)
            if isSame == true { return other }
        }
        return token
    }

    /// Whether this token, opened without login, is the one that the PIN is for.
    private func isPINToken(_ token: PKCS11Token, _ module: PKCS11Module) async throws -> Bool {
        guard let pin else { return false }
        let pinToken: PKCS11Token
        if let known = state.withLock({ $0.pinToken }) {
            pinToken = known
        } else {
            // If the token of the PIN is absent, this is another token.
            guard let found = try? await openWithoutLogin(pin.token, module) else { return false }
            pinToken = found
        }
        do throws(JOSEError) {
            return try await token.isSame(as: pinToken, timeout: ExternalKeys.timeout)
        } catch {
            throw Rejection(pin.token, error)
        }
    }

    /// Opens the token that the PIN is for, and logs in.
    private func openPINToken(_ uri: PKCS11URI, _ module: PKCS11Module) async throws -> PKCS11Token
    {
        if let known = state.withLock({ $0.pinToken }) { return known }
        guard let pin else { throw Rejection(.internalFailure) }
        let attempt = PINAttempt(pin.file)
        do throws(JOSEError) {
            let token = try await PKCS11Token.open(
                pin.token, module: module, pin: attempt.pin, sessions: sessions,
                timeout: ExternalKeys.timeout)
            state.withLock { $0.pinToken = token }
            return token
        } catch {
            throw attempt.recordFailure(error) ?? Rejection(uri, error)
        }
    }

    private func module() async throws -> PKCS11Module {
        if let module = state.withLock({ $0.module }) { return try module.get() }
        // A module may run code when the process exits. The tool does not wait for it.
        Process.skipExitHandlers()
        let module: Result<PKCS11Module, Rejection>
        do throws(JOSEError) {
            module = .success(
                try await PKCS11Module.load(path: modulePath, timeout: ExternalKeys.timeout))
        } catch {
            module = .failure(
                Rejection(
                    error.code, step: error.step.name,
                    message: "\(printable(modulePath)): \(error.message)"))
        }
        state.withLock { $0.module = module }
        return try module.get()
    }
}

extension PKCS11URI {
    static func isURI(_ word: String) -> Bool { word.begins(with: "pkcs11:") }

    /// Throws `misuse`. The message does not repeat the URI, which may contain a PIN.
    init(word: String) throws {
        do throws(JOSEError) {
            try self.init(word)
        } catch {
            throw Rejection.misuse(
                error.code == .unsupported
                    ? "a PIN must not be in a URI; use --pin-file" : error.message)
        }
        guard moduleName == nil, modulePath == nil, pinSource == nil else {
            throw Rejection.misuse(
                "module and PIN attributes of a PKCS#11 URI are not supported; use --module and "
                    + "--pin-file")
        }
    }
}

extension Rejection {
    init(_ uri: PKCS11URI, _ error: JOSEError, _ hint: String = "") {
        self.init(
            error.code, step: error.step.name, message: "\(uri): \(error.message)\(hint)")
    }
}
