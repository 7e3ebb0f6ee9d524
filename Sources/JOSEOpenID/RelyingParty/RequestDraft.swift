// A request to an endpoint of the provider before its tokens are signed.

import JOSE
import JOSEBytes

/// A form with headers, in which client assertion, request object and proof are still to be signed.
struct RequestDraft: Sendable {
    /// Where a token belongs: the index among the parameters or the headers.
    private enum Place {
        case parameter(Int)
        case header(Int)
    }

    let url: String
    var form: OpenIDParameters
    var headers: [OpenIDParameter] = []
    /// In the order of their signatures.
    private var tokens: [(place: Place, token: UnsignedToken)] = []

    init(url: String, form: OpenIDParameters, headers: [OpenIDParameter] = []) {
        self.url = url
        self.form = form
        self.headers = headers
    }

    /// Appends a parameter whose value is a token.
    mutating func append(_ name: String, _ token: UnsignedToken) {
        tokens.append((.parameter(form.all.count), token))
        form.append(name, "")
    }

    /// Appends a header whose value is a token.
    mutating func append(header name: String, _ token: UnsignedToken) {
        tokens.append((.header(headers.count), token))
        headers.append(OpenIDParameter(name, ""))
    }

    /// The request, signed by keys that may be external.
    nonisolated(nonsending) func signed(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> TokenRequest {
        var signed: [String] = []
        for entry in tokens { signed.append(try await entry.token.signed(before: end)) }
        var (parameters, headers) = (form.all, headers)
        for (entry, text) in zip(tokens, signed) {
            switch entry.place {
            case .parameter(let index):
                parameters[index] = OpenIDParameter(parameters[index].name, text)
            case .header(let index): headers[index] = OpenIDParameter(headers[index].name, text)
            }
        }
        return TokenRequest(
            url: url, headers: headers, parameters: OpenIDParameters(parameters))
    }
}
