// What a request_uri must look like, for the one who sends it and the one who fetches it.

import JOSE

extension RequestObjectRules {
    /// Throws unless the text is an https address that is not local, but where the rules allow that, with the port 443 where
    /// they want it.
    func checkReference(_ text: String) throws(ProfileViolation) {
        guard allowsReference else {
            throw ProfileViolation("the provider does not support request_uri", .requestURINotSupported)
        }
        guard text.utf8.count <= 512, let address = WebURL(text) else {
            throw ProfileViolation("request_uri must be an https address", .invalidRequestURI)
        }
        guard allowsLocalReference || !address.isLocal else {
            throw ProfileViolation(
                "request_uri must be reachable, not a local address", .invalidRequestURI)
        }
        guard !requiresRequestURIPort443 || address.port == 443 else {
            throw ProfileViolation("request_uri must write the port 443", .invalidRequestURI)
        }
    }
}
