// Untrusted input of a relying party from browsers and providers: authorization responses and JSON
// documents.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    static let callback = FuzzTarget("callback") { bytes in
        let query = String(decoding: bytes, as: UTF8.self)
        let response = try bounded(bytes) {
            try session.response(query, in: .query, requiresIssuer: true)
        }
        guard let response else { return }
        // The same text with a simple independent parser.
        var found: [String: [String]] = [:]
        for (name, value) in plainForm(query) { found[name, default: []].append(value) }
        if case .unauthenticatedError(let error) = response {
            try hold((found["state"] ?? [""]) == [""], "an error with a state")
            try hold(found["error"] == [error.code.name], "an error that is not there")
            try hold((found["code"] ?? [""]) == [""], "a code beside an error")
            try hold(!error.isAuthenticated, "an error that passes for an authenticated one")
            try hold(isReadable(error.description), "a description that is not escaped")
            try hold(isReadable(error.uri), "a page that is not escaped")
            return
        }
        try hold(found["state"] == ["a-state"], "another state")
        try hold(found["iss"] == ["https://idp.example/v2"], "another issuer")
        switch response {
        case .code(let code):
            try hold(found["code"] == [code] && !code.isEmpty, "another code")
            try hold((found["error"] ?? [""]) == [""], "a code beside an error")
        case .error(let error):
            try hold(found["error"]?.count == 1, "an error that is not there")
            try hold(error.isAuthenticated, "an error that passes for an unauthenticated one")
            try hold(isReadable(error.description), "a description that is not escaped")
        case .unauthenticatedError: break
        }
    }

    static let discovery = FuzzTarget("discovery") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let issuer = "https://idp.example/v2"
        let read = try bounded(bytes) {
            try ProviderMetadata(json: text, issuer: issuer, profile: .openID)
        }
        if let read {
            try hold(
                Array(read.members["issuer"]?.string?.utf8 ?? "".utf8) == Array(issuer.utf8),
                "another issuer")
            for address in [
                read.tokenEndpoint, read.jwksURI, read.userInfoEndpoint ?? "https://x",
            ] {
                try hold(address.hasPrefix("https://"), "an address without https")
            }
            let again = try ProviderMetadata(json: read.json(), issuer: issuer, profile: .openID)
            try hold(again.members == read.members, "the document changed on its way")
            try hold(again.ignored.isEmpty, "an endpoint that cannot be used stayed")
            for (name, value) in read.members {
                try hold(value != .null, "a member that is null stayed")
                guard name.hasSuffix("_endpoint") else { continue }
                try hold(value.string?.hasPrefix("https://") == true, "an endpoint without https")
            }
        }
        let resource = "https://api.example/mcp"
        if let read = try accepted({
            try ResourceServer.Metadata(json: text, resource: resource)
        }) {
            try hold(
                Array(read.members["resource"]?.string?.utf8 ?? "".utf8) == Array(resource.utf8),
                "another resource")
            for issuer in read.authorizationServers {
                try hold(issuer.hasPrefix("https://"), "an issuer without https")
            }
            let again = try ResourceServer.Metadata(json: read.json(), resource: resource)
            try hold(
                again.members == read.members && again.ignored.isEmpty,
                "the metadata changed on their way")
        }
        if let response = try accepted({ try TokenResponse(json: text) }) {
            try hold(!response.accessToken.isEmpty && !response.idToken.isEmpty, "an empty token")
            let again = try TokenResponse(json: response.json())
            try hold(again.accessToken == response.accessToken, "the answer changed on its way")
        }
        if let response = try accepted({ try AccessTokenResponse(json: text) }) {
            let again = try AccessTokenResponse(json: response.response().body)
            try hold(
                again.accessToken == response.accessToken && again.idToken == response.idToken
                    && again.refreshToken == response.refreshToken
                    && again.expiresIn == response.expiresIn,
                "the answer changed on its way")
        }
        if let failure = try accepted({ try TokenError(json: text) }) {
            try hold(isReadable(failure.description), "a description that is not escaped")
            try hold(isReadable(failure.uri), "a page that is not escaped")
            let again = try TokenError(json: failure.json())
            try hold(try again.json() == failure.json(), "the error changed on its way")
        }
    }

    private static let session: AuthorizationSession = {
        do {
            return try Peers.session(
                clientID: "client-1", redirectURI: "https://rp.example/callback", mode: "query")
        } catch {
            preconditionFailure("a request that was remembered: \(error)")
        }
    }()
}

/// Whether an error text is suitable for a log: visible ASCII and spaces, within the limit.
func isReadable(_ text: String?) -> Bool {
    guard let text else { return true }
    return !text.isEmpty && text.utf8.count <= 2_048
        && text.utf8.allSatisfy { 0x20...0x7e ~= $0 }
}
