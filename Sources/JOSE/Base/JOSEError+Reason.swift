// JOSEError.Reason: the text of an error.

package import JOSEBytes

extension JOSEError {
    /// A constant sentence with up to three values, which replace its `{}` in order. A value is a
    /// number or a constant name (algorithm, member, parameter, option), so that a reason cannot
    /// hold input or a secret. Only `description` allocates. A reason is small and trivial to copy,
    /// since each call that the error passes through copies it.
    package struct Reason: Sendable {
        package let text: ConstantName
        private let values: ConstantValues

        package init(
            _ text: StaticString, _ first: Value = .none, _ second: Value = .none,
            _ third: Value = .none
        ) {
            self.text = ConstantName(text)
            values = ConstantValues(first.constant, second.constant, third.constant)
        }
    }

    package struct Value: Sendable {
        fileprivate let constant: ConstantValue

        package static var none: Value { Value(constant: .none) }
        package static func number(_ number: Int) -> Value { Value(constant: .number(number)) }
        package static func name(_ name: StaticString) -> Value { Value(constant: .name(name)) }
    }
}

extension JOSEError.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral name: StaticString) { self = .name(name) }
    package init(integerLiteral number: Int) { self = .number(number) }
}

extension JOSEError.Reason: ExpressibleByStringLiteral {
    package init(stringLiteral text: StaticString) { self.init(text) }
}

extension JOSEError.Reason: CustomStringConvertible, Equatable {
    package var description: String {
        guard !values.isEmpty else { return text.description }
        var index = 0
        var result = ""
        var isOpen = false
        for scalar in text.description.unicodeScalars {
            switch scalar {
            case "{": isOpen = true
            case "}" where isOpen:
                isOpen = false
                result += text(of: values[index])
                index += 1
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private func text(of value: ConstantValue) -> String {
        value.number.map(JOSEError.grouped) ?? value.name?.description ?? ""
    }

    package static func == (a: JOSEError.Reason, b: JOSEError.Reason) -> Bool {
        a.description.isExactly(b.description)
    }
}

extension JOSEError {
    /// Returns a number with commas between groups of three digits, such as `262,144`.
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return result
    }

    /// Creates an error with the reason and claim of another error.
    package init(_ code: Code, _ step: Step, of error: JOSEError) {
        self.init(code, step, error.reason, claim: error.claim)
    }
}
