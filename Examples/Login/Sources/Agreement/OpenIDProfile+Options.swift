// What the options change in a profile, so that a provider with other habits needs no other
// program.

internal import JOSE
internal import JOSEOpenID

extension OpenIDProfile {
    /// The rules with what the options say of algorithm, UserInfo, client authentication and HTTP
    /// Basic.
    ///
    /// - Throws: `Disagreement` for a value that there is not.
    func with(_ options: Options) throws -> OpenIDProfile {
        var rules = self
        // With form_post the code is not part of a URL, and so not of logs or of the browser's
        // history. The library requests it where the provider's metadata list it.
        if authorization.responseModes.contains(.formPost),
            authorization.responseModes.contains(.query)
        {
            rules.authorization.defaultResponseMode = .formPost
        }
        if let name = options["algorithm"] { try rules.sign(by: name) }
        if let layers = try options.choice(
            "user-info",
            ["json": nil, "signed": .signed, "nested": .signedThenEncrypted]
                as KeyValuePairs<String, TokenLayers?>)
        {
            rules.userInfo.layers = layers
        }
        if let method = try options.choice(
            "client-authentication",
            ["client_secret_basic": 0, "client_secret_post": 1, "private_key_jwt": 2])
        {
            rules.client.sendsSecretInForm = method == 1
            rules.client.authentication = method == 2 ? rules.assertion : .basic
        }
        if let encodes = try options.choice("basic", ["encoded": true, "unencoded": false]) {
            rules.client.encodesBasic = encodes
        }
        return rules
    }

    /// The profile's own kind of assertion, else a signed one.
    private var assertion: ClientAuthentication {
        client.authentication == .basic ? .assertion(.signed) : client.authentication
    }

    /// One algorithm for all signatures. By HS256 the client secret signs ID Tokens, and nothing
    /// else.
    private mutating func sign(by name: String) throws {
        if name == SignatureAlgorithm.hs256.name {
            idToken.signature = .clientSecretHS256
            return
        }
        guard let algorithm = SignatureAlgorithm(name: name), !algorithm.keyTypes.contains(.oct)
        else {
            throw Disagreement(
                description:
                    "--algorithm \(name): it is a public-key algorithm such as ES256, or HS256")
        }
        algorithms.signature = [algorithm]
    }
}
