// Writes into closed containers: inserts text before their closing bracket.

import JOSEBytes

extension EncodedText {
    static func text(_ write: (inout JSONWriter) throws -> Void) throws -> [UInt8] {
        var writer = JSONWriter()
        try write(&writer)
        return writer.bytes
    }

    /// Adds a last member or element to a closed container.
    mutating func insert(_ text: [UInt8], name: String?, into id: SlotID) {
        let index = Int(id.index)
        var piece: [UInt8] = slots[index].contents.count > 0 ? [UInt8(ascii: ",")] : []
        if let name {
            var writer = JSONWriter()
            writer.name(name)
            piece += writer.bytes
        }
        piece += text
        slots[index].contents.count += 1
        replace(slots[index].bracket..<slots[index].bracket, with: piece)
    }

    /// Adds a member or element to a closed container, with `{}` until its value is written.
    mutating func insertSlot(_ name: String?, into id: SlotID) -> SlotID {
        let nameStart = slots[Int(id.index)].bracket
        insert(Array("{}".utf8), name: name, into: id)
        let bracket = slots[Int(id.index)].bracket - 1
        let inner = add(nameStart: nameStart, start: bracket - 1, around: id.index)
        slots[Int(inner.index)].bracket = bracket
        slots[Int(inner.index)].isOpen = false
        return inner
    }

    /// Replaces the `{}` of a slot that `insertSlot` added.
    mutating func replaceSlot(_ id: SlotID, with text: [UInt8]) {
        let bracket = slots[Int(id.index)].bracket
        replace(bracket - 1..<bracket + 1, with: text)
    }

    private mutating func replace(_ range: Range<Int>, with text: [UInt8]) {
        writer.replace(range, with: text)
        let shift = text.count - range.count
        for index in slots.indices {
            if slots[index].start >= range.upperBound { slots[index].start += shift }
            if slots[index].nameStart >= range.upperBound { slots[index].nameStart += shift }
            if slots[index].bracket >= range.upperBound { slots[index].bracket += shift }
        }
        // No fingerprint was recorded for an inserted name.
        mustScan = true
    }

    /// Returns the names and indexes that lead to a slot. The names are read from the text.
    func path(to id: SlotID) -> [any CodingKey] {
        guard isKnown(id) else { return [] }
        var path: [any CodingKey] = []
        var slot = slots[Int(id.index)]
        while slot.parent >= 0 {
            let parent = slots[Int(slot.parent)]
            if parent.kind == .array {
                path.append(PathKey(index: Int(slot.indexInParent)))
            } else if let name = name(in: slot.nameStart..<slot.start) {
                path.append(PathKey(name))
            }
            slot = parent
        }
        return path.reversed()
    }

    /// Returns the name in a text such as `,"name":`.
    private func name(in range: Range<Int>) -> String? {
        let text = writer.bytes[range].drop { $0 == UInt8(ascii: ",") }.dropLast()
        let document = try? JSONDocument(Array(text), maxDepth: 1)
        return document?.string(at: 0)
    }
}
