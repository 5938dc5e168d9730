internal import Text

/// A text of a gateway file with placeholders.
///
///     {{to}}        the value
///     {{sender?}}   the value; without one, the field with this text is left out
///     {{seconds#}}  in JSON: a number
struct GatewayText: Sendable, Equatable {
    struct Defect: Error, Sendable, Equatable {
        let reason: String
    }

    private enum Piece: Sendable, Equatable {
        case text(String)
        case value(String, isOptional: Bool)
    }

    private let pieces: [Piece]
    /// The whole text is one placeholder for a number.
    let isNumber: Bool

    /// - Throws: for a placeholder that does not end, or has an invalid name.
    init(_ text: String) throws(Defect) {
        var pieces: [Piece] = []
        var isNumber = false
        var rest = Array(text.utf8)[...]
        while let start = rest.firstIndex(ofPair: UInt8(ascii: "{")) {
            if start > rest.startIndex { pieces.append(.text(String(decoding: rest[..<start], as: UTF8.self))) }
            rest = rest[(start + 2)...]
            guard let end = rest.firstIndex(ofPair: UInt8(ascii: "}")) else {
                throw Defect(reason: "has {{ without }}")
            }
            var name = rest[..<end]
            rest = rest[(end + 2)...]
            let mark = name.last
            let isOptional = mark == UInt8(ascii: "?")
            if isOptional || mark == UInt8(ascii: "#") { name.removeLast() }
            guard (1...64).contains(name.count), name.allSatisfy(\.isLetterOrDigit) else {
                throw Defect(reason: "has a place without a proper name: {{letters and digits}}")
            }
            if mark == UInt8(ascii: "#") {
                guard pieces.isEmpty, rest.isEmpty else {
                    throw Defect(reason: "has a number beside other text: {{name#}} must stand by itself")
                }
                isNumber = true
            }
            pieces.append(.value(String(decoding: name, as: UTF8.self), isOptional: isOptional))
        }
        if !rest.isEmpty { pieces.append(.text(String(decoding: rest, as: UTF8.self))) }
        self.pieces = pieces
        self.isNumber = isNumber
    }

    /// The names of all values, and whether the text needs each.
    var names: [(name: String, isOptional: Bool)] {
        pieces.compactMap {
            switch $0 {
            case .text: nil
            case .value(let name, let isOptional): (name, isOptional)
            }
        }
    }

    /// Whether the text begins with a placeholder.
    var beginsWithValue: Bool {
        if case .value = pieces.first { true } else { false }
    }

    /// The text with its values.
    /// - Parameters:
    ///   - escape: converts each value; the second argument says whether it is at the start of the text.
    /// - Returns: `nil`: a value is missing.
    func filled(
        _ values: GatewayValues, escape: (_ value: String, _ isFirst: Bool) -> String = { value, _ in value }
    ) -> String? {
        var text = ""
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .text(let part): text += part
            case .value(let name, _):
                guard let value = values[name] else { return nil }
                text += escape(value, index == 0)
            }
        }
        return text
    }
}

extension ArraySlice<UInt8> {
    fileprivate func firstIndex(ofPair byte: UInt8) -> Int? {
        guard count >= 2 else { return nil }
        return (startIndex..<endIndex - 1).first { self[$0] == byte && self[$0 + 1] == byte }
    }
}
