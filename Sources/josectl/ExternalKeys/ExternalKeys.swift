// Private keys in PKCS#11 tokens, as one run of the tool opens them.

import JOSE
import JOSEBytes
import JOSEPKCS11
import Synchronization

/// The tokens of one module: it is loaded when the first key is asked for, and each token is opened once. The PIN is for one
/// of them.
///
/// Tokens stay open until the process ends, and end with it.
final class ExternalKeys: Sendable {
    private static let limit = Lock(Duration.seconds(300))
    /// How long a module or a token may take for anything: it may wait for somebody's finger, or make a large key.
    static var patience: Duration { limit.withLock { $0 } }

    /// What `--wait` says.
    static func waits(_ time: Duration) { limit.withLock { $0 = time } }

    private struct State {
        /// The module, or why there is none: what did not start once is not waited for again.
        var module: Result<PKCS11Module, Rejection>?
        /// By what their URIs say of the token.
        var tokens: [PKCS11URI: PKCS11Token] = [:]
        /// The one with the PIN, once it is open.
        var owner: PKCS11Token?
        /// The opening that the next one waits for.
        var last: Task<Void, Never>?
    }
    private let modulePath: String
    private let pin: (file: PINFile, owner: PKCS11URI)?
    private let sessions: Int
    private let state = Lock(State())

    /// - Parameters:
    ///   - module: The module's path.
    ///   - pin: The path of the file with the PIN, and the token that it is for; nil where nobody logs in.
    ///   - sessions: How many operations a token gets at once, 1 to 64.
    init(module: String, pin: (path: String, owner: PKCS11URI)?, sessions: Int = 8) {
        modulePath = module
        self.pin = pin.map { (PINFile($0.path), $0.owner) }
        self.sessions = sessions
    }

    /// The key that a URI names, with its public part and certificates.
    func key(_ uri: PKCS11URI) async throws -> PKCS11Key {
        let token = try await token(uri)
        do throws(JOSEError) {
            return try await token.key(uri, timeout: ExternalKeys.patience)
        } catch {
            throw Rejection(uri, error, error.code == .keyNotFound ? hint(token) : "")
        }
    }

    /// Why a key may be hidden.
    private func hint(_ token: PKCS11Token) -> String {
        guard let pin else { return "; private keys are seen after a login: --pin-file" }
        let isOwner = state.withLock { $0.owner === token }
        return isOwner ? "" : "; the PIN is for \(pin.owner) alone"
    }

    /// The same key as a private JWK, whose work the token does.
    func held(_ uri: PKCS11URI) async throws -> JWK {
        try await key(uri).jwk(options: ExternalKeys.rule)
    }

    static var rule: ExternalKeyOptions { ExternalKeyOptions(timeout: patience) }

    /// The token that a URI names, open and logged in.
    ///
    /// - Throws: A rejection; a wrong PIN is tried once in all.
    func token(_ uri: PKCS11URI) async throws -> PKCS11Token {
        // One after the other: a second one that names the token in other words must know that the PIN was rejected.
        let task = state.withLock { state in
            let before = state.last
            let task = Task {
                await before?.value
                return try await self.opened(uri)
            }
            state.last = Task { _ = await task.result }
            return task
        }
        return try await task.value
    }

    private func opened(_ uri: PKCS11URI) async throws -> PKCS11Token {
        let name = uri.ofToken
        if let token = state.withLock({ $0.tokens[name] }) { return token }
        let module = try await module()
        let token: PKCS11Token
        if let pin, name == pin.owner {
            token = try await owner(uri, module)
        } else {
            let plain = try await plain(uri, module)
            let isOwner = try await isOwner(plain, module)
            token = isOwner ? try await owner(uri, module) : await known(plain)
        }
        state.withLock { $0.tokens[name] = token }
        return token
    }

    /// A token that nobody logs in to.
    private func plain(_ uri: PKCS11URI, _ module: PKCS11Module) async throws -> PKCS11Token {
        do throws(JOSEError) {
            return try await PKCS11Token.open(
                uri.ofToken, module: module, pin: nil, sessions: sessions,
                timeout: ExternalKeys.patience)
        } catch {
            throw Rejection(uri, error)
        }
    }

    /// The one that is open on the same token by other words, where there is one: each has threads and sessions of its own,
    /// and of words that name one token there are hundreds.
    private func known(_ token: PKCS11Token) async -> PKCS11Token {
        var seen: Set<ObjectIdentifier> = []
        for other in state.withLock({ Array($0.tokens.values) })
        where seen.insert(ObjectIdentifier(other)).inserted {
            let isSame = try? await token.isSame(as: other, timeout: ExternalKeys.patience)
            if isSame == true { return other }
        }
        return token
    }

    /// Whether a token is the one that the PIN is for, by another name; looked at before anybody has the PIN.
    private func isOwner(_ token: PKCS11Token, _ module: PKCS11Module) async throws -> Bool {
        guard let pin else { return false }
        let owner: PKCS11Token
        if let open = state.withLock({ $0.owner }) {
            owner = open
        } else {
            // Where that one is away, this is another.
            guard let seen = try? await plain(pin.owner, module) else { return false }
            owner = seen
        }
        do throws(JOSEError) {
            return try await token.isSame(as: owner, timeout: ExternalKeys.patience)
        } catch {
            throw Rejection(pin.owner, error)
        }
    }

    /// The token that the PIN is for.
    private func owner(_ uri: PKCS11URI, _ module: PKCS11Module) async throws -> PKCS11Token {
        if let owner = state.withLock({ $0.owner }) { return owner }
        guard let pin else { throw Rejection(.internalFailure) }
        let use = PINUse(pin.file)
        do throws(JOSEError) {
            let owner = try await PKCS11Token.open(
                pin.owner, module: module, pin: use.pin, sessions: sessions,
                timeout: ExternalKeys.patience)
            state.withLock { $0.owner = owner }
            return owner
        } catch {
            throw use.rejection(of: error) ?? Rejection(uri, error)
        }
    }

    private func module() async throws -> PKCS11Module {
        if let module = state.withLock({ $0.module }) { return try module.get() }
        // Modules do what they like when a process ends; nothing of ours waits for that.
        Process.endsAtOnce()
        let module: Result<PKCS11Module, Rejection>
        do throws(JOSEError) {
            module = .success(
                try await PKCS11Module.load(path: modulePath, timeout: ExternalKeys.patience))
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
    /// Whether a word names a key in a token, and no file.
    static func isMeant(by word: String) -> Bool { word.begins(with: "pkcs11:") }

    /// The URI of a request or of the command line.
    ///
    /// - Throws: `misuse`, without the text: there may be a PIN in it.
    init(word: String) throws {
        do throws(JOSEError) {
            try self.init(word)
        } catch {
            throw Rejection.misuse(
                error.code == .unsupported
                    ? "a PIN does not belong in a URI: --pin-file names its file" : error.message)
        }
        guard moduleName == nil, modulePath == nil, pinSource == nil else {
            throw Rejection.misuse(
                "what a PKCS#11 URI says of a module or a PIN is not followed: --module and --pin-file name them"
            )
        }
    }
}

extension Rejection {
    /// What the engine says of a key in a token, behind the key's name.
    init(_ uri: PKCS11URI, _ error: JOSEError, _ hint: String = "") {
        self.init(
            error.code, step: error.step.name, message: "\(uri): \(error.message)\(hint)")
    }
}
