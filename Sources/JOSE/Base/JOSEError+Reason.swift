// The text of an error: a constant sentence and the values that it names.

extension JOSEError {
    /// A sentence part with up to three values, which replace its `{}` in order.
    ///
    /// A literal is a reason without values. A value is a number (a size, count, position or limit) or a constant (the name of
    /// an algorithm, member, parameter or option), so that a reason cannot hold input or a secret. Making one allocates
    /// nothing; the text is built when it is asked for.
    package struct Reason: Sendable {
        package let text: StaticString
        private let first: Value
        private let second: Value
        private let third: Value

        package init(
            _ text: StaticString, _ first: Value = .none, _ second: Value = .none,
            _ third: Value = .none
        ) {
            self.text = text
            self.first = first
            self.second = second
            self.third = third
        }
    }

    /// One value of a reason.
    package enum Value: Sendable {
        case none
        case number(Int)
        case name(StaticString)
    }
}

extension JOSEError.Reason: ExpressibleByStringLiteral {
    package init(stringLiteral text: StaticString) { self.init(text) }
}

extension JOSEError.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral name: StaticString) { self = .name(name) }
    package init(integerLiteral number: Int) { self = .number(number) }
}

extension JOSEError.Value: CustomStringConvertible {
    package var description: String {
        switch self {
        case .none: ""
        case .number(let number): JOSEError.grouped(number)
        case .name(let name): name.description
        }
    }
}

extension JOSEError.Reason: CustomStringConvertible, Equatable {
    package var description: String {
        if case .none = first { return text.description }
        var values = [first, second, third].makeIterator()
        var result = ""
        var isOpen = false
        for scalar in text.description.unicodeScalars {
            switch scalar {
            case "{": isOpen = true
            case "}" where isOpen:
                isOpen = false
                result += values.next()?.description ?? ""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Equal in what is shown.
    package static func == (a: JOSEError.Reason, b: JOSEError.Reason) -> Bool {
        a.description.isExactly(b.description)
    }
}

extension JOSEError {
    /// A number as people read it: `262,144`.
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return result
    }

    /// The same reason under another code, at another step.
    package init(_ code: Code, _ step: Step, of error: JOSEError) {
        self.init(code, step, error.reason, claim: error.claim)
    }
}
