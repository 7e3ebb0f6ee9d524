// A request to the provider. Its tokens (assertion, request object, proof) are not signed yet.

import JOSE
import JOSEBytes

/// A form and headers, with empty values for the tokens that are still to be signed.
struct RequestToSign: Sendable {
    /// The index of the parameter or header that gets the token.
    private enum Destination {
        case parameter(Int)
        case header(Int)
    }

    let url: String
    var form: OpenIDParameters
    var headers: [OpenIDParameter] = []
    /// In the order in which they are signed.
    private var tokens: [(destination: Destination, token: UnsignedToken)] = []

    init(url: String, form: OpenIDParameters, headers: [OpenIDParameter] = []) {
        self.url = url
        self.form = form
        self.headers = headers
    }

    mutating func append(_ name: String, _ token: UnsignedToken) {
        tokens.append((.parameter(form.all.count), token))
        form.append(name, "")
    }

    /// Appends a DPoP proof if there is a prover.
    mutating func append(
        _ prover: DPoPProver?, _ nonce: DPoPNonce?, _ now: NumericDate?
    ) throws(JOSEError) {
        guard let prover else { return }
        let proof = try prover.unsigned("POST", url, accessToken: nil, nonce: nonce, at: now)
        tokens.append((.header(headers.count), proof))
        headers.append(OpenIDParameter("DPoP", ""))
    }

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
