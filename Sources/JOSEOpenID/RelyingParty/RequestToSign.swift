// A request to an endpoint of the provider whose tokens are not signed yet.

import JOSE
import JOSEBytes

/// A form and headers with tokens that are still to be signed: client assertion, request object
/// and DPoP proof.
struct RequestToSign: Sendable {
    /// Where the value of a token goes: the index of a parameter or of a header.
    private enum Destination {
        case parameter(Int)
        case header(Int)
    }

    let url: String
    var form: OpenIDParameters
    var headers: [OpenIDParameter] = []
    /// The tokens in the order in which they are signed.
    private var tokens: [(destination: Destination, token: UnsignedToken)] = []

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

    /// Appends a DPoP proof of this request if there is a prover.
    mutating func append(
        _ prover: DPoPProver?, _ nonce: DPoPNonce?, _ now: NumericDate?
    ) throws(JOSEError) {
        guard let prover else { return }
        let proof = try prover.unsigned("POST", url, accessToken: nil, nonce: nonce, at: now)
        tokens.append((.header(headers.count), proof))
        headers.append(OpenIDParameter("DPoP", ""))
    }

    /// Signs the tokens, with keys that may be external, and returns the request.
    nonisolated(nonsending) func signed(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> TokenRequest {
        var (parameters, headers) = (form.all, headers)
        for (destination, token) in tokens {
            let text = try await token.signed(before: end)
            switch destination {
            case .parameter(let index):
                parameters[index] = OpenIDParameter(parameters[index].name, text)
            case .header(let index): headers[index] = OpenIDParameter(headers[index].name, text)
            }
        }
        return TokenRequest(
            url: url, headers: headers, parameters: OpenIDParameters(parameters))
    }
}
