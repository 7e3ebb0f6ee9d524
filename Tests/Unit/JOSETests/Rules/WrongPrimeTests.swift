// RSA private keys whose primes are not prime: rejected when they are read, or when their first
// signature is wrong.

import JOSE
import Testing

@Suite("RSA private keys with wrong primes")
struct WrongPrimeTests {
    /// p is the product of two primes, and the exponents match p - 1 and q - 1.
    static let composite = [
        #""n":"vlo9p89xvhJehTFQfJolLukOTMDE849Mf5k8toWeRadTimB3qCvVqJR_Q2fT5WOsWoRJ4iESKE-b-xn"#,
        #"WmVkq_cvWxVaILAF00FnQRLlbiHm7oZ0s_53Vk4lVLmAZZQYWEk26YNAAlIQKS9EOBFRrvJdyerx6roSoymk"#,
        #"zRJ5IXykbr6i3mDDzc9ndi40EPXYfYRUTXHC3uYtxR6EqNJslYZ8cVgYYBLyCJCZNyqWBLho_QJU5k4NUEdW"#,
        #"JLWKEo8q9KELavI8RymPM2CW4eDQnz4YCVM5HPY0qebJgqj1b3WUwk2KozGNt8l_Bw-eq1nK8sh_CcV5txHz"#,
        #"HrPu5ehx8ew","e":"AQAB","d":"qeJsCGqxvssyJHlAthP0f4tsQcABhsYrpe2jK9rQyKVvf55c7HBCvbP"#,
        #"aaNQvXxi36AkMz45oYCW8tjv3NOFJ5zyXL4PtAClEkfa2U7-CG6lZdgGK-Y9p38S_iyYlQ-5MoIVSg7jf66x"#,
        #"0a_nmIqMdjDE18KhqbXrkEdIV-XWybYn-KzWzRLBWMwh_z0pgbvcmWGULU1qB9HXNLP1ddQi_btqMP0K07t5"#,
        #"Nxggb50_X7qhW5QnzmqAGEIJzlia5M5urrS3ENOiwVoceqVNGkZ_ApgsNGFU98hK1KOUb5gDaluxDHd2rhzQ"#,
        #"Auo2XetCoNTGg1dj6elzD-kiQweuAhACkwQ","p":"0c7LDWDWY3eUYiyCmGPdgsRE73xsShZPtGMjPwKEXo"#,
        #"9TNQenlTDRmVSp_2Mj6HttGEjbGE6mXFSE2w6VdDZGXtMerzAbo4Xp5GwU_3RIp1hHLMW61QuTeQ5tmy3D55"#,
        #"poDY6eE17IjMGKugP4chfR_kovtiXg0p9BUx_6vM9kF2s","q":"6ELoOnuvtIRg674YeNodSyl4Fqw_wTIR"#,
        #"RE7LKuchdnk-8X8GxcTJMkT-ruOvtsO1sp37Kqi8J_YAXXqthNdGTvCib2mgAe1cx4PpFjPaeY0jvJrf15mt"#,
        #"QnoqiIehzAtJJPhaEDqieCdKDrUEoOnc4ZAZpNRvkFAGwPxC6t05QzE","dp":"z8zvk-qLrKytTKclGeYfa"#,
        #"PsYA9LKNn7upo1iRXAqxrVSBj30n3Fgx2rxjL8Wu5YzsU_HoMWVQ_F6PLSvFhEDlbuosn8FgOqLg_AAxBraM"#,
        #"tTeedvFdmkmwUmnCYFEfUmTMYpFyo2gOLkgu6hfFDG_jQrRQqk1iaauPrR31TXbvs0","dq":"1VRW_xiKGz"#,
        #"EX4I_a5G3aSCYPwit155p4F5iTrZVbu_jDYoc9DjugXQbYMoS46RK7ehL3FoijQcUHMtUyOXiNgIYvfEu1Bv"#,
        #"AgrrSvS5BXFBwZ_er2vI3PgOa62GpTpxmallVyS8O_ZMMZl4aWeMI0-g0kMKxayF9oxKsvP4_wP5E","qi":"#,
        #""wnIkW1OWth5WNHAj75ocqCFVGX1M-AbO_ZvIotBIgwGNLTeoF_CPX8xIbCBN0psmWY8lieIO0uIc8yfOFS0"#,
        #"SC23IcIrK5vfoXrYvAn5ReV95mZDRqMUSlFzjki9YPV9my0IEGeE0Lj5_hRjR_EwVhmxr3H93XP6k3jILLvQ"#,
        #"0GI4""#,
    ].joined()

    /// p = (4^509 - 1) / 3: composite, but 2^(p-1) is 1 modulo p.
    static let pseudoprime = [
        #""n":"jIQj_1ziNcHf0NqEM2SSgEZsJ_J5eTFILFa5azHgtcByU4bwcQ7BlRGIV6zt88TMGhuK1cHBleiPrG5"#,
        #"18GNHVw6wyRbwg1Z-wEARvybD0XkBon6E_S6Lg_5c-eY8NLkrrC0zxOPAVndAErZCK3Z4jDQ7yoCvmrrQDM5"#,
        #"HD69eCfzdoarTch06MrZ0CZ3RhgqZD6CuDExeWJ-U_E_eMn06jhXI7o5m-kVmSJS_by25d6Qjx_U6OkUwhr-"#,
        #"PDS6R2NTm_nhk7onVCvqapjrg-bZMakILCWtfB8mrE2wxG518X7-fXblxupUM2qX9Gh_NDIedm7gKfsP79qd"#,
        #"3GOa-0ygiqw","e":"AQAB","d":"jCZIGS01WlTSvWcVsITBMjwLKBTKX7xttfuR2H7ZF66o2PKf4sPLBLm"#,
        #"F-Zy7gQVqZSfPY8BrKu_YTS2naGo8_3Hhlc_Rd83PgkTk7njlmopMvRvf3P6NnMsZRQ8EQbnm-0XieqCGeDd"#,
        #"cqs0qVltFhOGcOS_89iEZ3YvoiJZq_rYejLyon3qBAxdtwCVQE6OZyazBC3UYaB_ZQv1W-70nLPviNfMRCdE"#,
        #"cTts5GlPPa3CtBXIVaanl_YenLm1ql9Zj8z8GBF0HBlOP7-dc7zpLiRe49fjWRzkKu4_G0ZMa7tqO8ls1Tly"#,
        #"eeSoHq395j1D0OJul2N6zu_hI7E0_adWTkQ","p":"AVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV"#,
        #"VVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV"#,
        #"VVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVU","q":"aWMa_4WpqFFn3KPjJott4DTRHfXbGuT2"#,
        #"IUELEGVoiFBVvqU0VMsRL80mQcGydtOZE5SoIFFRMG5rwVLYdEp1gUsEltE0YoDfEDANT10S3RrBOd7jveLo"#,
        #"ov7Fu2ytJ4rgwSHm06rQQNlwDgixoJjaaScs1-CDtAwcCZq1S8OGh5f_","dp":"1NXV1NTV1dTU1dXU1NXV"#,
        #"1NTV1dTU1dXU1NXV1NTV1dTU1dXU1NXV1NTV1dTU1dXU1NXV1NTV1dTU1dXU1NXV1NTV1dTU1dXU1NXV1NTV"#,
        #"1dTU1dXU1NXV1NTV1dTU1dXU1NXV1NTV1dTU1dXU1NXV1NTV1dTU1dXU1NXV1NTV1Q","dq":"XjnCFdyISH"#,
        #"oghuHxYrEfWGtg3YzIjk9Q0YK6Rbqlr9tEDuTe2UGG6FpgbkKlMiEWqK8tc1fBY7AWoA9WgQNh9GwCemYqlD"#,
        #"ftOSf9fowVJaOaSAfFUC3lGnb4jA8q8kP1mDibjX0YHiNLUQDs8E46WfIw4gNXPk_lcaDloAv96JY5","qi""#,
        #":"aUjVuYLIxXwO6OQEx6PTWjct9Pgq4tCtaP2IVcXLzMZNcBGLWcKR_6HiXk9ciqLGWjsY9kxjDJuoYS2V6W"#,
        #"Cvz-iIPorg9OoAisNXbbV0VrTwf0lYlByQbkG4oZTnId_Z2fm8gHvbsrDQAg8pcNVy3i0lrARs4swo4ZUM99"#,
        #"UBPQ""#,
    ].joined()

    private func text(_ members: String, _ kid: String = "a") -> String {
        #"{"kty":"RSA","kid":"\#(kid)",\#(members)}"#
    }

    @Test("a composite factor makes a private key unusable, as p or as q")
    func composite() throws {
        expectRejection("key-unusable") { _ = try JWK(json: text(Self.composite)) }
        // As q: the same numbers with swapped names. qi differs then, and so does the reason.
        var members = try KeyText.members(text(Self.composite))
        (members["p"], members["q"]) = (members["q"], members["p"])
        (members["dp"], members["dq"]) = (members["dq"], members["dp"])
        let swapped = VectorValue.object(members).json
        expectRejection("key-unusable") { _ = try JWK(json: swapped) }
        // Without its factors: d is not an exponent for n.
        for name in ["p", "q", "dp", "dq", "qi"] { members[name] = nil }
        let bare = VectorValue.object(members).json
        expectRejection("key-unusable") { _ = try JWK(json: bare) }
    }

    /// Entries with `n` and `d` for which no primes are computed.
    private static func entriesWithoutWork() throws -> [String] {
        func number(_ bytes: Int, last: String = "w") -> String {
            "gA" + String(repeating: "A", count: bytes * 4 / 3 - 4) + "A" + last
        }
        let (n, large, huge) = (number(1_023), number(1_026), number(4_098))
        return [
            #"{"kty":"EC","crv":"P-256","d":"AQ","n":"\#(n)","e":"AQAB"}"#,
            #"{"kty":"EC","crv":"P-256","d":"AQ","n":"\#(huge)"}"#,
            #"{"kty":"OKP","crv":"Ed25519","d":"AQ","n":"\#(n)","e":"AQAB"}"#,
            #"{"kty":7,"d":"AQ","n":"\#(n)","e":"AQAB"}"#,
            #"{"d":"AQ","n":"\#(n)","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","n":"\#(large)","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","n":"\#(huge)","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","n":"\#(number(252))","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","n":"\#(number(1_023, last: "A"))","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","n":"\#(n)+","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","n":"AAAA\#(n)","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","n":"\#(n)","e":"Ag"}"#,
            #"{"kty":"RSA","d":"AQ","n":"\#(n)"}"#,
            #"{"kty":"RSA","d":"*","n":"\#(n)","e":"AQAB"}"#,
            #"{"kty":"RSA","d":null,"n":"\#(n)","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","q":"AQ","n":"\#(n)","e":"AQAB"}"#,
            #"{"kty":"RSA","d":"AQ","oth":[],"n":"\#(n)","e":"AQAB"}"#,
        ]
    }

    @Test("a first key of 16,384 bits is checked, a later one is skipped to save time for others")
    func largest() throws {
        let limits = JOSELimits.with { $0.maxRSABits = 16_384 }
        // 2^16383 + 3 and 2^2047 + 3.
        func entry(_ bytes: Int) -> String {
            var number = [UInt8](repeating: 0, count: bytes)
            (number[0], number[bytes - 1]) = (0x80, 3)
            return #"{"kty":"RSA","n":"\#(Independent.base64URL(number))","e":"AQAB","d":"AQ"}"#
        }
        let (large, small) = (entry(2_048), entry(256))
        let inconsistent = "the key's numbers are inconsistent or outside the limits"
        let late = "too many RSA private keys of the set lack p and q: add p, q, dp, dq and qi"
        for (entries, reasons) in [
            ([large, small], [inconsistent, late]), ([large, large], [inconsistent, late]),
            ([small, large, small], [inconsistent, late, inconsistent]),
            ([small, large, large, small], [inconsistent, late, late, inconsistent]),
        ] {
            let set = try JWKSet(json: KeyText.set(entries), limits: limits)
            #expect(set.skipped.map(\.reason) == reasons)
        }
    }

    @Test("an imported key whose signatures do not verify is unusable and returns nothing")
    func signing() throws {
        let key = try JWK(json: text(Self.pseudoprime))
        for acceleration in [KeyAcceleration.automatic, .noKernels, .openSSLOnly] {
            for algorithm in [SignatureAlgorithm.rs256, .ps256, .rs512] {
                let signer = try JWSSigner(
                    key: key.withAcceleration(acceleration), algorithm: algorithm)
                for _ in 0..<2 {
                    let error = expectRejection("key-unusable", "\(algorithm)") {
                        _ = try signer.sign(Array("a".utf8))
                    }
                    #expect(error?.message.utf8.count ?? 0 > 0)
                }
            }
        }
    }

    @Test("a set spends limited time on keys without primes and reports those it skipped")
    func factoring() throws {
        // 2^8191 + 3, and an invalid exponent.
        let n = "gA" + String(repeating: "A", count: 1_362) + "Aw"
        let entry = #"{"kty":"RSA","n":"\#(n)","e":"AQAB","d":"AQ"}"#
        let good = try KeyText.privateKey(#""kid":"good""#)
        let set = try JWKSet(json: KeyText.set(Array(repeating: entry, count: 40) + [good]))
        #expect(set.keys.map(\.keyID) == ["good"])
        let reasons = set.skipped.map(\.reason)
        #expect(reasons.count == 40)
        let late = reasons.filter { $0.utf8.starts(with: "too many RSA private keys".utf8) }
        #expect(late.count == 36)
        #expect(
            Set(reasons.prefix(4)) == ["the key's numbers are inconsistent or outside the limits"])
        // Only computing primes uses the budget.
        for free in try Self.entriesWithoutWork() {
            let before = try JWKSet(
                json: KeyText.set(Array(repeating: free, count: 40) + [entry, good]))
            #expect(before.keys.last?.keyID == "good")
            let last = try need(before.skipped.last { $0.index == 40 })
            #expect(
                last.reason == "the key's numbers are inconsistent or outside the limits", "\(free)"
            )
        }
        // Keys with all members cost little and are all read.
        let many = try JWKSet(json: KeyText.set(Array(repeating: good, count: 300)))
        #expect(many.keys.count == 300)
    }
}
