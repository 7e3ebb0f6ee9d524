// ClaimsSink: writes an Encodable value as JSON. All encoders of the value share one sink.

import JOSEBytes

typealias ClaimsSink = Exclusive<EncodedText>

extension JOSEError {
    static let nameTwiceInClaims = JOSEError(
        .misuse, .output, "the claims have a duplicate name")
}

extension Exclusive where Value == EncodedText {
    typealias SlotID = EncodedText.SlotID

    // MARK: The whole text

    /// Writes the outermost value and leaves its object or array open for further members.
    func writeRoot<T: Encodable>(_ value: T) throws {
        let root = withValue { $0.open(nameStart: 0) }
        try encodeOnly(value, at: root)
        try withValue { text in
            guard try text.isOpen(closingSlotsInside: root) else { throw UnwritableValue() }
            if text.kind(of: root) == .nothing { try text.become(.object, root) }
            if let failure = text.failure { throw failure }
        }
    }

    /// Closes all open slots and returns the text.
    func finish() throws -> [UInt8] {
        try withValue { text in
            while text.top != .none { text.closeTop() }
            if let failure = text.failure { throw failure }
            if text.mustScan { _ = try JSONDocument(text.writer.bytes, maxDepth: 512) }
            return text.writer.bytes
        }
    }

    /// Encodes `value` with a sink of its own, for insertion into a closed container.
    private static func text<T: Encodable>(of value: T) throws -> [UInt8] {
        let sink = ClaimsSink(EncodedText())
        try sink.writeRoot(value)
        return try sink.finish()
    }

    // MARK: Values of any type

    /// Writes a member of the container `id`, or an element if `name` is nil.
    func put<T: Encodable>(_ value: T, _ name: String?, in id: SlotID) throws {
        do {
            guard try withValue({ try $0.isOpen(closingSlotsInside: id) }) else {
                let whole = try ClaimsSink.text(of: value)
                return withValue { $0.insert(whole, name: name, into: id) }
            }
            let nameStart = withValue { text in
                let start = text.writer.bytes.count
                text.begin(name)
                return start
            }
            if try writeDirectly(value) { return }
            let count = withValue { $0.slots.count }
            let inner = withValue { $0.open(nameStart: nameStart) }
            try value.encode(to: ValueEncoder(self, inner))
            try withValue { try $0.close(to: id, count: count) }
        } catch {
            throw fail(error, name)
        }
    }

    @inline(__always)
    func put(
        _ name: String?, in id: SlotID, _ write: (inout JSONWriter) throws -> Void
    ) throws {
        do {
            try withValue { try $0.put(name, in: id, write) }
        } catch {
            throw fail(error, name)
        }
    }

    /// Encodes the only value of a slot, for a single value container.
    func encodeOnly<T: Encodable>(_ value: T, at id: SlotID) throws {
        do {
            let isOpen = try withValue { text in
                guard text.kind(of: id) == .nothing else { throw UnwritableValue() }
                return try text.isOpen(closingSlotsInside: id)
            }
            if !isOpen {
                let whole = try ClaimsSink.text(of: value)
                try withValue { try $0.writeOnly(id) { $0.raw(whole.span) } }
            } else if try writeDirectly(value) {
                withValue { $0.slots[Int(id.index)].kind = .scalar }
            } else {
                try value.encode(to: ValueEncoder(self, id))
            }
        } catch {
            throw fail(error, nil)
        }
    }

    func writeOnly(_ id: SlotID, _ write: (inout JSONWriter) throws -> Void) throws {
        do {
            try withValue { try $0.writeOnly(id, write) }
        } catch {
            throw fail(error, nil)
        }
    }

    func slot(_ name: String?, in id: SlotID) -> SlotID {
        do {
            return try withValue { try $0.slot(name, in: id) }
        } catch {
            _ = fail(error, name)
            return .none
        }
    }

    func become(_ kind: EncodedText.Slot.Kind, _ id: SlotID) {
        do {
            try withValue { try $0.become(kind, id) }
        } catch {
            _ = fail(error, nil)
        }
    }

    /// Writes `value` if its type has a special rule (`ClaimTypeRule`). Returns false otherwise.
    private func writeDirectly<T: Encodable>(_ value: T) throws -> Bool {
        if T.self == [String].self {
            withValue { $0.writer.strings(sameTypeCast(value, to: [String].self)) }
            return true
        }
        if withValue({ $0.lastPlainType == ObjectIdentifier(T.self) }) { return false }
        switch ClaimTypeRule.of(T.self) {
        case .plain, .stringSet:  // `Set<String>` has a rule for decoding only
            withValue { $0.lastPlainType = ObjectIdentifier(T.self) }
            return false
        case .rejected: throw ForeignTypeError()
        case .integers: withValue { $0.writer.integers(sameTypeCast(value, to: [Int].self)) }
        case .date: withValue { $0.writer.date(sameTypeCast(value, to: NumericDate.self)) }
        case .json: try withValue { try $0.writer.value(sameTypeCast(value, to: JSONValue.self)) }
        case .hooked:
            guard let claim = try (value as? any JOSEClaimValue)?.claim() else {
                throw UnwritableValue()
            }
            try withValue { try $0.writer.value(claim) }
        }
        return true
    }

    // MARK: Errors

    /// Keeps the first error, and the last name, which is the outermost: errors pass outwards.
    private func fail(_ error: any Error, _ name: String?) -> any Error {
        withValue { text in
            text.failure = text.failure ?? error
            text.failedName = name ?? text.failedName
        }
        return error
    }

    func rejection(for error: any Error) -> JOSEError {
        let (first, name) = withValue { ($0.failure ?? error, $0.failedName) }
        return switch first {
        case is ForeignTypeError:
            .misuse("Date, Data, URL and Decimal in claims need JOSEFoundation")
        case JSONError.duplicate: .nameTwiceInClaims
        case is NoObjectError:
            JOSEError(
                .misuse, .output,
                """
                the claims are not a JSON object: pass a value with named members, not an array or \
                a single value
                """
            )
        default:
            JOSEError(.misuse, .output, "JSON cannot represent the value", claim: name)
        }
    }
}
