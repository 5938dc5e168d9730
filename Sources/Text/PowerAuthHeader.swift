/// The value of a PowerAuth header: `PowerAuth name="value", name="value"`.
///
/// Phones of one maker separate pairs with comma and blank, those of the other with a blank. So any mix of commas and
/// blanks is accepted as separator. The order of pairs does not matter.
///
///     let header = try PowerAuthHeader("PowerAuth version=\"3.2\", application_key=\"...\"".utf8)
///     header["version"]
package struct PowerAuthHeader: Sendable, Equatable {
    /// Why a value is refused. Contains nothing of the value.
    package enum Defect: Error, Sendable, Equatable, CustomStringConvertible {
        case tooLong, otherScheme, noPair, malformedPair, tooManyPairs, doubledName

        package var description: String {
            switch self {
            case .tooLong: "the header is longer than \(PowerAuthHeader.maxBytes) bytes"
            case .otherScheme: "the header does not begin with PowerAuth and a blank"
            case .noPair: "the header has no name=\"value\""
            case .malformedPair: "a part of the header is not name=\"value\""
            case .tooManyPairs: "the header has more than \(PowerAuthHeader.mostPairs) names"
            case .doubledName: "the header has a name twice"
            }
        }
    }

    /// Bytes. The longest value, a signature with three factors, has about 350.
    package static let maxBytes = 1024
    package static let mostPairs = 16

    private struct Pair: Sendable, Equatable {
        let name: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>
    }

    private let pairs: [Pair]

    /// Parses a value. Names have letters, digits and `_`; values have visible ASCII characters except `"` and `\`.
    ///
    /// - Throws: the first defect.
    package init(_ bytes: some Collection<UInt8>) throws(Defect) {
        guard bytes.count <= Self.maxBytes else { throw .tooLong }
        let scheme = "PowerAuth "
        guard bytes.begins(with: scheme) else { throw .otherScheme }
        var rest = Array(bytes)[scheme.utf8.count...]
        var pairs: [Pair] = []
        while true {
            let next = rest.drop(while: Self.separates)
            guard !next.isEmpty else { break }
            // Two pairs need a separator between them.
            guard pairs.isEmpty || next.startIndex > rest.startIndex else { throw .malformedPair }
            rest = next
            let pair = try Self.takePair(from: &rest)
            guard !pairs.contains(where: { $0.name.elementsEqual(pair.name) }) else { throw .doubledName }
            guard pairs.count < Self.mostPairs else { throw .tooManyPairs }
            pairs.append(pair)
        }
        guard !pairs.isEmpty else { throw .noPair }
        self.pairs = pairs
    }

    /// The value of a name; `nil`: it is missing.
    package subscript(name: String) -> String? {
        pairs.first { $0.name.isSame(as: name) }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    private static func separates(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: ",") || byte == 0x09
    }

    private static func takePair(from rest: inout ArraySlice<UInt8>) throws(Defect) -> Pair {
        let name = rest.prefix { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
        rest = rest[name.endIndex...]
        guard !name.isEmpty, rest.begins(with: "=\"") else { throw .malformedPair }
        rest = rest.dropFirst(2)
        let value = rest.prefix { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        rest = rest[value.endIndex...]
        guard rest.first == UInt8(ascii: "\"") else { throw .malformedPair }
        rest = rest.dropFirst()
        return Pair(name: name, value: value)
    }
}
