// The demo's messages of a profile whose requests are pushed and whose tokens are bound to keys.

import JOSE
import JOSEOpenID

extension Demo {
    /// The request as it goes from server to server, and what of it the browser sees.
    mutating func tellPush(_ push: DemoPush, _ login: DemoLogin) throws {
        let object = push.request.parameters["request"]
        try title(
            object == nil
                ? "Pushed request, server to server, with the client's assertion and a proof"
                : "Pushed request, server to server, in a signed object, with assertion and proof")
        try say("first without a nonce: \(push.challenge.status), \(error(push.challenge))")
        try more("DPoP-Nonce \(short(push.challenge.header("DPoP-Nonce") ?? "", 40))")
        messages.append(("pushed_request", push.request.body.utf8.count))
        try say("POST \(push.request.url), \(push.request.body.utf8.count) bytes")
        if let object {
            try show(object, "request_object", profile.requestObject.layers)
        }
        if let assertion = push.request.parameters["client_assertion"] {
            try say("assertion: \(short(assertion, 48))  \(assertion.utf8.count) bytes")
        }
        try tellProof(push.request)
        try tellParameters(login)
        try say("\(push.answer.status), \(short(push.answer.body, 60))")
        try title("The browser brings the reference, and nothing else")
        try say(short(login.started.url, 84))
        messages.append(("browser_address", login.started.url.utf8.count))
        try accepted("the reference is this client's, and used up by the user's yes")
    }

    /// The answer in the browser.
    mutating func tellAnswer(_ login: DemoLogin) throws {
        messages.append(("answer", login.callback.utf8.count))
        guard profile.signsAnswers else {
            try title("Answer, in the browser's address")
            try say(short(login.callback, 84))
            return try accepted("state as sent, iss is the provider; the code lives 60 s, once")
        }
        try title("Answer, one signed token in the browser's address")
        let token = String(login.callback.drop { $0 != "=" }.dropFirst())
        try show(token, "signed_answer", profile.signedAnswer.layers)
        try accepted("iss, aud, exp, then state as sent; the code lives 60 s, once")
    }

    mutating func tellAccessToken(_ login: DemoLogin) throws {
        try title("Access token, signed, bound to the client's key")
        try show(login.accessToken, "access_token", .signed)
        let access = login.use?.access
        try accepted("token_type DPoP; typ at+jwt, aud \(DemoProfile.resource)")
        try more("scope \(access?.scopes.joined(separator: " ") ?? "")")
        try more("cnf jkt \(access?.binding.keyThumbprint ?? "")")
    }

    /// The call for which all of it was.
    mutating func tellUse(_ use: DemoUse) throws {
        try title("Resource request: GET \(DemoBinding.url)")
        for header in use.headers {
            try say("\(header.name): \(short(header.value, 60))  \(header.value.utf8.count) bytes")
        }
        messages.append(("resource_proof", use.headers[1].value.utf8.count))
        try accepted("\(use.access.clientID) for \(use.access.subject)")
        try more("token, its key, the proof of this request, the scope; the proof is used up")
        guard let introspection = use.introspection else { return }
        try title("Introspection answer, signed, for the resource server")
        try show(introspection.token, "introspection", profile.introspection.layers)
        try accepted("active, scope \(introspection.answer.scopes.joined(separator: " "))")
    }

    /// The proof of a request, where it has one.
    mutating func tellProof(_ request: TokenRequest) throws {
        guard let proof = request.proofs.first else { return }
        try say("DPoP: \(short(proof, 48))  \(proof.utf8.count) bytes")
    }

    private func error(_ answer: HTTPAnswer) -> String {
        (try? TokenError(json: answer.body).code.name) ?? ""
    }
}
