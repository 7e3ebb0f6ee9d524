import Testing

@_spi(Bench) @testable import JOSEBenchmark

@Suite("Baseline files")
struct BaselineFileTests {
    @Test("a written file is read back") func again() throws {
        var made = BaselineFile(
            .allocations, facts: ["libcrypto": "3.0.19", "cpu-level": "portable"])
        made.entries = ["orders/read": [4, 36], "orders/half": [0.5, 0]]
        try withFile([]) { path in
            try made.write(to: path)
            let read = try BaselineFile(.allocations, path: path)
            #expect(read.entries == made.entries)
            #expect(read.facts["libcrypto"] == "3.0.19")
            #expect(try readText(path).contains("orders/read\t4\t36\n"))
        }
    }

    @Test("an update keeps a waiver, which is read as a ratio") func waivers() throws {
        try withFile("# waived orders/read: 1.7\norders/read\t4\t36\n".utf8) { path in
            let old = try BaselineFile(.allocations, path: path)
            #expect(old.waived("orders/read") == 1.7)
            #expect(old.waived("orders/receipt") == nil)
            var new = BaselineFile(.allocations, facts: [:])
            new.keepWaivers(of: old)
            #expect(new.waived("orders/read") == 1.7)
        }
    }

    @Test("Windows line ends are accepted") func carriageReturns() throws {
        let text = "# toolchain: swift-6.3\r\n# waived a: 1.7\r\na\t4\r\nb\t36\r\n"
        try withFile(text.utf8) { path in
            let read = try BaselineFile(.instructions, path: path)
            #expect(read.facts["toolchain"] == "swift-6.3")
            #expect(read.waived("a") == 1.7)
            #expect(read.entries == ["a": [4], "b": [36]])
        }
    }

    @Test("a waiver has any name and a number") func namedWaivers() throws {
        try withFile("# waived https://a/b: 1.7\n".utf8) { path in
            let read = try BaselineFile(.allocations, path: path)
            #expect(read.waived("https://a/b") == 1.7)
        }
        for wrong in ["inf", "nan", "1,7", "-1", "0", "1.7 until May", ""] {
            try withFile("# waived a: \(wrong)\n".utf8) { path in
                let why = failure { _ = try BaselineFile(.allocations, path: path) }
                #expect(why?.hasPrefix(path) == true, "\(wrong)")
            }
        }
    }

    @Test("a fractional average keeps its digits") func averages() throws {
        var made = BaselineFile(.allocations, facts: [:])
        made.entries = ["a": [4.0 + 33.0 / 64, 1.0 / 3]]
        try withFile([]) { path in
            try made.write(to: path)
            let read = try BaselineFile(.allocations, path: path)
            let (new, old) = (try #require(made.entries["a"]), try #require(read.entries["a"]))
            #expect(!allocationsMoved(new[0], old[0]) && !allocationsMoved(new[1], old[1]))
            #expect(allocationsMoved(5, old[0]) && allocationsMoved(4.53, old[0]))
        }
    }

    @Test(
        "a broken file is rejected with its name",
        arguments: [
            "orders/read", "orders/read\t4", "orders/read\t4\t36\t1", "orders/read\tfour\t36",
            "\t4\t36", "orders/read\t-4\t36", "orders/read\tnan\t36", "orders/read\tinf\t36",
            "orders/read\t4\t36\norders/read\t4\t36", "orders/read 4 36", "<<<<<<< HEAD",
        ])
    func broken(_ text: String) throws {
        try withFile(text.utf8) { path in
            let why = failure { _ = try BaselineFile(.allocations, path: path) }
            #expect(why?.hasPrefix(path) == true)
        }
    }

    @Test("a missing file and one that is not UTF-8 are reported with their path") func absent()
        throws
    {
        #expect(
            failure { _ = try BaselineFile(.allocations, path: "/nowhere/b.tsv") }
                == "/nowhere/b.tsv: no such file")
        try withFile([0xff, 0xfe, 0x00]) { path in
            #expect(
                failure { _ = try BaselineFile(.allocations, path: path) }
                    == "\(path): cannot be read as UTF-8")
        }
    }

    @Test("changed entries are named, and those missing on one side") func moved() {
        var (then, now) = (
            BaselineFile(.instructions, facts: [:]), BaselineFile(.instructions, facts: [:])
        )
        then.entries = ["a": [1], "b": [2], "gone": [3]]
        now.entries = ["a": [1], "b": [5], "new": [3]]
        func complaints(partly: Bool) -> [String] {
            compare(now, with: then, partly: partly) { $0 == $1 ? nil : "\($1[0]) -> \($0[0])" }
        }
        #expect(
            complaints(partly: false) == [
                "b: 2.0 -> 5.0", "new: not in the baseline",
                "gone: in the baseline, but not measured",
            ])
        #expect(complaints(partly: true).count == 2)
    }

    @Test("instruction counts have a file next to the baseline file") func beside() {
        #expect(instructionsPath(beside: "/a/b.tsv") == "/a/b-instructions.tsv")
        #expect(instructionsPath(beside: "/a/b") == "/a/b-instructions")
    }
}
