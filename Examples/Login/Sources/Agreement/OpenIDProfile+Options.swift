// Applies command-line options to a profile.

internal import JOSE
internal import JOSEOpenID

extension OpenIDProfile {
    /// Returns the profile with the options for algorithm, UserInfo, client authentication and HTTP
    /// Basic.
    ///
    /// - Throws: `Disagreement` for an unknown value.
    func with(_ options: Options) throws -> OpenIDProfile {
        var rules = self
        // With form_post the code is not in a URL, so not in logs or the browser's history. The
        // library uses it if the provider's metadata list it.
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

    /// The profile's assertion, otherwise a signed one.
    private var assertion: ClientAuthentication {
        client.authentication == .basic ? .assertion(.signed) : client.authentication
    }

    /// Sets one algorithm for all signatures. With HS256 the client secret signs only ID Tokens.
    private mutating func sign(by name: String) throws {
        if name == SignatureAlgorithm.hs256.name {
            idToken.signature = .clientSecretHS256
            return
        }
        guard let algorithm = SignatureAlgorithm(name: name), !algorithm.keyTypes.contains(.oct)
        else {
            throw Disagreement(
                description:
                    "--algorithm \(name): use a public-key algorithm such as ES256, or HS256")
        }
        algorithms.signature = [algorithm]
    }
}
