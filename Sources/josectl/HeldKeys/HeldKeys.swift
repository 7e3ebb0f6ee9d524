// Private keys in PKCS#11 tokens, as one run of the tool opens them.

import JOSE
import JOSEBytes
import JOSEPKCS11

/// The tokens of one module: it is loaded when the first key is asked for, and each token is opened once.
///
/// Tokens stay open until the process ends, and end with it.
final class HeldKeys: Sendable {
    /// How long a token may take for anything: it may wait for somebody's finger, or make a large key.
    static let patience = Duration.seconds(300)

    private struct State {
        var module: PKCS11Module?
        /// By what their URIs say of the token.
        var tokens: [PKCS11URI: PKCS11Token] = [:]
        /// The opening that the next one waits for.
        var last: Task<Void, Never>?
    }
    private let modulePath: String
    private let pinFile: PINFile?
    private let sessions: Int
    private let state = Gate(State())

    /// - Parameters:
    ///   - module: The module's path.
    ///   - pinFile: The path of the file with the PIN; nil where nobody logs in.
    ///   - sessions: How many operations a token gets at once, 1 to 64.
    init(module: String, pinFile: String?, sessions: Int = 8) {
        modulePath = module
        self.pinFile = pinFile.map(PINFile.init)
        self.sessions = sessions
    }

    /// The key that a URI names, with its public part and certificates.
    func key(_ uri: PKCS11URI) async throws -> PKCS11Key {
        let token = try await token(uri)
        do throws(JOSEError) {
            return try await token.key(uri, within: HeldKeys.patience)
        } catch {
            let hint =
                error.code == .keyNotFound && pinFile == nil
                ? "; private keys are seen after a login: --pin-file" : ""
            throw Refusal(uri, error, hint)
        }
    }

    /// The same key as a private JWK, whose work the token does.
    func held(_ uri: PKCS11URI) async throws -> JWK {
        try await key(uri).heldKey(rule: HeldKeys.rule)
    }

    static let rule = CustodyRule(answersWithin: patience)

    /// The token that a URI names, open and logged in.
    ///
    /// - Throws: A refusal; a wrong PIN is tried once in all.
    func token(_ uri: PKCS11URI) async throws -> PKCS11Token {
        // One after the other: a second one that names the token in other words must know that the PIN was refused.
        let task = state.change { state in
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
        if let token = state.change({ $0.tokens[name] }) { return token }
        let module = try module()
        let use = pinFile.map(PINUse.init)
        do throws(JOSEError) {
            let token = try await PKCS11Token.open(
                name, module: module, pin: use?.pin, sessions: sessions,
                within: HeldKeys.patience)
            state.change { $0.tokens[name] = token }
            return token
        } catch {
            throw use?.refusal(of: error) ?? Refusal(uri, error)
        }
    }

    private func module() throws -> PKCS11Module {
        if let module = state.change({ $0.module }) { return module }
        // Modules do what they like when a process ends; nothing of ours waits for that.
        Process.endsAtOnce()
        let module = try Refusal.naming(modulePath) { try PKCS11Module(path: modulePath) }
        state.change { $0.module = module }
        return module
    }
}

extension PKCS11URI {
    /// Whether a word names a key in a token, and no file.
    static func isMeant(by word: String) -> Bool { word.hasPrefix("pkcs11:") }

    /// The URI of a request or of the command line.
    ///
    /// - Throws: `misuse`, without the text: there may be a PIN in it.
    init(word: String) throws {
        do throws(JOSEError) {
            try self.init(word)
        } catch {
            throw Refusal.misuse(
                error.code == .unsupported
                    ? "a PIN does not belong in a URI: --pin-file names its file" : error.message)
        }
        guard moduleName == nil, modulePath == nil, pinSource == nil else {
            throw Refusal.misuse(
                "what a PKCS#11 URI says of a module or a PIN is not followed: --module and --pin-file name them"
            )
        }
    }
}

extension Refusal {
    /// What the engine says of a key in a token, behind the key's name.
    init(_ uri: PKCS11URI, _ error: JOSEError, _ hint: String = "") {
        self.init(
            error.code, step: error.step.name, message: "\(uri): \(error.message)\(hint)")
    }
}
