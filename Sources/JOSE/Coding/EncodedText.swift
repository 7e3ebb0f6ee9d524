// The text that one encoding writes, and which values are open at its end.

import JOSEBytes

/// The growing text of one encoding.
///
/// Values are written straight to the end of one text. A container that is used while another one
/// is open inside it closes the inner one. One that is used after it was closed inserts its text
/// (`EncodedText+Late.swift`): rare, but right.
///
/// All of this is one value, which the containers share through `ClaimsSink`.
struct EncodedText {
    var writer = JSONWriter(capacity: 1024)
    /// The values of the `encode(to:)` calls that are running, in the order in which they began.
    var slots: [Slot] = []
    /// The innermost open slot.
    private(set) var top = SlotID(index: -1, serial: 0)
    /// The contents of the innermost open slot; the slot itself gets them when it is left.
    private var contents = Contents(firstFingerprint: 0)
    private var serial: Int32 = 0
    /// Fingerprints of the names in open objects, innermost object last.
    private var fingerprints = InlineArray<64, UInt32>(repeating: 0)
    private var fingerprintCount = 0
    /// Where the value of the outermost object's `exp` begins; 0 where its name was not written yet.
    private var expirationValue = 0
    /// Whether the finished text must be scanned, for a name may stand twice.
    var mustScan = false
    /// The first error; it stays, even if the type caught it, for the text behind it is wrong.
    var failure: (any Error)?
    /// The outermost member that could not be written.
    var failedName: String?
    /// The last type that was found to encode by its own rules.
    var plainType: ObjectIdentifier?

    /// A value that is being written.
    struct Slot {
        enum Kind { case nothing, object, array, scalar }

        var kind = Kind.nothing
        var isOpen = true
        let serial: Int32
        /// The index of the slot around it, and which of its members or elements this is; -1 for none.
        let parent: Int32
        let position: Int32
        var contents: Contents
        /// Where the value starts, and where its member's name starts (or the value, if it has none).
        var start: Int
        var nameStart: Int
        /// Of a closed container: where its last bracket is.
        var last = 0
    }

    /// What a container holds so far.
    struct Contents {
        /// Members or elements.
        var count: Int32 = 0
        /// The fingerprints of its names: where they begin, and one bit for each of them.
        let firstFingerprint: Int32
        var nameBits: UInt64 = 0
    }

    /// Names a slot; the serial number tells it from an earlier one with the same index.
    struct SlotID: Equatable {
        let index: Int32
        let serial: Int32

        /// The place of a slot that could not be opened.
        static let none = SlotID(index: -1, serial: 0)
    }

    init() {
        slots.reserveCapacity(8)
    }

    // MARK: Slots

    func isKnown(_ place: SlotID) -> Bool {
        slots.indices ~= Int(place.index) && slots[Int(place.index)].serial == place.serial
    }

    func kind(of place: SlotID) -> Slot.Kind {
        isKnown(place) ? slots[Int(place.index)].kind : .scalar
    }

    /// How many members or elements a slot has.
    func count(of place: SlotID) -> Int {
        guard isKnown(place) else { return 0 }
        return Int(place == top ? contents.count : slots[Int(place.index)].contents.count)
    }

    /// Opens a slot at the end of the text, for a value whose name (if any) starts at `nameStart`.
    mutating func open(nameStart: Int) -> SlotID {
        if top != .none { slots[Int(top.index)].contents = contents }
        top = add(nameStart: nameStart, start: writer.bytes.count, around: top.index)
        contents = slots[Int(top.index)].contents
        return top
    }

    /// Adds a slot inside the one with index `around`; -1 for the outermost.
    mutating func add(nameStart: Int, start: Int, around: Int32) -> SlotID {
        serial &+= 1
        let place = SlotID(index: Int32(truncatingIfNeeded: slots.count), serial: serial)
        slots.append(
            Slot(
                serial: serial, parent: around,
                position: around < 0 ? -1 : slots[Int(around)].contents.count - 1,
                contents: Contents(firstFingerprint: Int32(truncatingIfNeeded: fingerprintCount)),
                start: start, nameStart: nameStart))
        return place
    }

    /// Closes the innermost open slot; one without a value becomes `{}`.
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
        slots[index].last = writer.bytes.count - 1
        slots[index].isOpen = false
        slots[index].contents = contents
        fingerprintCount = Int(contents.firstFingerprint)
        let parent = Int(slots[index].parent)
        guard parent >= 0 else { return top = .none }
        top = SlotID(index: slots[index].parent, serial: slots[parent].serial)
        contents = slots[parent].contents
    }

    /// Makes `place` the innermost open slot by closing those inside; false where it is closed itself.
    @inline(__always)
    mutating func surface(_ place: SlotID) throws -> Bool {
        top == place ? true : try surfaceFromBelow(place)
    }

    private mutating func surfaceFromBelow(_ place: SlotID) throws -> Bool {
        // Not known: its `encode(to:)` has returned, or it was never opened.
        guard isKnown(place) else { throw UnwritableValue() }
        guard slots[Int(place.index)].isOpen else { return false }
        while top != place { closeTop() }
        return true
    }

    /// Closes and forgets what was opened since `outer` was the innermost slot and `count` the number of slots.
    mutating func close(to outer: SlotID, count: Int) throws {
        guard try surface(outer) else { throw UnwritableValue() }
        slots.removeLast(slots.count - count)
    }

    // MARK: Members and elements

    /// Writes a member's name, or counts an element, in the innermost open container.
    @inline(__always)
    mutating func begin(_ name: String?) {
        contents.count += 1
        guard let name else { return }
        let start = writer.bytes.count
        writer.name(name)
        note(from: start)
    }

    /// Remembers the name behind `start` by a fingerprint. Two alike are rare; then, or if there are
    /// too many, the finished text is scanned.
    private mutating func note(from start: Int) {
        let last = writer.bytes.count - 3
        // `,"name":` without the comma.
        let first = writer.bytes[start] == UInt8(ascii: ",") ? start + 2 : start + 1
        let mark = EncodedText.mark(
            count: last - first, writer.bytes[first], writer.bytes[(first + last + 1) >> 1],
            writer.bytes[last])
        // Most names set a bit of their own; only the others are compared.
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: (mark &* 0x9e37_79b1) >> 26)
        var isKnown = fingerprintCount == 64
        if contents.nameBits & bit != 0 {
            for other in Int(contents.firstFingerprint)..<fingerprintCount
            where fingerprints[other] == mark {
                isKnown = true
            }
        }
        if isKnown {
            mustScan = true
        } else {
            contents.nameBits |= bit
            fingerprints[fingerprintCount] = mark
            fingerprintCount += 1
        }
        // The mark of a name of three bytes is the name itself, but it counts lengths modulo 256. Names inside other
        // objects come behind that of the member around them.
        if mark == EncodedText.expirationMark, last - first == 2, contents.firstFingerprint == 0 {
            expirationValue = writer.bytes.count
        }
    }

    @inline(__always)
    private static func mark(
        count: Int, _ first: UInt8, _ middle: UInt8, _ last: UInt8
    ) -> UInt32 {
        UInt32(truncatingIfNeeded: count) << 24 | UInt32(first) << 16 | UInt32(middle) << 8
            | UInt32(last)
    }

    /// The fingerprint of `exp`.
    private static var expirationMark: UInt32 {
        mark(count: 2, UInt8(ascii: "e"), UInt8(ascii: "x"), UInt8(ascii: "p"))
    }

    /// Whether the outermost object has the member `exp`; nil where only a scan can tell.
    var hasExpiration: Bool? { expirationValue != 0 ? true : mustScan ? nil : false }

    /// Where the value of the outermost object's `exp` begins; nil where there is none or only a scan can tell.
    var expirationStart: Int? { mustScan || expirationValue == 0 ? nil : expirationValue }

    /// Writes a member or element by one call to the writer.
    @inline(__always)
    mutating func put(
        _ name: String?, in place: SlotID, _ write: (inout JSONWriter) throws -> Void
    ) throws {
        guard try surface(place) else {
            return insert(try EncodedText.apart(write), name: name, into: place)
        }
        begin(name)
        try write(&writer)
    }

    /// Opens a slot for a member or element whose value comes later: a container or an encoder.
    mutating func slot(_ name: String?, in place: SlotID) throws -> SlotID {
        guard try surface(place) else { return insertSlot(name, into: place) }
        let nameStart = writer.bytes.count
        begin(name)
        return open(nameStart: nameStart)
    }

    // MARK: The value of a slot

    /// Makes an object or array of a slot, or finds that it is one already (a superclass's part).
    mutating func become(_ kind: Slot.Kind, _ place: SlotID) throws {
        let isOpen = try surface(place)
        let index = Int(place.index)
        if slots[index].kind == kind { return }
        guard slots[index].kind == .nothing else { throw UnwritableValue() }
        slots[index].kind = kind
        if !isOpen {
            replaceSlot(place, with: Array((kind == .array ? "[]" : "{}").utf8))
        } else if kind == .array {
            writer.beginArray()
        } else {
            writer.beginObject()
        }
    }

    /// Writes the one value of a slot by one call to the writer.
    @inline(__always)
    mutating func single(_ place: SlotID, _ write: (inout JSONWriter) throws -> Void) throws {
        guard kind(of: place) == .nothing else { throw UnwritableValue() }
        if try surface(place) {
            try write(&writer)
        } else {
            replaceSlot(place, with: try EncodedText.apart(write))
        }
        slots[Int(place.index)].kind = .scalar
    }
}
