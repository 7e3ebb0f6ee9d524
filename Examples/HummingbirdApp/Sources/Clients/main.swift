// Sends a few requests by each HTTP client, and prints what came of them.
// usage: Clients curl|async-http-client|url-session URL [CA-FILE]

import AsyncHTTPClient
import JOSEOpenID
import JOSERemote

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, let base = arguments.dropFirst().first else {
    print("usage: Clients curl|async-http-client|url-session URL [CA-FILE]")
    throw CancellationError()
}
let authorities = arguments.dropFirst(2).first

let http = HTTPClient(configuration: .jose(authorities: authorities))
let curl = try CurlTransport(certificateAuthorities: authorities)
let other: (any HTTPExchange)? =
    switch name {
    case "async-http-client": AsyncHTTPTransport(client: http)
    case "url-session": URLSessionTransport()
    default: nil
    }
let transport: any JWKSetTransport = other ?? curl

func send(
    _ url: String, _ headers: [OpenIDParameter], _ body: String?
) async throws -> OpenIDHTTPResponse {
    if let other { return try await other.send(url, headers, body) }
    return try await curl.send(url, headers, body, to: .anyAddress)
}

func report(_ title: String, _ work: () async throws -> String) async {
    let begun = ContinuousClock.now
    let outcome: String
    do { outcome = try await work() } catch { outcome = "throws \(error)" }
    let seconds = Int((ContinuousClock.now - begun) / .seconds(1))
    print("\(title)\t\(seconds)\t\(outcome)")
}

let proof = [OpenIDParameter("DPoP", "a.b.c"), OpenIDParameter("Authorization", "Basic YTpi")]
await report("post") {
    let form = OpenIDParameter("Content-Type", "application/x-www-form-urlencoded")
    let response = try await send(base + "/echo", [form] + proof, "code=a%20b&c=d")
    return "\(response.status) \(response.header("DPoP-Nonce") ?? "-") \(response.body)"
}
await report("get") {
    let response = try await send(base + "/echo", proof, nil)
    return "\(response.status) \(response.header("DPoP-Nonce") ?? "-") \(response.body)"
}
await report("denied") {
    let response = try await send(base + "/denied", proof, nil)
    return "\(response.status) \(response.header("WWW-Authenticate") ?? "-")"
}
await report("redirect") {
    "\(try await send(base + "/redirect", proof, "a=b").status)"
}
await report("bytes") { try await send(base + "/bytes", proof, nil).body }
await report("large") { "\(try await send(base + "/large", proof, nil).status)" }

func fetch(_ path: String, _ policy: AddressPolicy = .anyAddress) async throws -> String {
    let response = try await transport.fetch(
        JWKSetRequest(
            url: base + path, entityTag: "\"one\"", timeLimit: .seconds(1), bodyLimitBytes: 10_000,
            addressPolicy: policy))
    let headers = [response.entityTag, response.cacheControl, response.age].map { $0 ?? "-" }
    return "\(response.status) \(headers) \(String(decoding: response.body, as: UTF8.self))"
}
for path in ["/set", "/redirect", "/silent", "/slow", "/large"] {
    await report("fetch \(path)") { try await fetch(path) }
}
await report("fetch from public addresses") { try await fetch("/set", .publicAddresses) }
try await http.shutdown().get()
