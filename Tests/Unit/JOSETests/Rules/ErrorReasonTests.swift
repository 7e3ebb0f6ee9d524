// The text of an error: a constant sentence with numbers and constants inserted.

import Testing

@testable import JOSE

@Suite("Reasons of errors")
struct ErrorReasonTests {
    typealias Reason = JOSEError.Reason

    @Test("values replace the placeholders in order") func values() {
        #expect(Reason("no value").description == "no value")
        #expect(Reason("{} bits", 2_028).description == "2,028 bits")
        #expect(Reason("{} of {}", "apu", 7).description == "apu of 7")
        #expect(Reason("{}, {}, {}", "a", .number(-1), "c").description == "a, -1, c")
        #expect(Reason("{}{}", 1, 2).description == "12")
        #expect(Reason("ends with {}", "alg").description == "ends with alg")
    }

    @Test("placeholders without a value are empty, values without placeholders are not shown")
    func mismatch() {
        #expect(Reason("{} and {}", 1).description == "1 and ")
        #expect(Reason("one {}", 1, 2, 3).description == "one 1")
        #expect(Reason("none", 1).description == "none")
        // Without values the text is unchanged.
        #expect(Reason("a {} b").description == "a {} b")
        #expect(Reason("a } b {}", 1).description == "a } b 1")
    }

    @Test("numbers have thousands separators")
    func groups() {
        for (number, text) in [
            (0, "0"), (9, "9"), (999, "999"), (1_000, "1,000"), (262_144, "262,144"),
            (1_234_567, "1,234,567"), (-1, "-1"), (-999, "-999"), (-1_000, "-1,000"),
            (Int.max, "9,223,372,036,854,775,807"), (Int.min, "-9,223,372,036,854,775,808"),
        ] {
            #expect(Reason("{}", .number(number)).description == text)
        }
    }

    @Test("reasons are equal if their text is equal") func equality() {
        #expect(Reason("{} bits", 1) == Reason("1 {}", "bits"))
        #expect(Reason("{} bits", 1) == "1 bits")
        #expect(Reason("{} bits", 1) != Reason("{} bits", 2))
        #expect(Reason("{} bits", 1) != Reason("{} bits", "one"))
        #expect(Reason("K", .none) != "\u{212a}")
    }

    @Test("the values of an error are in its message, its description and its mirror")
    func errors() {
        let error = JOSEError.malformed(.header, "{} has {} bytes; {} are wanted", "iv", 11, 12)
        #expect(error.message == "iv has 11 bytes; 12 are wanted")
        #expect(error.description == "malformed at header: iv has 11 bytes; 12 are wanted")
        #expect(
            Mirror(reflecting: error).children.contains {
                $0.label == "reason" && $0.value as? String == error.message
            })
        #expect(error == .malformed(.header, "{} has 11 bytes; 12 are wanted", "iv"))
        #expect(error != .malformed(.header, "{} has {} bytes; {} are wanted", "iv", 11, 13))
        let claim = JOSEError.claimRejected("exp", "the leeway is {} s", 60)
        #expect(claim.message == "claim exp: the leeway is 60 s")
    }

    @Test("an error with three values takes at most seven words and a byte")
    func size() {
        #expect(MemoryLayout<JOSEError>.size <= 7 * 8 + 1)
        let error = JOSEError.misuse("{} {} {}", .name("a name"), .number(.min), .name(""))
        #expect(error.message == "a name -9,223,372,036,854,775,808 ")
        #expect(JOSEError.misuse("{}|{}|{}", .none, .number(0), "é").message == "|0|é")
    }

    @Test("the same reason under another code keeps the claim and the values") func of() {
        let claim = JOSEError.claimRejected("exp", "over by {}", 3)
        let other = JOSEError(.malformed, .message, of: claim)
        #expect(other.code == .malformed && other.step == .message && other.claim == "exp")
        #expect(other.message == "claim exp: over by 3")
    }

    @Test("an error keeps the setting and the input, and equality ignores the setting")
    func settings() {
        let plain = JOSEError.malformed(.token, "{} parts", 4)
        #expect(plain.setting == nil && plain.input == nil)
        for setting in JOSEError.Setting.allCases {
            let error = plain.withSetting(setting)
            #expect(error.setting == setting && error == plain)
            #expect(error.code == .malformed && error.step == .token)
            let both = error.of(JOSEError.Input(.anchor, 65_535).block(65_533))
            #expect(both.setting == setting && both.input?.index == 65_535)
            #expect(both.input?.block == 65_533 && both.input?.name == "anchor")
            #expect(both.withSetting(nil).setting == setting)
            #expect(error.with(step: .proof).setting == setting)
        }
    }
}
