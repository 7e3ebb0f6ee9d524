// The families of encrypted tokens, key sets and certificates.

import Foundation
import JOSE

extension Bounded {
    private static func sizes(_ limit: Int) -> [Int] { [limit / 16, limit / 4, limit] }

    static func encryptionFamilies(_ env: BoundedEnvironment) -> [Family] {
        let limit = JOSELimits.standard.tokenBytes
        let headers = [Shape.members, .depth, .ones, .escapedNames, .digits].map { shape in
            Family(
                name: "JWE header: " + shape.rawValue,
                sizes: sizes(JOSELimits.standard.headerBytes),
                hostile: { size in
                    let header = Text.header(
                        #""alg":"RSA-OAEP","enc":"A128GCM""#, shape.members(size * 3 / 4 - 60))
                    return env.decrypting(
                        Array(
                            (base64URL(header)
                                + ".AAAA.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA").utf8))
                }, valid: env.validEncrypted)
        }
        let recipient = #"{"encrypted_key":"AAAA","header":{"alg":"RSA-OAEP"}}"#
        let other: [(String, (Int) throws -> Sample)] = [
            (
                "JWE: a wrong tag",
                { size in
                    env.decrypting(Array(damaged(try env.encrypted(size), part: 4).utf8))
                }
            ),
            (
                "JWE: a wrong encrypted key",
                { size in
                    env.decrypting(Array(damaged(try env.encrypted(size), part: 1).utf8))
                }
            ),
            (
                "JWE: a long encrypted key",
                { size in
                    let header = base64URL(Text.header(#""alg":"RSA-OAEP","enc":"A128GCM""#, ""))
                    return env.decrypting(
                        Array(
                            (header + "." + String(repeating: "A", count: (size - 200) / 4 * 4)
                                + ".AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA").utf8))
                }
            ),
            (
                "JWE JSON: many recipients",
                { size in
                    let text =
                        #"{"protected":"eyJlbmMiOiJBMTI4R0NNIn0","iv":"AAAAAAAAAAAAAAAA","ciphertext":"AAAA","tag":"AAAAAAAAAAAAAAAAAAAAAA","recipients":["#
                    return env.decryptingJSON(
                        Array((text + fill(size - 200) { _ in recipient } + "]}").utf8))
                }
            ),
            (
                "JWE JSON: aad of much text",
                { size in
                    let text =
                        #"{"protected":"eyJlbmMiOiJBMTI4R0NNIn0","iv":"AAAAAAAAAAAAAAAA","ciphertext":"AAAA","tag":"AAAAAAAAAAAAAAAAAAAAAA","recipients":["#
                        + recipient
                    return env.decryptingJSON(
                        Array(
                            (text + #"],"aad":""#
                                + String(repeating: "A", count: (size - 300) / 4 * 4) + #""}"#).utf8
                        ))
                }
            ),
        ]
        return headers
            + other.map { name, sample in
                Family(
                    name: name, sizes: sizes(limit), hostile: sample, valid: env.validEncrypted)
            }
    }

    static func keySetFamilies(_ env: BoundedEnvironment) -> [Family] {
        let limit = JOSELimits.standard.keySetBytes
        func set(_ keys: String) -> [UInt8] { Array(#"{"keys":[\#(keys)]}"#.utf8) }
        let shapes: [(String, (Int) -> [UInt8])] = Shape.allCases.map { shape in
            (
                "key set: " + shape.rawValue,
                { Array(#"{"keys":[{"kty":"RSA"}],\#(shape.members($0 - 40))}"#.utf8) }
            )
        }
        let n = base64URL([0x80] + [UInt8](repeating: 0x55, count: 255))
        let pub = base64URL([UInt8](repeating: 0x55, count: 1_312))
        let more: [(String, (Int) -> [UInt8])] = [
            ("key set: unknown keys", { set(fill($0 - 20) { _ in #"{"kty":"X"}"# }) }),
            ("key set: one kid for all", { set(fill($0 - 20) { _ in #"{"kty":"X","kid":"a"}"# }) }),
            (
                "key set: one RSA key, many times",
                { set(fill($0 - 20) { _ in #"{"kty":"RSA","kid":"a","n":"\#(n)","e":"AQAB"}"# }) }
            ),
            ("key set: no objects", { set(fill($0 - 20) { _ in "1" }) }),
            (
                "key set: key_ops of many",
                { set(#"{"kty":"RSA","key_ops":["# + fill($0 - 60) { #""o\#($0)""# } + "]}") }
            ),
            (
                "key set: a long n",
                {
                    set(
                        #"{"kty":"RSA","e":"AQAB","n":""#
                            + String(repeating: "V", count: ($0 - 80) / 4 * 4) + "\"}")
                }
            ),
            (
                "key set: a long pub",
                {
                    set(
                        #"{"kty":"AKP","alg":"ML-DSA-44","pub":""#
                            + String(repeating: "V", count: ($0 - 80) / 4 * 4) + "\"}")
                }
            ),
            (
                "key set: one key pair, many times",
                {
                    set(
                        fill($0 - 20) { _ in
                            #"{"kty":"AKP","alg":"ML-DSA-44","kid":"a","pub":"\#(pub)"}"#
                        })
                }
            ),
            (
                "key set: x5c of many",
                {
                    set(
                        #"{"kty":"RSA","e":"AQAB","n":"\#(n)","x5c":["#
                            + fill(max(0, $0 - 600)) { _ in #""MIIB""# } + "]}")
                }
            ),
            (
                "key set: x5c of much base64",
                {
                    set(
                        #"{"kty":"RSA","e":"AQAB","n":"\#(n)","x5c":[""#
                            + String(repeating: "MIIB", count: max(0, $0 - 600) / 4) + "\"]}")
                }
            ),
        ]
        return (shapes + more).map { name, text in
            Family(
                name: name, sizes: sizes(limit), hostile: { env.readingSet(text($0)) },
                valid: env.validSet)
        }
    }

    /// Certificates of 64 KB and less: beyond the size of any that is used, below that of a key
    /// set.
    static func chainFamilies(_ env: BoundedEnvironment) -> [Family] {
        let list: [(String, (Int) -> [UInt8])] = [
            (
                "certificate: many names",
                { DER.certificate(names: DER.repeated(DER.name, $0 - 400)) }
            ),
            (
                "certificate: one name of many parts",
                { DER.certificate(names: DER.tagged(0x31, DER.repeated(DER.attribute, $0 - 400))) }
            ),
            (
                "certificate: many extensions",
                { DER.certificate(extensions: DER.repeated(DER.unknownExtension, $0 - 400)) }
            ),
            (
                "certificate: many alternative names",
                {
                    DER.certificate(
                        extensions: DER.alternativeNames(DER.repeated(DER.host, $0 - 400)))
                }
            ),
            ("certificate: nesting", { DER.nested($0) }),
            ("certificate: zeros", { [UInt8](repeating: 0, count: $0) }),
        ]
        return list.map { name, certificate in
            Family(
                name: name, sizes: sizes(65_536),
                hostile: { env.readingChain([certificate($0)]) },
                valid: env.validChain)
        }
    }

    static func beyond() throws -> [Beyond] {
        let env = try BoundedEnvironment()
        let limits = JOSELimits.standard
        func letters(_ count: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(ascii: "A"), count: count)
        }
        let header = letters(limits.headerBytes + 4)
        return [
            Beyond(
                name: "a JWS too large", sample: env.verifying(letters(limits.tokenBytes + 1))),
            Beyond(
                name: "a JWS's header too large",
                sample: env.verifying(header + Array(".e30.AAAA".utf8))),
            Beyond(
                name: "a JWE too large", sample: env.decrypting(letters(limits.tokenBytes + 1))),
            Beyond(
                name: "a JWE's header too large",
                sample: env.decrypting(header + Array(".AA.AA.AA.AA".utf8))),
            Beyond(
                name: "a JWS in JSON too large",
                sample: env.verifyingJSON(letters(limits.tokenBytes + 1))),
            Beyond(
                name: "a JWE in JSON too large",
                sample: env.decryptingJSON(letters(limits.tokenBytes + 1))),
            Beyond(
                name: "a key set too large",
                sample: env.readingSet(letters(limits.keySetBytes + 1))),
        ]
    }
}
