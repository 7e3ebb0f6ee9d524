// Which IP addresses are public.

import Foundation
import Testing

@testable import JOSERemote

@Suite("Address policy")
struct AddressPolicyTests {
    /// The bytes of a textual address, parsed by the system.
    private func bytes(_ text: String) throws -> [UInt8] {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        var v6 = in6_addr()
        try #require(inet_pton(AF_INET6, text, &v6) == 1, "\(text)")
        return withUnsafeBytes(of: v6) { Array($0) }
    }

    static let special4 = [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.0", "127.0.0.1", "168.63.129.16", "127.255.255.255", "169.254.0.0",
        "169.254.169.254",
        "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1",
        "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255",
    ]
    static let public4 = [
        "1.0.0.0", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255",
        "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
        "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8",
    ]

    @Test("IPv4: loopback, private, link-local, multicast and other special addresses are rejected")
    func version4() throws {
        for text in AddressPolicyTests.special4 {
            #expect(try !AddressPolicy.publicAddresses.covers(bytes(text)), "\(text)")
        }
        for text in AddressPolicyTests.public4 {
            #expect(try AddressPolicy.publicAddresses.covers(bytes(text)), "\(text)")
        }
    }

    @Test("IPv6: only globally assigned addresses are accepted, and no tunnel")
    func version6() throws {
        for text in [
            "::", "::1", "::2", "::7f00:1", "::8.8.8.8", "fe80::1", "febf::1", "fec0::1", "fc00::1",
            "fdff:ffff::1", "ff02::1", "ff0e::1", "100::1", "2001::1", "2001:0:7f00:1::",
            "2001:1ff:ffff::", "2001:db8::1", "2001:db8:ffff::", "2002:7f00:1::", "2002:808:808::",
            "3fff::1", "3fff:fff::1", "64:ff9b:1::808:808", "1fff:ffff::", "4000::", "5f00::1",
            "::ffff:0:8.8.8.8",
        ] { #expect(try !AddressPolicy.publicAddresses.covers(bytes(text)), "\(text)") }
        for text in [
            "2000::1", "2001:200::1", "2001:db7:ffff::", "2001:db9::1", "2003::1", "2606:4700::1",
            "2a00:1450::1", "3ffe::1", "3fff:1000::1",
        ] { #expect(try AddressPolicy.publicAddresses.covers(bytes(text)), "\(text)") }
    }

    @Test(
        "an IPv4 address inside an IPv6 address is checked as IPv4",
        arguments: [
            "::ffff:", "64:ff9b::",
        ])
    func carried(_ prefix: String) throws {
        for text in AddressPolicyTests.special4 {
            #expect(try !AddressPolicy.publicAddresses.covers(bytes(prefix + text)), "\(text)")
        }
        for text in AddressPolicyTests.public4 {
            #expect(try AddressPolicy.publicAddresses.covers(bytes(prefix + text)), "\(text)")
        }
    }

    @Test("loopback: 127.0.0.0/8 and ::1, and no other address") func loopback() throws {
        for text in ["127.0.0.1", "127.0.0.0", "127.255.255.255", "::1"] {
            #expect(try AddressPolicy.loopbackAddresses.covers(bytes(text)), "\(text)")
        }
        for text in [
            "126.255.255.255", "128.0.0.0", "0.0.0.0", "10.0.0.1", "169.254.169.254", "8.8.8.8",
            "192.168.0.1", "::", "::2", "::127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1",
            "fe80::1", "1::1", "2606:4700::1",
        ] { #expect(try !AddressPolicy.loopbackAddresses.covers(bytes(text)), "\(text)") }
    }

    @Test("other lengths are invalid, and the open policy accepts any address")
    func lengths() throws {
        for count in 0..<40 where count != 4 && count != 16 {
            #expect(!AddressPolicy.publicAddresses.covers([UInt8](repeating: 8, count: count)))
            #expect(!AddressPolicy.loopbackAddresses.covers([UInt8](repeating: 127, count: count)))
        }
        #expect(try AddressPolicy.anyAddress.covers(bytes("127.0.0.1")))
    }
}
