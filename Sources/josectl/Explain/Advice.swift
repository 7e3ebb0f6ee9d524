// What a person may do about a rejection whose cause the engine does not find: a table, most particular rows first.

import JOSE

/// A sentence for the one who reads a rejection at night.
struct Advice {
    private let code: JOSEError.Code
    private let step: JOSEError.Step?
    private let claim: String?
    private let text: String

    private init(
        _ code: JOSEError.Code, _ step: JOSEError.Step? = nil, claim: String? = nil,
        say text: String
    ) {
        self.code = code
        self.step = step
        self.claim = claim
        self.text = text
    }

    /// The advice for an error, if there is one.
    static func on(_ error: JOSEError) -> String? {
        rows.first {
            $0.code == error.code && ($0.step == nil || $0.step == error.step)
                && ($0.claim == nil || $0.claim == error.claim)
        }?.text
    }

    private static let rows: [Advice] = [
        Advice(
            .claimRejected, claim: "sub",
            say: """
                The token is about another person than the one expected.
                """),
        Advice(
            .claimRejected, claim: "azp",
            say: """
                The token was issued to another client.
                """),
        Advice(
            .claimRejected, claim: "at_hash",
            say: """
                The access token is not the one that came with this ID Token.
                """),
        Advice(
            .claimRejected, claim: "c_hash",
            say: """
                The code is not the one that came with this ID Token.
                """),
        Advice(
            .claimRejected, claim: "acr",
            say: """
                The user was authenticated with a weaker acr than requested, or with one that the \
                profile does not define: compare --acr with the acr_values that were sent.
                """),
        Advice(
            .claimRejected, claim: "auth_time",
            say: """
                The user was authenticated longer ago than --max-age allows, or the token has no \
                auth_time.
                """),
        Advice(
            .unavailable,
            say: """
                The token was not checked: a service that it needs (a key set behind a URL, a replay \
                store) does not respond. Check the network and that service, and try again later.
                """),
        Advice(
            .keyUnusable,
            say: """
                The key was found and cannot be used for this: check its use, alg, key_ops and size \
                above, and whether it must be private.
                """),
        Advice(
            .decryptionFailed,
            say: """
                The token was not encrypted for this key, or was changed on the way. More is not \
                told on purpose. Check that the sender uses our current encryption key.
                """),
        Advice(.malformed, .key, say: keySet), Advice(.malformed, .keySet, say: keySet),
        Advice(.malformed, .certificate, say: keySet), Advice(.malformed, .keyFile, say: keySet),
        Advice(
            .limitExceeded,
            say: """
                The token is larger than the limit, which --max-bytes raises.
                """),
        Advice(
            .unsupported,
            say: """
                The token needs an extension that is not supported; see crit in the header above.
                """),
        Advice(
            .untrustedKey,
            say: """
                The key's certificates do not lead to the anchors: josectl chain verify says which \
                one fails and why.
                """),
    ]

    private static let keySet = """
        The problem is the key or key set, not the token: `josectl keys lint` shows what is wrong with it.
        """
}
