// Rules for the URIs from which a client's request objects may be fetched.

import JOSE

/// A rule for the `request_uri` of one client.
///
/// The URI must also be `https`, with at most 512 bytes, without user information and fragment. A
/// local host is rejected unless `requestObject.allowsLocalReference`. A public name may still
/// resolve to a local address: the code that fetches the object must check the address.
public enum RequestURIRule: Sendable {
    /// URIs with the scheme, host, port and path segments of this one, and any further segments.
    ///
    /// `https://rp.example/objects` matches `/objects`, `/objects/` and `/objects/1?x=2`. It does
    /// not match `/objects2`, or a path with dot segments, empty segments, `;` or percent-escapes.
    case below(String)
    /// URIs for which the function returns true. It may be called on any thread.
    case matching(@Sendable (_ uri: String) -> Bool)

    func check() throws(JOSEError) {
        guard case .below(let prefix) = self else { return }
        guard URLPrefix(prefix) != nil else {
            throw .misuse("the prefix of a request_uri must be an https URL with a plain path")
        }
    }

    package func allows(_ uri: String) -> Bool {
        switch self {
        case .below(let prefix): URLPrefix(prefix)?.matches(uri) ?? false
        case .matching(let isAllowed): isAllowed(uri)
        }
    }
}

extension ClientRegistration {
    func allows(requestURI uri: String) -> Bool {
        requestURIs.contains { $0.isExactly(uri) }
            || requestURIRules.contains { $0.allows(uri) }
    }
}
