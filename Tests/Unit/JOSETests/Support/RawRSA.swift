// The raw private operation of an RSA key with libcrypto's big numbers: signs any block.

import Foundation
import JOSE
import Testing

struct RawRSA {
    private typealias Number = OpaquePointer
    private typealias Modular =
        @convention(c) (Number?, Number?, Number?, Number?, Number?) -> Int32

    private let read: @convention(c) (UnsafePointer<UInt8>, Int32, Number?) -> Number?
    private let write: @convention(c) (Number?, UnsafeMutablePointer<UInt8>, Int32) -> Int32
    private let make: @convention(c) () -> Number?
    private let free: @convention(c) (Number?) -> Void
    private let power, times, minus: Modular
    private let product: @convention(c) (Number?, Number?, Number?, Number?) -> Int32
    private let sum: @convention(c) (Number?, Number?, Number?) -> Int32
    private let context: Number?
    /// p, q, dp, dq, qi. They are never freed.
    private let parts: [Number?]

    init(_ key: JWK) throws {
        func function<F>(_ name: String, as type: F.Type) throws -> F {
            unsafeBitCast(try need(dlsym(dlopen(nil, RTLD_NOW), name)), to: type)
        }
        read = try function(
            "BN_bin2bn",
            as: (@convention(c) (UnsafePointer<UInt8>, Int32, Number?) -> Number?).self)
        write = try function(
            "BN_bn2binpad",
            as: (@convention(c) (Number?, UnsafeMutablePointer<UInt8>, Int32) -> Int32).self)
        make = try function("BN_new", as: (@convention(c) () -> Number?).self)
        free = try function("BN_free", as: (@convention(c) (Number?) -> Void).self)
        power = try function("BN_mod_exp", as: Modular.self)
        times = try function("BN_mod_mul", as: Modular.self)
        minus = try function("BN_mod_sub", as: Modular.self)
        product = try function(
            "BN_mul", as: (@convention(c) (Number?, Number?, Number?, Number?) -> Int32).self)
        sum = try function(
            "BN_add", as: (@convention(c) (Number?, Number?, Number?) -> Int32).self)
        context = try function("BN_CTX_new", as: (@convention(c) () -> Number?).self)()
        let members = try JSONSerialization.jsonObject(with: Data(key.privateJSON().utf8))
        let object = try #require(members as? [String: Any])
        let read = read
        parts = try ["p", "q", "dp", "dq", "qi"].map { name in
            let bytes = try Independent.base64URL(#require(object[name] as? String))
            return read(bytes, Int32(bytes.count), nil)
        }
    }

    /// The signature of a block below the modulus (RFC 8017 section 5.2.1, with the primes).
    func sign(_ block: [UInt8]) -> [UInt8] {
        let (p, q) = (parts[0], parts[1])
        let (number, atP, atQ) = (read(block, Int32(block.count), nil), make(), make())
        defer { for each in [number, atP, atQ] { free(each) } }
        var out = [UInt8](repeating: 0, count: block.count)
        let done =
            power(atP, number, parts[2], p, context) == 1
            && power(atQ, number, parts[3], q, context) == 1
            && minus(atP, atP, atQ, p, context) == 1
            && times(atP, atP, parts[4], p, context) == 1
            && product(atP, atP, q, context) == 1
            && sum(atP, atP, atQ) == 1
            && write(atP, &out, Int32(out.count)) == Int32(out.count)
        #expect(done)
        return out
    }
}
