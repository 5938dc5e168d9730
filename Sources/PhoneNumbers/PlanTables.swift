/// Checks the tables of a plan, a `PhoneMetadataCollection` in the wire format of protocol buffers, before the library
/// loads them: the library trusts its input, and treats a damaged table as an empty plan.
struct PlanTables {
    private typealias Defect = PlanFile.Defect

    /// Field numbers in libphonenumber's resources/phonemetadata.proto.
    private enum Field {
        static let region: UInt64 = 1
        static let id: UInt64 = 9
        static let callingCode: UInt64 = 10
        static let generalKind: UInt64 = 1
        static let kinds: Set<UInt64> = [1, 2, 3, 4, 5, 6, 7, 8, 21, 24, 25, 28]
        static let patterns: Set<UInt64> = [11, 12, 15, 16, 23]
        static let flags: Set<UInt64> = [18, 22]

        /// Fields of one kind of number.
        static let pattern: UInt64 = 2
        static let example: UInt64 = 6
        static let lengths: Set<UInt64> = [9, 10]
    }

    private static let regionCount = 200...400
    /// Bytes. The longest has 1,434.
    private static let maxPatternBytes = 8_192

    private var callingCode: UInt64 = 0
    private var id: ArraySlice<UInt8> = []
    private var hasLengths = false

    /// - Throws: for the first part that the library could not use unchanged.
    static func check(_ tables: [UInt8]) throws(PlanFile.Defect) {
        var fields = WireFields(tables[...])
        var known: Set<[UInt8]> = []
        while let (number, value) = try fields.next() {
            guard number == Field.region, case .bytes(let bytes) = value else { throw unknown(number) }
            let region = try PlanTables(bytes)
            // Networks without a country share one ID.
            let key = Array(region.id) + Array("\(region.callingCode)".utf8)
            guard known.insert(key).inserted else {
                throw Defect(reason: "has the region \(String(decoding: region.id, as: UTF8.self)) twice")
            }
        }
        guard regionCount.contains(known.count) else {
            throw Defect(reason: "has \(known.count) regions; a whole plan has about 250")
        }
    }

    /// Checks one region.
    private init(_ bytes: ArraySlice<UInt8>) throws(PlanFile.Defect) {
        var fields = WireFields(bytes)
        while let (number, value) = try fields.next() {
            switch value {
            case .bytes(let text) where number == Field.id: id = text
            case .integer(let code) where number == Field.callingCode: callingCode = code
            case .integer(0...1) where Field.flags.contains(number): break
            case .bytes(let text) where Field.patterns.contains(number): try Self.checkPattern(text)
            case .bytes(let kind) where Field.kinds.contains(number):
                let hasLengths = try Self.checkKind(kind)
                if number == Field.generalKind { self.hasLengths = hasLengths }
            default: throw Self.unknown(number)
            }
        }
        let isCountry = id.count == 2 && id.allSatisfy { (65...90).contains($0) }
        guard isCountry || id.elementsEqual("001".utf8), (1...999).contains(callingCode), hasLengths else {
            throw Defect(reason: "has a region without an id, a calling code or lengths of numbers")
        }
    }

    /// - Returns: whether it states the length of its numbers.
    private static func checkKind(_ bytes: ArraySlice<UInt8>) throws(PlanFile.Defect) -> Bool {
        var fields = WireFields(bytes)
        var hasLengths = false
        while let (number, value) = try fields.next() {
            switch value {
            case .bytes(let text) where number == Field.pattern || number == Field.example: try checkPattern(text)
            // -1: there are no such numbers.
            case .integer(let length) where Field.lengths.contains(number):
                guard (-1...17).contains(Int64(bitPattern: length)) else {
                    throw Defect(reason: "has numbers of \(Int64(bitPattern: length)) digits")
                }
                hasLengths = hasLengths || Int64(bitPattern: length) > 0
            default: throw unknown(number)
            }
        }
        return hasLengths
    }

    /// Allows digits, and the characters of regular expressions over digits.
    private static func checkPattern(_ text: ArraySlice<UInt8>) throws(PlanFile.Defect) {
        let isPlain = text.allSatisfy { byte in
            (48...57).contains(byte) || #"\d()[]{}|?:-,$~"#.utf8.contains(byte)
        }
        guard isPlain, text.count <= maxPatternBytes else {
            throw Defect(reason: "has a pattern that is none of digits, or is too long")
        }
    }

    private static func unknown(_ field: UInt64) -> Defect {
        Defect(reason: "has a field \(field) that this program does not know")
    }
}

/// Reads the fields of a message, one after the other, never beyond its end.
struct WireFields {
    enum Value {
        case integer(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// `nil` at the end.
    mutating func next() throws(PlanFile.Defect) -> (number: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let key = try integer()
        switch key & 7 {
        case 0: return (key >> 3, .integer(try integer()))
        case 2:
            let count = try integer()
            guard count <= UInt64(rest.count) else { throw Self.broken }
            defer { rest = rest.dropFirst(Int(count)) }
            return (key >> 3, .bytes(rest.prefix(Int(count))))
        default: throw Self.broken
        }
    }

    private static let broken = PlanFile.Defect(reason: "has tables that cannot be read")

    private mutating func integer() throws(PlanFile.Defect) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst(), shift < 63 || byte <= 1 else { throw Self.broken }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Self.broken
    }
}
