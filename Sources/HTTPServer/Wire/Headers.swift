/// The header fields of a request: ranges of the received head, turned into `String` when asked.
///
/// Names are compared without case. Values have no blanks at either end; bytes over 0x7F that are not UTF-8 become
/// replacement characters.
package struct Headers: Sendable {
    /// The place of one field in `bytes`.
    struct Field {
        let nameStart: UInt32
        let nameEnd: UInt32
        let valueStart: UInt32
        let valueEnd: UInt32

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    private let bytes: [UInt8]
    private let fields: [Field]

    init(bytes: [UInt8], fields: [Field]) {
        self.bytes = bytes
        self.fields = fields
    }

    /// Given fields, for requests that do not come from a socket.
    package init(_ pairs: [(name: String, value: String)] = []) {
        var bytes: [UInt8] = []
        var fields: [Field] = []
        for (name, value) in pairs {
            let start = UInt32(bytes.count)
            bytes += name.utf8
            let end = UInt32(bytes.count)
            bytes += value.utf8
            fields.append(Field(nameStart: start, nameEnd: end, valueStart: end, valueEnd: UInt32(bytes.count)))
        }
        self.init(bytes: bytes, fields: fields)
    }

    package var count: Int { fields.count }

    /// The value of the first field with that name.
    package subscript(name: String) -> String? {
        fields.first { matches($0, name) }.map(value)
    }

    /// The values of all fields with that name, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { matches($0, name) }.map(value)
    }

    /// How many fields have that name.
    package func count(_ name: String) -> Int {
        fields.count { matches($0, name) }
    }

    /// The bytes of the first value with that name.
    package func bytes(_ name: String) -> ArraySlice<UInt8>? {
        fields.first { matches($0, name) }.map(valueBytes)
    }

    /// The bytes of all values with that name, in order.
    package func allBytes(_ name: String) -> [ArraySlice<UInt8>] {
        fields.filter { matches($0, name) }.map(valueBytes)
    }

    /// Every field as received, in order.
    package var all: [(name: String, value: String)] {
        fields.map { (String(decoding: nameBytes($0), as: UTF8.self), value($0)) }
    }

    private func matches(_ field: Field, _ name: String) -> Bool {
        field.name.count == name.utf8.count && Octets.equalIgnoringCase(nameBytes(field), name)
    }

    private func value(_ field: Field) -> String {
        String(decoding: valueBytes(field), as: UTF8.self)
    }

    private func nameBytes(_ field: Field) -> ArraySlice<UInt8> { bytes[field.name] }
    private func valueBytes(_ field: Field) -> ArraySlice<UInt8> { bytes[field.value] }
}
