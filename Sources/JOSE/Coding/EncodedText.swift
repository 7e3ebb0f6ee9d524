// EncodedText: the JSON text of one `encode` call, and the values that are open in it.

import JOSEBytes

/// The text that the containers share through `ClaimsSink`. Values are appended.
/// A write to an outer container closes the containers inside it. A write to a closed container
/// inserts before its closing bracket (`EncodedText+Late.swift`): rare and slower.
struct EncodedText {
    var writer = JSONWriter(capacity: 1024)
    /// The values whose `encode(to:)` is running, and their containers, in order of opening.
    var slots: [Slot] = []
    /// The innermost open slot.
    private(set) var top = SlotID(index: -1, serial: 0)
    /// The contents of `top`. They are copied to its slot when an inner slot is opened.
    private var contents = Contents(firstFingerprint: 0)
    private var serial: Int32 = 0
    /// Fingerprints of the names in all open objects. Those of the innermost object are last.
    private var fingerprints = InlineArray<64, UInt32>(repeating: 0)
    private var fingerprintCount = 0
    /// The offset of the value of the outermost object's `exp`; 0 before its name is written.
    private var expirationValue = 0
    /// Whether the finished text must be scanned for duplicate names.
    var mustScan = false
    /// The first error. It stays even if the type catches it: the text is incomplete.
    var failure: (any Error)?
    /// The name of the outermost member whose value could not be written.
    var failedName: String?
    /// The last type whose `ClaimTypeRule` is `.plain`, so that the rule is not looked up again.
    var lastPlainType: ObjectIdentifier?

    /// A value that is being written.
    struct Slot {
        enum Kind { case nothing, object, array, scalar }

        var kind = Kind.nothing
        var isOpen = true
        let serial: Int32
        /// The index of the enclosing slot; -1 for the outermost.
        let parent: Int32
        /// The index among the values of the enclosing slot; -1 for the outermost.
        let indexInParent: Int32
        var contents: Contents
        /// The offset of the value in the text.
        var start: Int
        /// The offset of the member's name in the text; `start` if the value has no name.
        var nameStart: Int
        /// The offset of the closing bracket; set when the slot is closed.
        var bracket = 0
    }

    struct Contents {
        var count: Int32 = 0
        /// Where the fingerprints of this object's names begin in `fingerprints`.
        let firstFingerprint: Int32
        /// One bit for each name, chosen by its fingerprint. Two names may share a bit.
        var nameBits: UInt64 = 0
    }

    /// Identifies a slot. A later slot with the same index has another serial number.
    struct SlotID: Equatable {
        let index: Int32
        let serial: Int32

        /// No slot: none is open, or one could not be opened.
        static let none = SlotID(index: -1, serial: 0)
    }

    init() {
        slots.reserveCapacity(8)
    }

    // MARK: Slots

    func isKnown(_ id: SlotID) -> Bool {
        slots.indices ~= Int(id.index) && slots[Int(id.index)].serial == id.serial
    }

    func kind(of id: SlotID) -> Slot.Kind {
        isKnown(id) ? slots[Int(id.index)].kind : .scalar
    }

    func count(of id: SlotID) -> Int {
        guard isKnown(id) else { return 0 }
        return Int(id == top ? contents.count : slots[Int(id.index)].contents.count)
    }

    /// Opens a slot at the end of the text. `nameStart` is the offset of the value's name, if any.
    mutating func open(nameStart: Int) -> SlotID {
        if top != .none { slots[Int(top.index)].contents = contents }
        top = add(nameStart: nameStart, start: writer.bytes.count, around: top.index)
        contents = slots[Int(top.index)].contents
        return top
    }

    /// Adds a slot inside the slot with the index `around`; -1 adds the outermost slot.
    mutating func add(nameStart: Int, start: Int, around: Int32) -> SlotID {
        serial &+= 1
        let id = SlotID(index: Int32(truncatingIfNeeded: slots.count), serial: serial)
        slots.append(
            Slot(
                serial: serial, parent: around,
                indexInParent: around < 0 ? -1 : slots[Int(around)].contents.count - 1,
                contents: Contents(firstFingerprint: Int32(truncatingIfNeeded: fingerprintCount)),
                start: start, nameStart: nameStart))
        return id
    }

    /// Closes the innermost open slot. A slot without a value becomes `{}`.
    mutating func closeTop() {
        let index = Int(top.index)
        switch slots[index].kind {
        case .array: writer.endArray()
        case .object: writer.endObject()
        case .nothing:
            writer.beginObject()
            writer.endObject()
        case .scalar: break
        }
        slots[index].bracket = writer.bytes.count - 1
        slots[index].isOpen = false
        slots[index].contents = contents
        fingerprintCount = Int(contents.firstFingerprint)
        let parent = Int(slots[index].parent)
        guard parent >= 0 else { return top = .none }
        top = SlotID(index: slots[index].parent, serial: slots[parent].serial)
        contents = slots[parent].contents
    }

    /// Returns whether `id` is open. If so, first closes the slots inside it, so that `id` becomes
    /// the innermost. Throws for an unknown slot.
    @inline(__always)
    mutating func isOpen(closingSlotsInside id: SlotID) throws -> Bool {
        top == id ? true : try closeInnerSlots(of: id)
    }

    private mutating func closeInnerSlots(of id: SlotID) throws -> Bool {
        // A slot is unknown after its `encode(to:)` has returned, or if it was never opened.
        guard isKnown(id) else { throw UnwritableValue() }
        guard slots[Int(id.index)].isOpen else { return false }
        while top != id { closeTop() }
        return true
    }

    /// Closes the slots that were opened inside `outer`, and removes slots until `count` are left.
    mutating func close(to outer: SlotID, count: Int) throws {
        guard try isOpen(closingSlotsInside: outer) else { throw UnwritableValue() }
        slots.removeLast(slots.count - count)
    }

    // MARK: Members and elements

    /// Counts a member or element of the innermost open container, and writes the member's name.
    @inline(__always)
    mutating func begin(_ name: String?) {
        contents.count += 1
        guard let name else { return }
        let start = writer.bytes.count
        writer.name(name)
        recordFingerprint(from: start)
    }

    /// Records a fingerprint of the name after `start`. The finished text is scanned for duplicate
    /// names if two fingerprints are equal (rare) or the open objects have more than 64 names.
    private mutating func recordFingerprint(from start: Int) {
        let last = writer.bytes.count - 3
        // The text is `,"name":`, or `"name":` for a first member. `first` and `last` are the
        // offsets of the name's first and last byte.
        let first = writer.bytes[start] == UInt8(ascii: ",") ? start + 2 : start + 1
        let fingerprint = EncodedText.fingerprint(
            lastIndex: last - first, writer.bytes[first],
            writer.bytes[(first + last + 1) >> 1], writer.bytes[last])
        // Names with different bits differ. Only if the bit is set, fingerprints are compared.
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: (fingerprint &* 0x9e37_79b1) >> 26)
        var mayBeDuplicate = fingerprintCount == 64
        if contents.nameBits & bit != 0 {
            for other in Int(contents.firstFingerprint)..<fingerprintCount
            where fingerprints[other] == fingerprint {
                mayBeDuplicate = true
            }
        }
        if mayBeDuplicate {
            mustScan = true
        } else {
            contents.nameBits |= bit
            fingerprints[fingerprintCount] = fingerprint
            fingerprintCount += 1
        }
        // Is this `exp` of the outermost object? A fingerprint has eight bits of `lastIndex`, so
        // the length is compared too. `firstFingerprint` is not 0 for an object inside an object.
        if fingerprint == EncodedText.expirationFingerprint, last - first == 2,
            contents.firstFingerprint == 0
        {
            expirationValue = writer.bytes.count
        }
    }

    @inline(__always)
    private static func fingerprint(
        lastIndex: Int, _ first: UInt8, _ middle: UInt8, _ last: UInt8
    ) -> UInt32 {
        UInt32(truncatingIfNeeded: lastIndex) << 24 | UInt32(first) << 16 | UInt32(middle) << 8
            | UInt32(last)
    }

    private static var expirationFingerprint: UInt32 {
        fingerprint(lastIndex: 2, UInt8(ascii: "e"), UInt8(ascii: "x"), UInt8(ascii: "p"))
    }

    /// Whether the outermost object has the member `exp`; nil if only a scan can tell.
    var hasExpiration: Bool? { expirationValue != 0 ? true : mustScan ? nil : false }

    /// The offset of the value of the outermost `exp`; nil if absent, or if only a scan can tell.
    var expirationStart: Int? { mustScan || expirationValue == 0 ? nil : expirationValue }

    @inline(__always)
    mutating func put(
        _ name: String?, in id: SlotID, _ write: (inout JSONWriter) throws -> Void
    ) throws {
        guard try isOpen(closingSlotsInside: id) else {
            return insert(try EncodedText.text(write), name: name, into: id)
        }
        begin(name)
        try write(&writer)
    }

    /// Opens a slot for a member or element whose value a container or encoder writes later.
    mutating func slot(_ name: String?, in id: SlotID) throws -> SlotID {
        guard try isOpen(closingSlotsInside: id) else { return insertSlot(name, into: id) }
        let nameStart = writer.bytes.count
        begin(name)
        return open(nameStart: nameStart)
    }

    // MARK: The value of a slot

    /// Makes a slot an object or array. A superclass may have made it the same kind before.
    mutating func become(_ kind: Slot.Kind, _ id: SlotID) throws {
        let isOpen = try self.isOpen(closingSlotsInside: id)
        let index = Int(id.index)
        if slots[index].kind == kind { return }
        guard slots[index].kind == .nothing else { throw UnwritableValue() }
        slots[index].kind = kind
        if !isOpen {
            replaceSlot(id, with: Array((kind == .array ? "[]" : "{}").utf8))
        } else if kind == .array {
            writer.beginArray()
        } else {
            writer.beginObject()
        }
    }

    @inline(__always)
    mutating func writeOnly(_ id: SlotID, _ write: (inout JSONWriter) throws -> Void) throws {
        guard kind(of: id) == .nothing else { throw UnwritableValue() }
        if try isOpen(closingSlotsInside: id) {
            try write(&writer)
        } else {
            replaceSlot(id, with: try EncodedText.text(write))
        }
        slots[Int(id.index)].kind = .scalar
    }
}
