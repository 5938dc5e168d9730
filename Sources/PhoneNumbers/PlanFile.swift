internal import CPhoneNumber
internal import Text

/// A numbering plan written by `scripts/numbering-plan`: header lines, the tables that libphonenumber reads, and the
/// SHA-256 of both.
package struct PlanFile: Sendable, Equatable {
    /// Why a file is refused, as text that follows its name.
    package struct Defect: Error, Sendable, Equatable {
        package let reason: String
    }

    /// The version of libphonenumber, such as `9.0.43`.
    package let version: String
    /// Such as `2026-11-06`.
    package let released: String
    /// The same in seconds since 1970.
    package let releasedSeconds: Int64
    /// In the wire format of protocol buffers; checked.
    let tables: [UInt8]

    /// Thirty times the size of a plan.
    private static let maxBytes = 4 * 1024 * 1024
    private static let maxHeadBytes = 256
    private static let digestBytes = 32

    private static let damaged = Defect(reason: "is damaged: write it again with scripts/numbering-plan")
    private static let foreign = Defect(reason: "is no numbering plan: scripts/numbering-plan writes one")

    /// - Parameter sha256: computes a digest of 32 bytes.
    package init(_ bytes: [UInt8], sha256: ([UInt8]) -> [UInt8]) throws(Defect) {
        guard bytes.count <= Self.maxBytes else { throw Defect(reason: "is larger than \(Self.maxBytes) bytes") }
        try self.init(head: bytes)
        guard sha256(Array(bytes.dropLast(Self.digestBytes))).elementsEqual(bytes.suffix(Self.digestBytes)) else {
            throw Self.damaged
        }
        try PlanTables.check(tables)
    }

    /// Checks only the header.
    private init(head bytes: [UInt8]) throws(Defect) {
        let lines = bytes.prefix(Self.maxHeadBytes).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, first.elementsEqual("holdfast-numbering-plan 1".utf8) else { throw Self.foreign }
        guard lines.count > 4, lines[3].isEmpty, let version = Self.value("version ", lines[1]),
            let released = Self.value("released ", lines[2]), version.utf8.allSatisfy(Self.isOfVersion),
            let moment = RFC3339.milliseconds((released + "T00:00:00Z").utf8)
        else { throw Self.damaged }
        let start = lines[3].endIndex + 1
        guard bytes.count > start + Self.digestBytes else { throw Self.damaged }
        self.version = version
        self.released = released
        releasedSeconds = moment / 1000
        tables = Array(bytes[start..<bytes.count - Self.digestBytes])
    }

    private static func isOfVersion(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || (48...57).contains(byte) }

    /// The text after the name of a line, at most 20 bytes.
    private static func value(_ name: String, _ line: ArraySlice<UInt8>) -> String? {
        let value = line.dropFirst(name.utf8.count)
        guard line.starts(with: name.utf8), (1...20).contains(value.count) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    /// The plan built into the program. A test checks its tables, so a start need not.
    package static let builtIn: PlanFile = {
        guard let plan = try? PlanFile(head: builtInBytes) else { fatalError("the built-in numbering plan is damaged") }
        return plan
    }()

    static var builtInBytes: [UInt8] {
        var count = 0
        return Array(UnsafeBufferPointer(start: cphonenumber_built_in(&count), count: count))
    }
}
