// Checks a request_uri, for relying parties and providers.

import JOSE

extension RequestObjectRules {
    /// Throws unless the text is an https URL with a port and host that the rules allow.
    func checkReference(_ text: String) throws(ProfileViolation) {
        guard allowsReference else {
            throw ProfileViolation(
                "the provider does not support request_uri", .requestURINotSupported)
        }
        guard text.utf8.count <= 512, let url = WebURL(text) else {
            throw ProfileViolation(
                "request_uri must be an https URL of at most 512 bytes", .invalidRequestURI)
        }
        guard allowsLocalReference || !url.hasAddressOrLocalName else {
            throw ProfileViolation(
                "request_uri must have a public host, not a local one", .invalidRequestURI)
        }
        guard !requiresRequestURIPort443 || url.port == 443 else {
            throw ProfileViolation("request_uri must contain the port :443", .invalidRequestURI)
        }
    }
}
