// What the containers of one encoding share, and the order of calls around nested values.

import JOSEBytes

/// The shared state of one encoding.
final class ClaimsSink {
    typealias Place = EncodedText.Place

    var text = EncodedText()
    /// The first error; it stays, even if the type caught it, for the text behind it is wrong.
    private var fault: (any Error)?
    /// The outermost member that could not be written.
    private var failedName: String?
    /// The last type that was found to encode by its own rules.
    private var plainType: ObjectIdentifier?

    // MARK: The whole

    /// Writes the outermost value and leaves it open for further members.
    func writeRoot<T: Encodable>(_ value: T) throws {
        let root = text.open(nameStart: 0)
        try single(value, at: root)
        guard try text.surface(root) else { throw UnwritableValue() }
        if text.kind(of: root) == .nothing { try text.become(.object, root) }
        if let fault { throw fault }
    }

    var rootIsObject: Bool { text.slots.first?.kind == .object }

    /// Closes everything and gives the text.
    func finish() throws -> [UInt8] {
        while text.top != .none { text.closeTop() }
        if let fault { throw fault }
        if text.mustScan { _ = try JSONDocument(text.writer.bytes, maximumDepth: 512) }
        return text.writer.bytes
    }

    // MARK: Values of any type

    /// Writes a member, or an element where there is no name.
    func put<T: Encodable>(_ value: T, _ name: String?, in place: Place) throws {
        do {
            guard try text.surface(place) else {
                let side = ClaimsSink()
                try side.writeRoot(value)
                return text.insert(try side.finish(), name: name, into: place)
            }
            let nameStart = text.writer.bytes.count
            text.begin(name)
            if try writeDirectly(value) { return }
            let count = text.slots.count
            try value.encode(to: ValueEncoder(self, text.open(nameStart: nameStart)))
            try text.close(to: place, count: count)
        } catch {
            throw fail(error, name)
        }
    }

    /// Writes a member or element by one call to the writer.
    @inline(__always)
    func put(
        _ name: String?, in place: Place, _ write: (inout JSONWriter) throws -> Void
    ) throws {
        do {
            try text.put(name, in: place, write)
        } catch {
            throw fail(error, name)
        }
    }

    /// Writes the one value of a slot.
    func single<T: Encodable>(_ value: T, at place: Place) throws {
        do {
            guard text.kind(of: place) == .nothing else { throw UnwritableValue() }
            if try !text.surface(place) {
                let side = ClaimsSink()
                try side.writeRoot(value)
                let whole = try side.finish()
                return try text.single(place) { $0.raw(whole.span) }
            }
            if try writeDirectly(value) {
                text.slots[Int(place.index)].kind = .scalar
            } else {
                try value.encode(to: ValueEncoder(self, place))
            }
        } catch {
            throw fail(error, nil)
        }
    }

    /// Writes the one value of a slot by one call to the writer.
    func single(_ place: Place, _ write: (inout JSONWriter) throws -> Void) throws {
        do {
            try text.single(place, write)
        } catch {
            throw fail(error, nil)
        }
    }

    /// Opens a slot for a member or element whose value comes later.
    func slot(_ name: String?, in place: Place) -> Place {
        do {
            return try text.slot(name, in: place)
        } catch {
            _ = fail(error, name)
            return .none
        }
    }

    /// Makes an object or array of a slot.
    func become(_ kind: EncodedText.Slot.Kind, _ place: Place) {
        do {
            try text.become(kind, place)
        } catch {
            _ = fail(error, nil)
        }
    }

    /// Writes the types that are known here; false for all others.
    private func writeDirectly<T: Encodable>(_ value: T) throws -> Bool {
        if plainType == ObjectIdentifier(T.self) { return false }
        if T.self == [String].self {
            text.writer.strings(recast(value, to: [String].self))
            return true
        }
        switch ClaimTypeRule.of(T.self) {
        case .plain:
            plainType = ObjectIdentifier(T.self)
            return false
        case .refused: throw ForeignTypeFault()
        case .integers: text.writer.integers(recast(value, to: [Int].self))
        case .date: text.writer.date(recast(value, to: NumericDate.self))
        case .json: try text.writer.value(recast(value, to: JSONValue.self))
        case .hooked:
            guard let hooked = value as? any JOSEClaimValue else { throw UnwritableValue() }
            try text.writer.value(hooked.claim())
        }
        return true
    }

    // MARK: Errors

    /// Keeps the first error, and the outermost name on its way.
    func fail(_ error: any Error, _ name: String?) -> any Error {
        fault = fault ?? error
        failedName = name ?? failedName
        return error
    }

    /// What the caller sees of an error of `Encodable` code.
    func refusal(for error: any Error) -> JOSEError {
        switch fault ?? error {
        case is ForeignTypeFault:
            .misuse("Date, Data, URL and Decimal in claims need JOSEFoundation")
        case JSONFault.duplicate:
            JOSEError(.misuse, .output, "one name stands twice in the claims")
        default:
            JOSEError(.misuse, .output, "no JSON can hold the value", claim: failedName)
        }
    }
}
