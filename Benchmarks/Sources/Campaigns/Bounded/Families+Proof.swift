// Input of a protected resource: requests, and DPoP proofs by an unknown key and by the right one.

import JOSE
import JOSEOpenID

extension Bounded {
    static func proofFamilies() throws -> [Family] {
        let env = try ProofEnvironment()
        return proofHeaderFamilies(env) + proofAddressFamilies(env)
            + resourceRequestFamilies()
    }

    // ---- headers that nobody signed, up to 8,192 characters, beside a proof that is accepted

    private static func proofHeaderFamilies(_ env: ProofEnvironment) -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            (
                "names alike",
                { size in
                    let name = String(repeating: "a", count: 40)
                    return (0..<size / 48).map { #""\#(name)\#($0)":0"# }.joined(separator: ",")
                }
            ),
            (
                "a name in escapes",
                { #"""# + String(repeating: #"\u0061"#, count: ($0 - 8) / 6) + #"":0"# }
            ),
            ("a long kid", { #""kid":""# + String(repeating: "k", count: $0 - 8) + "\"" }),
            (
                "a key of many members",
                { size in
                    #""jwk":{"# + (0..<size / 12).map { #""x\#($0)":0"# }.joined(separator: ",")
                        + "}"
                }
            ),
            (
                "a key of a large modulus",
                {
                    #""jwk":{"kty":"RSA","e":"AQAB","n":""# + String(repeating: "_", count: $0 - 60)
                        + "\"}"
                }
            ),
            (
                "a key with certificates",
                {
                    #""jwk":{"kty":"EC","crv":"P-256","x5c":[""#
                        + String(repeating: "A", count: ($0 - 60) / 4 * 4) + "\"]}"
                }
            ),
        ]
        return kinds.map { name, members in
            Family(
                name: "proof header: " + name, sizes: [512, 2_048, 8_192],
                hostile: { env.judging(header: members($0 * 3 / 4 - 60)) },
                valid: { _ in try env.accepted() })
        }
    }

    // ---- addresses that the holder of the key signed, up to 2,048 bytes, beside an ordinary one

    private static func proofAddressFamilies(_ env: ProofEnvironment) -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            ("dot segments", { String(repeating: "/a/..", count: $0 / 5) }),
            ("dots in escapes", { String(repeating: "/%2e%2e", count: $0 / 7) }),
            ("escapes", { "/" + String(repeating: "%41", count: $0 / 3) }),
            ("slashes", { String(repeating: "/", count: $0) }),
            ("a query", { "/?" + String(repeating: "a=b&", count: $0 / 4) }),
        ]
        return kinds.map { name, path in
            Family(
                name: "proof address: " + name, sizes: [128, 512, 2_000],
                hostile: { try env.judging(path: path($0 - 30)) },
                valid: { try env.judging(path: "/" + String(repeating: "a", count: $0 - 31)) })
        }
    }

    // ---- requests, beside one with a token of the same size

    private static func resourceRequestFamilies() -> [Family] {
        let kinds: [(String, (Int) -> (url: String, header: String))] = [
            ("spaces behind the scheme", { ("/", "DPoP" + String(repeating: " ", count: $0)) }),
            (
                "a token that ends wrong",
                { ("/", "DPoP " + String(repeating: "a", count: $0) + "!") }
            ),
            ("a query of ampersands", { ("/?" + String(repeating: "&", count: $0), "DPoP a") }),
            (
                "a query of escapes",
                { ("/?" + String(repeating: "%61", count: $0 / 3), "DPoP a") }
            ),
        ]
        return kinds.map { name, request in
            Family(
                name: "resource request: " + name, sizes: [1_024, 4_096, 16_384],
                hostile: { size in
                    let (url, header) = request(size - 60)
                    return reading(url: url, header: header)
                },
                valid: { size in
                    reading(url: "/", header: "DPoP " + String(repeating: "a", count: size - 60))
                })
        }
    }

    private static func reading(url: String, header: String) -> Sample {
        let url = "https://api.example" + url
        return Sample(bytes: url.utf8.count + header.utf8.count) {
            do throws(JOSEError) {
                _ = try ResourceRequest(method: "GET", url: url, authorization: header)
            } catch {}
        }
    }
}

/// A verifier of proofs with a store that reports every use as the first.
private final class ProofEnvironment: Sendable {
    private let prover: DPoPProver
    private let verifier: DPoPVerifier
    private let thread = CallingThread()
    private let now = NumericDate.now

    init() throws {
        prover = try DPoPProver.fresh()
        verifier = try DPoPVerifier(server: "https://api.example", replays: Forgetful())
    }

    func accepted() throws -> Sample { try judging(path: "/a") }

    /// A proof for this path.
    func judging(path: String) throws -> Sample {
        let url = "https://api.example" + path
        let proof = try prover.proof(method: "GET", url: url, accessToken: "t", at: now)
        return judging(proof, url: url)
    }

    /// A header with these members, and the rest of a proof.
    func judging(header members: String) -> Sample {
        let header = #"{"typ":"dpop+jwt","alg":"ES256","# + members + "}"
        let signature = String(repeating: "A", count: 86)
        return judging(
            ProofEnvironment.encoded(header) + ".e30." + signature, url: "https://api.example/")
    }

    private func judging(_ proof: String, url: String) -> Sample {
        Sample(bytes: proof.utf8.count) { [self] in
            _ = try? thread.run { [self] in
                let request = try ResourceRequest(
                    method: "GET", url: url, authorization: "DPoP t", proofs: [proof])
                return try await verifier.verify(
                    request, boundTo: TokenBinding(keyThumbprint: prover.keyThumbprint),
                    owner: "o", at: now)
            }
        }
    }

    private static func encoded(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var out = ""
        var (bits, count) = (0, 0)
        for byte in text.utf8 {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 6 {
                count -= 6
                out.append(alphabet[bits >> count & 63])
            }
            bits &= 255
        }
        if count > 0 { out.append(alphabet[bits << (6 - count) & 63]) }
        return out
    }
}
