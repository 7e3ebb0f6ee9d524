// The settings of AsyncHTTPClient that AsyncHTTPTransport.swift needs. Copy this file.

import AsyncHTTPClient
import NIOSSL

extension HTTPClient.Configuration {
    /// TLS 1.2 or newer, no redirects. `authorities` is a file of CAs instead of the system's.
    static func jose(authorities: String? = nil) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorities { tls.trustRoots = .file(authorities) }
        return .init(tlsConfiguration: tls, redirectConfiguration: .disallow)
    }
}
