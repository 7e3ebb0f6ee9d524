// RSASSA-PSS: the length of the salt and the hash of MGF1 are fixed (RFC 7518 section 3.5).

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct SaltTests {
    /// Signatures of `pinned` with SHA-256 and the key of RFC 7515 A.2, created by another
    /// implementation.
    static let signatures: [(name: String, signature: String)] = [
        (
            "good",
            """
            LouGGvwrViRBjowWYmgOMm3nLNBr-Q1B95mmr_uUGHU5N6FAck6Y1ovHMWYfg33XhvleSG3owTO7s3Vdnz36\
            dLvN7MjMQQS7LHyp9ihyOOUr_33zmDh1iF9Ulpk9NYZ2aiASiEhYljyQlWEuhjNvBNBFBU0RqRGEpTzX8ut5\
            Nz68S_QUaZdch5o9cj3W9vDlH9qXRNzuTBiwjn7Hv0NIG-3Wy9m8U2zHCtLgJxCOE1E1sfFPx-9n3XYpGz2f\
            7n9qASCc50AnJj_6YxA0C7PQsFO0QyFOiOqjGNf64u0nsIIf5A_xXlpGn-3KWBjq-KjycJrPlgEegR3tLvVs\
            PhhNnQ
            """
        ),
        (
            "salt of 0",
            """
            LAMIlWlFOlHhX6dQ_xq9vgNaJ1ihYQtRszWeWfTmzHYRFcEZFE5OUPpEpPwmwayE-FYFsjA2zx04TsYlWm9A\
            GbV6rj8pEf5fU0JXtIUuEiOc5EVToqMvHoUtemQFW6lx0GvlZuZlyx0ucL-bFD6DXjClIBeXhjEWIv6HytYC\
            tZlbKr2VLRr4KJWFpfU94g5B7Ua_FS-wYFCZsLHoutk5rnTTwyE4NruMrsiJjMizWGtl1i8u6CeDWuv1T60a\
            QgW8XWgX7NFm4Mhnpq8hpDweA0TZcgOW3HRYddDYUVHgC-qmmk4UG-ehXgA5-y539tMmuhoe_8ZpZIvbobpE\
            zgOw2Q
            """
        ),
        (
            "salt of 20",
            """
            TJ2DP0E2aXXikWH2Ys4c5w17-xcZEGmXbW0VQ6IbQ_aDJNE5fvZ9hhSQsfiTBgezCoxNqq_ANLGeqlqEq4je\
            o-xj4ToJ_nI_bhhJKZ7JBGsyWilu35-JWdJAC7m1pPPQgEMPuFqA4MGkXNJYl39825RkcnTEyqOlWV6T9TJm\
            EXTaPoW2LeXrueg4Me8qhU7tsY9eyNtgRdKAYPPpSqkxFZ8xkAzje7bcrFusLr9-3_9omkSlzMxiKNmE0qX7\
            jjD-47as8OdmL8SUoYe0d3DS7GLmGVNmJDaxBpAv0bUwH36F5YWWeX9kAhZNhYSJIEOZSxTJZeUFQZBDqXsg\
            lsarog
            """
        ),
        (
            "salt of 31",
            """
            GQq25cDZbV2KM7lvoNWoyGwPgMnsVviFSjF5pzwFJ98KCs7lkLk33bbytPNhDju-9EmykXUnldlEzDG4-UEa\
            v76VJTWN3q3sX_2sSAfxsjhb0MuxxuASQjhcGmPb5yAT_CAOTxxRHJBStA99PRzFXNxTNmKnMYCFVsypOLuN\
            DIsOI053uGBzuJIpWcN6KkC6cMIee0QZjeeHEivMFPGq3J3AIJDaz4dDy6JwUY2JROzc1FeYTkExXttbOai1\
            nN0INoLH-7XljQBcaH7p4ptVklDEl-i2o9bbSNPcdeTcRQEZZyS2gHNkfpaq55Ar_TheYDGa5tS1ounglYrk\
            It6xYA
            """
        ),
        (
            "salt of 33",
            """
            PSwt6U2TUU6hxA0IfbdqjzaMe7KqdaBUPN3eGz391Q3pKwhciQqTL88kST3OnCtVHZ1lauwzJU9DzGECHIJK\
            ntabQk_-IZCqbj4w-A_NDuBVCIPzv7ugUm0qFT_gPmasr-uFUyA3Xjx0HtAFwR0xONQDmtXnUNBuZOPzb_yp\
            vrl4tl2ajSH4HgWsipBG3yaZfJhIvuOBBWEq2pAZCOkcyhTYPyqY7CX4QHKm768hdlhHqe4tSJDgFFh0xmyp\
            Ak_KOaGnTwVlVOs3YE9kqpu61OlMMN0ArcviICs-9WdydW50gLg7lZUCUxr-5I3g01UIOCPhfnEwCLUKB9xh\
            9pvmXA
            """
        ),
        (
            "salt of 222",
            """
            EefeifP_oM5bVFhO8EndZ64ZWeymRX9df-krEDG88xDU8qFuet7Oe197SKObjj9Ap5_R-LHHC9tYlAqY7Y36\
            j7nkOIsQAD7PjKhkjAB1ArDeZ6W_7G8Ufquk82TnCLXZpq-JdiJSli-YBAYKbX4zBBP6_IUoVzh6gwL4daoD\
            r9vlg3wuQBEyoBjcO33eqIL1c_mxTIpBqF5IW5JKV4tczTK5Y95kbLg3F7TE8ieKUKTZZUc2qi-766yMr9mq\
            ydAowV_sNRRbqrJRYdHcHdHmAFjexMPBQgl8BxwWEqikOWFQUrjrFDTqVo93aFjHRbJS7bxhbMQnFz97vgFB\
            yrsUGg
            """
        ),
        (
            "MGF1 with SHA-1",
            """
            WndR00VPkf_Bji65RCVL5hJAAj10pBkAQN0kMJnYr5xYwkDHHnLwkEGCp3eu0-VvMKJexv2S7aUmPLiwCmg6\
            GWz2ng6xzhSXyf98CBn4ic13Il8hLFglutUx4jzy8DIpshZ1nETzMoHb3j3CYS9Jl_CkW9NEw_01jgiCQn6m\
            oMmSGWX7YDux4Xkp6CSITItTYxCXulw_pMipb-s5bdwbl8UY1a6rkzRUJp-ApdhesW76WePJngtcIRRt1hkl\
            oRqXrskJM4r2rQ7qjIiL5qH42TEavYZHVt4D9Y6X_vs0Qwkc7lpIKqMfYQIG3ORdjD_kckWeKA5DIWoYPsJf\
            dIEneA
            """
        ),
        (
            "MGF1 with SHA-384",
            """
            l4eLjYZ4-ZgHOaTfP_MVjbCiqnzNtSKtb_cou1Pq5MM0Mth5naVV-8KELVCDc4jkur9_QFGZRmGU8QFlEKmV\
            rbCjGUQ0XOu__PORyIKAX_EQ6rNNji5lLZpGZ_T8ujg2VcUAT8pPtUXYApV6GEGHAWc7hgFeN6cXbYJKAFuj\
            uZg7JSLaX5O000J3iQ4loaz3d2JJAcY-MPOhXr3CE_nacpVA9cfrHOV1L0Gc1koZ4FGNKR6H0IfWGjHWUYsI\
            nfYYjomTNgUj8Aheqz3D4VEi39gcxl9u5dLoXpia3eq5eTgxcIwS7zcQkJGr3KMv22XvGonQ-Z3k23sKp00h\
            HaQmnQ
            """
        ),
    ]

    @Test(
        "only a salt of 32 bytes and MGF1 with SHA-256 are accepted",
        arguments: [OperationOptions(), .openSSLOnly, .noKernels])
    func pinned(_ options: OperationOptions) throws {
        let verifier = try SignatureOperation(
            key: .published(), family: .rsaPSS, hash: .sha256, signing: false, options: options)
        for (name, text) in Self.signatures {
            let signature = try base64URL(text)
            #expect(
                try verifier.accepts(Array("pinned".utf8), signature) == (name == "good"), "\(name)"
            )
        }
    }

    @Test("signatures have a salt of the digest's size: EMSA-PSS decoded independently")
    func ours() throws {
        for (hash, saltBytes) in [(HashAlgorithm.sha256, 32), (.sha384, 48), (.sha512, 64)] {
            let key = try NativeKey.published()
            let signer = try SignatureOperation(
                key: key, family: .rsaPSS, hash: hash, signing: true)
            var salts = Set<[UInt8]>()
            for _ in 0..<4 {
                let signature = try signer.sign([1, 2, 3])
                salts.insert(try salt(of: signature, key, hash, saltBytes))
            }
            #expect(salts.count == 4, "each signature has a salt of its own")
        }
    }

    @Test("handmade blocks: every path accepts the valid one and rejects each invalid one")
    func forged() throws {
        let key = try NativeKey.published()
        let verifiers = try [OperationOptions(), .noKernels, .openSSLOnly].map {
            try SignatureOperation(
                key: key, family: .rsaPSS, hash: .sha256, signing: false, options: $0)
        }
        typealias Edit = ([UInt8]) -> [UInt8]
        typealias Change = (name: String, isRight: Bool, data: Edit, block: Edit)
        func changing(_ place: Int, _ mask: UInt8) -> ([UInt8]) -> [UInt8] {
            { bytes in
                var changed = bytes
                changed[place < 0 ? bytes.count + place : place] ^= mask
                return changed
            }
        }
        let same: ([UInt8]) -> [UInt8] = { $0 }
        var changes: [Change] = [
            ("nothing", true, same, same), ("another trailer", false, same, changing(-1, 0x01)),
            ("trailer of ISO 9796", false, same, changing(-1, 0xbc ^ 0xcc)),
            ("no separator", false, changing(190, 0x01), same),
            ("another separator", false, changing(190, 0x03), same),
            ("another salt than the hash's", false, changing(222, 0x01), same),
            ("another hash", false, same, changing(230, 0x01)),
        ]
        for place in [0, 1, 50, 189] {
            changes.append(("padding \(place)", false, changing(place, 0x01), same))
        }
        for change in changes {
            let block = try block(change.data, change.block)
            let d = try key.secret(.d)
            let signature = try power(block, d, key.publicModulus())
            for verifier in verifiers {
                #expect(
                    try verifier.accepts([1, 2, 3], signature) == change.isRight, "\(change.name)")
            }
        }
    }

    /// An encoded block of 2048 bits. The changes affect the data before its mask, and the whole
    /// block.
    private func block(
        _ changeData: ([UInt8]) -> [UInt8], _ changeBlock: ([UInt8]) -> [UInt8],
        salt: UInt8 = 7
    ) throws -> [UInt8] {
        let salt = [UInt8](repeating: salt, count: 32)
        let digest = try Hash.digest(.sha256, [1, 2, 3])
        let seed = try Hash.digest(.sha256, [UInt8](repeating: 0, count: 8) + digest + salt)
        let data = changeData([UInt8](repeating: 0, count: 190) + [1] + salt)
        var mask: [UInt8] = []
        for counter in 0..<UInt8(12) {
            mask += try Hash.digest(.sha256, seed + [0, 0, 0, counter])
        }
        var masked = zip(data, mask).map { $0 ^ $1 }
        masked[0] &= 0x7f
        return changeBlock(masked + seed + [0xbc])
    }

    @Test("the top bit of the block is zero")
    func topBit() throws {
        let key = try NativeKey.published()
        let n = key.publicModulus()
        let blocks = try (UInt8(0)..<64).map { salt in
            try block({ $0 }, { [$0[0] | 0x80] + $0.dropFirst() }, salt: salt)
        }
        // Still below n, so that only the encoding rule rejects it.
        let high = try #require(blocks.first { $0.lexicographicallyPrecedes(n) })
        let signature = try power(high, key.secret(.d), key.publicModulus())
        for options in [OperationOptions(), .noKernels, .openSSLOnly] {
            let verifier = try SignatureOperation(
                key: key, family: .rsaPSS, hash: .sha256, signing: false, options: options)
            #expect(try !verifier.accepts([1, 2, 3], signature))
        }
    }

    /// The salt inside a signature. The expectation fails if the block has another structure (RFC
    /// 8017 section 9.1).
    private func salt(
        of signature: [UInt8], _ key: NativeKey, _ hash: HashAlgorithm, _ saltBytes: Int
    ) throws -> [UInt8] {
        let block = try power(signature, key.publicExponent(), key.publicModulus())
        #expect(block.last == 0xbc)
        let size = block.count - hash.digestBytes - 1
        let seed = Array(block[size..<(size + hash.digestBytes)])
        var mask: [UInt8] = []
        for counter in 0..<UInt8(12) { mask += try Hash.digest(hash, seed + [0, 0, 0, counter]) }
        var data = zip(block[..<size], mask).map { $0 ^ $1 }
        data[0] &= 0x7f
        let start = size - saltBytes
        #expect(data[..<(start - 1)].allSatisfy { $0 == 0 })
        #expect(data[start - 1] == 1)
        let salt = Array(data[start...])
        let digest = try Hash.digest(hash, [1, 2, 3])
        #expect(try Hash.digest(hash, [UInt8](repeating: 0, count: 8) + digest + salt) == seed)
        return salt
    }

    /// base to the power of exponent modulo an odd modulus, with libcrypto's big numbers.
    private func power(
        _ base: [UInt8], _ exponent: [UInt8], _ modulus: [UInt8]
    ) throws -> [UInt8] {
        typealias Number = OpaquePointer
        typealias Read =
            @convention(c) (UnsafePointer<UInt8>, Int32, Number?) -> Number?
        typealias Power =
            @convention(c) (Number?, Number?, Number?, Number?, Number?) -> Int32
        typealias Write =
            @convention(c) (Number?, UnsafeMutablePointer<UInt8>, Int32) -> Int32
        let read = try cFunction("BN_bin2bn", as: Read.self)
        let make = try cFunction("BN_new", as: (@convention(c) () -> Number?).self)
        let scratch = try cFunction("BN_CTX_new", as: (@convention(c) () -> Number?).self)
        let free = try cFunction("BN_free", as: (@convention(c) (Number?) -> Void).self)
        let freeScratch = try cFunction("BN_CTX_free", as: (@convention(c) (Number?) -> Void).self)
        let raise = try cFunction("BN_mod_exp", as: Power.self)
        let write = try cFunction("BN_bn2binpad", as: Write.self)
        let operands: [[UInt8]] = [base, exponent, modulus]
        let numbers = operands.map { read($0, Int32($0.count), nil) }
        let (result, context) = (make(), scratch())
        defer {
            for number in numbers + [result] { free(number) }
            freeScratch(context)
        }
        #expect(raise(result, numbers[0], numbers[1], numbers[2], context) == 1)
        var out = [UInt8](repeating: 0, count: modulus.count)
        #expect(write(result, &out, Int32(out.count)) == Int32(out.count))
        return out
    }
}
