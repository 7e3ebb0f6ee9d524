// A small OpenID provider over HTTPS. The environment has `ISSUER`, `PORT`, `TLS_CERTIFICATE`,
// `TLS_KEY`, and of the one client `CLIENT_ID`, `CLIENT_SECRET`, `REDIRECT_URI` and `AUDIENCE`.

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTLS
import JOSE
import JOSEOpenID
import NIOSSL

let environment = ProcessInfo.processInfo.environment
func required(_ name: String) throws -> String {
    guard let value = environment[name], !value.isEmpty else { throw MissingVariable(name: name) }
    return value
}
struct MissingVariable: Error {
    let name: String
}

let issuer = try required("ISSUER")
let endpoints = try Endpoints(
    issuer: issuer,
    client: ClientRegistration(
        clientID: required("CLIENT_ID"), redirectURIs: [required("REDIRECT_URI")],
        secret: ClientSecret(required("CLIENT_SECRET"))),
    audience: required("AUDIENCE"))

let router = Router()
router.get(".well-known/openid-configuration") { _, _ in Response(try endpoints.discovery()) }
router.get("jwks") { _, _ in Response(try endpoints.keySet()) }
router.post("par") { request, _ in
    Response(
        try await endpoints.push(
            form: request.form(), authorization: request.headers[.authorization],
            proofs: request.headers[values: .dpop]))
}
router.get("authorization") { request, _ in
    Response(try await endpoints.authorize(query: request.uri.query ?? ""))
}
router.post("token") { request, _ in
    Response(
        try await endpoints.token(
            form: request.form(), authorization: request.headers[.authorization],
            proofs: request.headers[values: .dpop]))
}
router.get("userinfo") { request, _ in
    Response(
        try await endpoints.userInfo(
            method: "GET", url: issuer + "/userinfo",
            authorization: request.headers[.authorization],
            proofs: request.headers[values: .dpop]))
}

var tls = try TLSConfiguration.makeServerConfiguration(
    certificateChain: NIOSSLCertificate.fromPEMFile(required("TLS_CERTIFICATE"))
        .map { .certificate($0) },
    privateKey: .privateKey(NIOSSLPrivateKey(file: required("TLS_KEY"), format: .pem)))
tls.minimumTLSVersion = .tlsv12  // the default is 1.0

let application = Application(
    router: router,
    server: try .tls(
        .http1(
            configuration: .init(
                idleTimeout: .seconds(15),  // also for the headers of a request
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 32_768, maxHeaderListSize: 49_152,
                    maxHeaderFieldCount: 100))),
        tlsConfiguration: tls),
    configuration: .init(
        address: .hostname("127.0.0.1", port: environment["PORT"].flatMap(Int.init) ?? 8443)))
try await application.runService()
