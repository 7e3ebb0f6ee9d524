// From which addresses a client's request objects may be fetched, besides those that it registered one by one.

import JOSE

/// A rule for the `request_uri` of one client.
///
/// Whatever a rule says, the address is `https`, has no user information and fragment and at most 512 characters, and is
/// not local by its text. A name may still lead to a local address: the fetch looks at that.
public enum RequestURIRule: Sendable {
    /// Addresses with the same scheme, host and port whose path begins with the same whole segments: below
    /// `https://rp.example/objects` stand `/objects`, `/objects/` and `/objects/1?x=2`, but not `/objects2` and no path with
    /// dot segments, empty segments, `;` or percent-escapes.
    case below(String)
    /// Addresses that the program admits; asked on any thread.
    case admitted(@Sendable (_ address: String) -> Bool)

    func check() throws(JOSEError) {
        guard case .below(let prefix) = self else { return }
        guard AddressPrefix(prefix) != nil else {
            throw .misuse("the beginning of a request_uri is no https address with a plain path")
        }
    }

    package func admits(_ address: String) -> Bool {
        switch self {
        case .below(let prefix): AddressPrefix(prefix)?.admits(address) ?? false
        case .admitted(let isAdmitted): isAdmitted(address)
        }
    }
}

extension ClientRegistration {
    /// Whether a request object of this client may be fetched from there.
    func admits(requestURI address: String) -> Bool {
        requestURIs.contains { $0.isExactly(address) }
            || requestURIRules.contains { $0.admits(address) }
    }
}
