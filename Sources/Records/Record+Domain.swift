package import Engine
package import Possession

// Fields with values of the domain, checked by the domain's own rules.

extension RecordWriter {
    package mutating func number(_ value: PhoneNumber?) { text(value?.e164) }

    /// A number has the same form as with `number`.
    mutating func target(_ value: Target?) { text(value?.text) }

    /// Both coordinates in one field.
    mutating func publicKey(_ key: PublicKey) { bytes(key.x + key.y) }

    /// Up to 32 flags in one number, the first in its lowest bit.
    mutating func flags(_ flags: [Bool]) {
        integer(flags.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
    }
}

extension RecordReader {
    package mutating func optionalNumber() throws(StorageFault) -> PhoneNumber? {
        try optionalValue(try optionalText(), PhoneNumber.init(e164:))
    }

    package mutating func number() throws(StorageFault) -> PhoneNumber {
        try required(try optionalNumber())
    }

    mutating func optionalTarget() throws(StorageFault) -> Target? {
        try optionalValue(try optionalText(), Target.init)
    }

    mutating func target() throws(StorageFault) -> Target {
        try required(try optionalTarget())
    }

    mutating func publicKey() throws(StorageFault) -> PublicKey {
        let bytes = try bytes()
        try require(bytes.count == 64)
        return try required(PublicKey(x: Array(bytes[..<32]), y: Array(bytes[32...])))
    }

    mutating func optionalTemplate() throws(StorageFault) -> MessageTemplate? {
        try optionalValue(try optionalText()) { text in
            do { return try MessageTemplate(stored: text) } catch { return nil }
        }
    }

    /// Tries, sends and similar counts.
    mutating func smallCount() throws(StorageFault) -> Int {
        try count(0...StoredBounds.maxCount)
    }

    mutating func flags(_ count: Int) throws(StorageFault) -> Flags {
        Flags(bits: try self.count(0...(1 << count) - 1))
    }

    /// The flags of one number, without an array for each record that is read.
    struct Flags {
        fileprivate let bits: Int

        subscript(index: Int) -> Bool { bits >> index & 1 == 1 }
    }

    /// The result of `read` for a field; `nil` if the field is absent.
    func optionalValue<Field, Value>(_ field: Field?, _ read: (Field) -> Value?) throws(StorageFault) -> Value? {
        guard let field else { return nil }
        return try required(read(field))
    }

    func value<Field, Value>(_ field: Field, _ read: (Field) -> Value?) throws(StorageFault) -> Value {
        try required(read(field))
    }

    /// - Throws: `.corrupt` unless the condition holds.
    func require(_ holds: Bool) throws(StorageFault) {
        _ = try required(holds ? true : nil)
    }
}
