// Advice for rejections whose cause the library cannot determine.

import JOSE

enum Advice {
    static func on(_ error: JOSEError) -> String? {
        switch (error.code, error.claim) {
        case (.claimRejected, let claim): claim.flatMap { claims[$0] }
        case (.unavailable, _):
            "The token was not checked, because a service (a key set URL, a replay store) does not "
                + "respond. Check the network and the service, then try again."
        case (.keyUnusable, _):
            "The key was found but cannot be used for this. Check its use, alg, key_ops and size "
                + "above, and whether it must be private."
        case (.decryptionFailed, _):
            "The token was encrypted for another key, or was modified. Decryption errors give no "
                + "details on purpose. Check that the sender uses the current encryption key."
        case (.malformed, _) where keySteps.contains(error.step):
            "The key or key set is wrong, not the token: `josectl keys lint` shows the defects."
        case (.limitExceeded, _):
            error.setting == .tokenBytes
                ? "The token is larger than the limit: see --max-bytes."
                : "A part of the token exceeds a limit: the message above names it."
        case (.unsupported, _) where error.step == .header:
            "The token requires an unsupported extension: see crit in the header above."
        case (.untrustedKey, _):
            "The key's certificates do not lead to the trust anchors: `josectl chain verify` shows "
                + "which one fails and why."
        default: nil
        }
    }

    private static let keySteps: [JOSEError.Step] = [.key, .keySet, .certificate, .keyFile]

    private static let claims = [
        "sub": "The token is about another user than expected.",
        "azp": "The token was issued to another client.",
        "at_hash": "The access token is not the one that was issued with this ID Token.",
        "c_hash": "The code is not the one that was issued with this ID Token.",
        "acr": "The user was authenticated with a weaker acr than requested, or with one that the "
            + "profile does not define. Compare --acr with the acr_values of the request.",
        "auth_time": "The user was authenticated longer ago than --max-age allows, or the token "
            + "has no auth_time.",
    ]
}
