// What the containers of one encoding share, and the order of calls around nested values.

import JOSEBytes

/// The shared state of one encoding.
typealias ClaimsSink = Exclusive<EncodedText>

extension JOSEError {
    static let nameTwiceInClaims = JOSEError(
        .misuse, .output, "one name stands twice in the claims")
}

extension Exclusive where Value == EncodedText {
    typealias SlotID = EncodedText.SlotID

    // MARK: The whole

    /// Writes the outermost value and leaves it open for further members.
    func writeRoot<T: Encodable>(_ value: T) throws {
        let root = lend { $0.open(nameStart: 0) }
        try single(value, at: root)
        try lend { text in
            guard try text.surface(root) else { throw UnwritableValue() }
            if text.kind(of: root) == .nothing { try text.become(.object, root) }
            if let failure = text.failure { throw failure }
        }
    }

    /// Closes everything and gives the text.
    func finish() throws -> [UInt8] {
        try lend { text in
            while text.top != .none { text.closeTop() }
            if let failure = text.failure { throw failure }
            if text.mustScan { _ = try JSONDocument(text.writer.bytes, maxDepth: 512) }
            return text.writer.bytes
        }
    }

    /// The text of a value, written apart.
    private static func text<T: Encodable>(of value: T) throws -> [UInt8] {
        let side = ClaimsSink(EncodedText())
        try side.writeRoot(value)
        return try side.finish()
    }

    // MARK: Values of any type

    /// Writes a member, or an element where there is no name.
    func put<T: Encodable>(_ value: T, _ name: String?, in place: SlotID) throws {
        do {
            guard try lend({ try $0.surface(place) }) else {
                let whole = try ClaimsSink.text(of: value)
                return lend { $0.insert(whole, name: name, into: place) }
            }
            let nameStart = lend { text in
                let start = text.writer.bytes.count
                text.begin(name)
                return start
            }
            if try writeDirectly(value) { return }
            let count = lend { $0.slots.count }
            let inner = lend { $0.open(nameStart: nameStart) }
            try value.encode(to: ValueEncoder(self, inner))
            try lend { try $0.close(to: place, count: count) }
        } catch {
            throw fail(error, name)
        }
    }

    /// Writes a member or element by one call to the writer.
    @inline(__always)
    func put(
        _ name: String?, in place: SlotID, _ write: (inout JSONWriter) throws -> Void
    ) throws {
        do {
            try lend { try $0.put(name, in: place, write) }
        } catch {
            throw fail(error, name)
        }
    }

    /// Writes the one value of a slot.
    func single<T: Encodable>(_ value: T, at place: SlotID) throws {
        do {
            let isOpen = try lend { text in
                guard text.kind(of: place) == .nothing else { throw UnwritableValue() }
                return try text.surface(place)
            }
            if !isOpen {
                let whole = try ClaimsSink.text(of: value)
                try lend { try $0.single(place) { $0.raw(whole.span) } }
            } else if try writeDirectly(value) {
                lend { $0.slots[Int(place.index)].kind = .scalar }
            } else {
                try value.encode(to: ValueEncoder(self, place))
            }
        } catch {
            throw fail(error, nil)
        }
    }

    /// Writes the one value of a slot by one call to the writer.
    func single(_ place: SlotID, _ write: (inout JSONWriter) throws -> Void) throws {
        do {
            try lend { try $0.single(place, write) }
        } catch {
            throw fail(error, nil)
        }
    }

    /// Opens a slot for a member or element whose value comes later.
    func slot(_ name: String?, in place: SlotID) -> SlotID {
        do {
            return try lend { try $0.slot(name, in: place) }
        } catch {
            _ = fail(error, name)
            return .none
        }
    }

    /// Makes an object or array of a slot.
    func become(_ kind: EncodedText.Slot.Kind, _ place: SlotID) {
        do {
            try lend { try $0.become(kind, place) }
        } catch {
            _ = fail(error, nil)
        }
    }

    /// Writes the types that are known here; false for all others.
    private func writeDirectly<T: Encodable>(_ value: T) throws -> Bool {
        if T.self == [String].self {
            lend { $0.writer.strings(recast(value, to: [String].self)) }
            return true
        }
        if lend({ $0.plainType == ObjectIdentifier(T.self) }) { return false }
        switch ClaimTypeRule.of(T.self) {
        case .plain, .texts:
            lend { $0.plainType = ObjectIdentifier(T.self) }
            return false
        case .rejected: throw ForeignTypeError()
        case .integers: lend { $0.writer.integers(recast(value, to: [Int].self)) }
        case .date: lend { $0.writer.date(recast(value, to: NumericDate.self)) }
        case .json: try lend { try $0.writer.value(recast(value, to: JSONValue.self)) }
        case .hooked:
            guard let claim = try (value as? any JOSEClaimValue)?.claim() else {
                throw UnwritableValue()
            }
            try lend { try $0.writer.value(claim) }
        }
        return true
    }

    // MARK: Errors

    /// Keeps the first error, and the outermost name on its way.
    private func fail(_ error: any Error, _ name: String?) -> any Error {
        lend { text in
            text.failure = text.failure ?? error
            text.failedName = name ?? text.failedName
        }
        return error
    }

    /// What the caller sees of an error of `Encodable` code.
    func rejection(for error: any Error) -> JOSEError {
        let (first, name) = lend { ($0.failure ?? error, $0.failedName) }
        return switch first {
        case is ForeignTypeError:
            .misuse("Date, Data, URL and Decimal in claims need JOSEFoundation")
        case JSONError.duplicate: .nameTwiceInClaims
        case is NoObjectError:
            JOSEError(
                .misuse, .output,
                "the claims are no JSON object: give a value with named members, no array or single value"
            )
        default:
            JOSEError(.misuse, .output, "no JSON can hold the value", claim: name)
        }
    }
}
