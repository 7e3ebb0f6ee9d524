// The families of algorithm key pairs: sets and certificates with such keys, and where libcrypto
// has ML-DSA, sets of ours and signatures, beside right ones of the same algorithm.

import Foundation
import JOSE

extension Bounded {
    static func keyPairFamilies(_ env: BoundedEnvironment) throws -> [Family] {
        let everywhere = publishedPairFamilies(env) + pairCertificateFamilies(env)
        guard SignatureAlgorithm.mlDSA44.isAvailable else {
            print(
                "not measured, since this libcrypto lacks ML-DSA: signatures, sets of key pairs"
            )
            return everywhere
        }
        return try everywhere + ownPairFamilies() + pairSignatureFamilies()
    }

    private static func sizes(_ limit: Int) -> [Int] { [limit / 16, limit / 4, limit] }

    private static func set(_ keys: String) -> [UInt8] { Array(#"{"keys":[\#(keys)]}"#.utf8) }

    private static func publishedPairFamilies(_ env: BoundedEnvironment) -> [Family] {
        let pub = base64URL([UInt8](repeating: 0x55, count: 1_312))
        let list: [(String, (Int) -> [UInt8])] = [
            (
                "alg in escapes",
                {
                    set(
                        fill($0 - 20) { _ in
                            #"{"kty":"AKP","alg":"\u004d\u004c-DSA-44","kid":"a","pub":"\#(pub)"}"#
                        })
                }
            ),
            (
                "a long alg in escapes",
                {
                    set(
                        #"{"kty":"AKP","pub":"\#(pub)","alg":""#
                            + String(repeating: #"\u004d"#, count: ($0 - 2_000) / 6) + "\"}")
                }
            ),
            (
                "pub in escapes",
                {
                    set(
                        #"{"kty":"AKP","alg":"ML-DSA-44","pub":""#
                            + String(repeating: #"\u0056"#, count: ($0 - 80) / 6) + "\"}")
                }
            ),
            (
                "the pub of a smaller one",
                {
                    set(
                        fill($0 - 20) { _ in
                            #"{"kty":"AKP","alg":"ML-DSA-87","kid":"a","pub":"\#(pub)"}"#
                        })
                }
            ),
            ("no pub", { set(fill($0 - 20) { _ in #"{"kty":"AKP","alg":"ML-DSA-44"}"# }) }),
            ("no alg", { set(fill($0 - 20) { _ in #"{"kty":"AKP","pub":"AAAA"}"# }) }),
        ]
        return list.map { name, text in
            Family(
                name: "key pairs: " + name, sizes: sizes(JOSELimits.standard.keySetBytes),
                hostile: { env.readingSet(text($0)) }, valid: env.validSet)
        }
    }

    private static func pairCertificateFamilies(_ env: BoundedEnvironment) -> [Family] {
        let list: [(String, (Int) -> [UInt8])] = [
            ("a long key", { DER.certificate(key: DER.pairKey(max(1, $0 - 800))) }),
            (
                "many extensions",
                {
                    DER.certificate(
                        extensions: DER.repeated(DER.unknownExtension, max(1, $0 - 2_000)),
                        key: DER.pairKey(1_312))
                }
            ),
            (
                "a long signature",
                { DER.certificate(key: DER.pairKey(1_312), signature: max(1, $0 - 2_000)) }
            ),
        ]
        return list.map { name, certificate in
            Family(
                name: "certificate of a key pair: " + name, sizes: sizes(65_536),
                hostile: { env.readingChain([certificate($0)]) }, valid: env.validChain)
        }
    }

    /// Each private key, valid or not, is generated from its seed.
    private static func ownPairFamilies() throws -> [Family] {
        let right = try JWK.generate(.akp(.mlDSA44)).privateJSON()
        let other = try JWK.generate(.akp(.mlDSA44)).privateJSON()
        func seed(_ json: String) -> String {
            String(
                json.suffix(from: json.range(of: #""priv":""#)?.upperBound ?? json.endIndex).prefix(
                    43))
        }
        let wrong = right.replacingOccurrences(of: seed(right), with: seed(other))
        try require(wrong != right && (try? JWK(json: wrong)) == nil, "a seed of another key")
        func reading(_ key: String, _ size: Int) -> Sample {
            let text = set(fill(size - 20) { _ in key })
            return Sample(bytes: text.count) { _ = try? JWKSet(json: text) }
        }
        return [
            Family(
                name: "own key pairs: seeds of other keys",
                sizes: sizes(JOSELimits.standard.keySetBytes),
                hostile: { reading(wrong, $0) }, valid: { reading(right, $0) })
        ]
    }

    private static func pairSignatureFamilies() throws -> [Family] {
        let env = try PairEnvironment()
        let zeros = String(repeating: "A", count: 3_227)
        let list: [(String, (Int) throws -> String)] = [
            ("a bit of it", { damaged(try env.signed($0), part: 2) }),
            ("zeros", { env.unsigned(try env.signed($0)) + zeros }),
            (
                "much text",
                { size in
                    let token = env.unsigned(try env.signed(4_500))
                    return token + String(repeating: "A", count: (size - token.utf8.count) / 4 * 4)
                }
            ),
        ]
        return list.map { name, token in
            Family(
                name: "ML-DSA signature: " + name, sizes: sizes(JOSELimits.standard.tokenBytes),
                hostile: { env.verifying(Array(try token($0).utf8)) },
                valid: { env.verifying(Array(try env.signed($0).utf8)) })
        } + [
            Family(
                name: "ML-DSA signatures: sixteen wrong ones", sizes: [65_536, 131_072, 262_144],
                hostile: {
                    env.verifyingJSON(try env.signedJSON($0, wrong: true), requiring: .any)
                },
                valid: {
                    env.verifyingJSON(try env.signedJSON($0, wrong: false), requiring: .all)
                })
        ]
    }
}

/// Keys of ML-DSA-44, and tokens of a wanted size.
private final class PairEnvironment {
    private let signer: JWSSigner
    private let verifier: JWSVerifier

    init() throws {
        let key = try JWK.generate(.akp(.mlDSA44))
        var wide = JOSELimits.standard
        wide.tokenBytes = 1 << 24
        signer = try JWSSigner(key: key, algorithm: .mlDSA44, limits: wide)
        verifier = try JWSVerifier(key: key.publicKey, algorithms: [.mlDSA44])
    }

    func signed(_ size: Int) throws -> String {
        try signer.sign(Text.claims(Text.ordinary((size - 3_400) * 3 / 4 - 160)))
    }

    /// Header and payload of a token, each with its dot.
    func unsigned(_ token: String) -> String {
        token.split(separator: ".").prefix(2).joined(separator: ".") + "."
    }

    func signedJSON(_ size: Int, wrong: Bool) throws -> String {
        let signers = try (0..<16).map { _ in try JWSJSONSigner.Signatory(signer: signer) }
        let payload = Text.claims(Text.ordinary((size - 54_000) * 3 / 4 - 160))
        let text = try JWSJSONSigner(signatories: signers).sign(payload, as: .general)
        guard wrong else { return text }
        return text.replacingOccurrences(
            of: #""signature":"[^"]{4}"#, with: #""signature":"AAAA"#, options: .regularExpression)
    }

    func verifying(_ token: [UInt8]) -> Sample {
        Sample(bytes: token.count) { [verifier] in _ = try? verifier.verify(token) }
    }

    func verifyingJSON(_ text: String, requiring wanted: SignatureRequirement) -> Sample {
        Sample(bytes: text.utf8.count) { [verifier] in
            _ = try? verifier.verifyJSON(text, requiring: wanted)
        }
    }
}
