// One recipient of a JWE of the JSON serialisations, and what is made for it.

import JOSEBytes
import JOSECrypto

/// A recipient's key and algorithm, prepared, with what stands beside its encrypted key.
public struct JWERecipient: Sendable {
    let key: JWK
    let operation: KeyManagementOperation
    let algorithm: KeyManagementAlgorithm
    let form: RecipientForm
    let options: RecipientOptions
    private let chosen: ChosenParameters
    let keyID: String?
    let header: [String: JSONValue]
    private let validatedChain: ValidatedChain?
    /// The header of a recipient among several: `alg`, `kid`, parameters.
    private let template: HeaderTemplate

    /// A recipient.
    ///
    /// - Parameters:
    ///   - key: The recipient's public key, or the shared symmetric key; its `kid` is written to the header.
    ///   - algorithm: The key management algorithm.
    ///   - header: Members for this recipient that nothing protects.
    ///   - options: What some algorithms take besides: `apu`, `apv`, iterations.
    ///   - limits: The bounds on iterations.
    /// - Throws: `keyUnusable` if the key says that it is for something else, `misuse` for a private key, a
    ///   registered header member or iterations outside the limits.
    public init(
        key: JWK, algorithm: KeyManagementAlgorithm, header: [String: JSONValue] = [:],
        options: RecipientOptions = RecipientOptions(), limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard !key.isPrivate || key.keyType == .oct else {
            throw .misuse("the recipient's key is private: encrypt to its publicKey")
        }
        let match = key.match(.encrypting(algorithm))
        guard match == .matches else { throw match.error(.encrypting(algorithm), key.names) }
        guard options.passwordIterations >= limits.minIterations,
            options.passwordIterations <= limits.maxIterations
        else {
            throw .misuse(
                "passwordIterations is {}; {} to {} are accepted (JOSELimits.minIterations, maxIterations)",
                .number(options.passwordIterations), .number(limits.minIterations),
                .number(limits.maxIterations))
        }
        operation = try key.prepared.keyManagement(algorithm, wrapping: true)
        form = RecipientForm(algorithm, key.prepared)
        keyID = key.keyID
        validatedChain = key.validatedChain
        self.key = key
        self.algorithm = algorithm
        self.header = header
        self.options = options
        chosen = ChosenParameters(options)
        var json = try HeaderParameters().json(algorithm: algorithm.word, keyID: key.keyID)
        if !header.isEmpty {
            let own = try UnprotectedHeader.text(header, others: [])
            json = json.dropLast() + [UInt8(ascii: ",")] + own.dropFirst()
        }
        template = HeaderTemplate(json: json, form, options)
    }

    /// Of a password's derivation; 0 for every other algorithm.
    var iterations: Int {
        guard form.iterations != nil else { return 0 }
        return Int(UInt32(clamping: options.passwordIterations))
    }

    func checkCertificates() throws(JOSEError) {
        if let validatedChain { try validatedChain.check(at: .now) }
    }

    /// Room for what wrapping gives.
    func room(_ content: ContentAlgorithm) -> WrappedKey {
        WrappedKey(
            encryptedKey: [UInt8](repeating: 0, count: operation.encryptedKeyBytes(for: content)),
            parameters: [UInt8](repeating: 0, count: operation.parameterBytes))
    }

    /// Draws the key of a message, or agrees on it.
    func begin(
        _ content: ContentAlgorithm, _ wrapped: inout WrappedKey
    ) throws(JOSEError) -> ContentKey {
        let parties = chosen.parties
        var (encryptedKey, parameters) = (wrapped.encryptedKey, wrapped.parameters)
        var keySpan = encryptedKey.mutableSpan
        var parameterSpan = parameters.mutableSpan
        do throws(CryptoError) {
            let key = try operation.begin(
                content, chosen.parameters, in: parties.span, encryptedKey: &keySpan,
                parameters: &parameterSpan)
            wrapped = WrappedKey(encryptedKey: encryptedKey, parameters: parameters)
            return key
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// Wraps the key of a message for this recipient too.
    func wrap(
        _ key: borrowing ContentKey, _ wrapped: inout WrappedKey
    ) throws(JOSEError) {
        let parties = chosen.parties
        var (encryptedKey, parameters) = (wrapped.encryptedKey, wrapped.parameters)
        var keySpan = encryptedKey.mutableSpan
        var parameterSpan = parameters.mutableSpan
        do throws(CryptoError) {
            try key.wrapAgain(
                for: operation, chosen.parameters, in: parties.span, encryptedKey: &keySpan,
                parameters: &parameterSpan)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
        wrapped = WrappedKey(encryptedKey: encryptedKey, parameters: parameters)
    }

    /// The members of a recipient; one that is alone has its algorithm and parameters in the protected header.
    func write(_ wrapped: WrappedKey, isAlone: Bool, to writer: inout JSONWriter) {
        if !isAlone {
            let text = template.text(wrapped.parameters)
            writer.name("header")
            writer.raw(text.span)
        } else if !header.isEmpty, let text = try? UnprotectedHeader.text(header, others: []) {
            writer.name("header")
            writer.raw(text.span)
        }
        guard !wrapped.encryptedKey.isEmpty else { return }
        writer.name("encrypted_key")
        writer.string(base64URL: wrapped.encryptedKey.span)
    }
}

/// What wrapping a key for one recipient gives.
struct WrappedKey {
    var encryptedKey: [UInt8]
    /// For the header: an ephemeral key, an IV and a tag, or a salt.
    var parameters: [UInt8]
}

extension HeaderTemplate {
    /// The JSON text with these parameters.
    func text(_ parameters: [UInt8]) -> [UInt8] {
        [UInt8](byteCapacity: count) { append(parameters.span, to: &$0) }
    }

    /// The base64url text of that.
    func encoded(_ parameters: [UInt8]) -> [UInt8] {
        let text = text(parameters)
        return Base64URL.encode(text.span)
    }
}

extension JWERecipient: RedactedDescription {
    package var shownAs: String { "JWE recipient" }
}
