import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("Callgrind profiles")
struct CallgrindTests {
    private static let profile = """
        version: 1
        desc: Trigger: Client Request: orders/read
        ob=(1) /tmp/x/orders-benchmark
        fl=(1) a.swift
        fn=(1) read
        10 100
        +2 60
        cob=(2) /lib/libcrypto.so.3
        cfn=(2) EVP_PKEY_verify
        calls=4 0
        12 900000
        cob=(3) /lib/libc.so.6
        cfn=(3) __memcpy_avx_unaligned
        calls=4 0
        13 40
        fn=(4) malloc
        20 4000
        ob=(2)
        fn=(2)
        30 800000
        ob=(1)
        fn=(1)
        * 200
        """

    @Test("own instructions and requested copies are counted, without malloc's counters")
    func ours() throws {
        let read = try #require(readProfile(Self.profile, program: "/orders-benchmark"))
        #expect(read.label == "orders/read")
        #expect(read.instructions == (100 + 60 + 40 + 200) / 4)
        #expect(readProfile(Self.profile, program: "/other")?.instructions == 0)
    }

    @Test("an invalid profile has no label") func none() {
        for text in [
            "", "fn=(1", "ob=", "calls=\n1", "1 99999999999999999999", "desc: Trigger: other",
        ] {
            #expect(readProfile(text, program: "/x") == nil)
        }
    }
}
