internal import StrictJSON
internal import Text

extension JSONLimits {
    /// For answers and receipts of carriers. They contain texts of operators and users in members that are never read.
    static let ofCarriers: JSONLimits = {
        var limits = JSONLimits.default
        limits.replacesBadText = true
        return limits
    }()
}

/// A JSON pointer (RFC 6901) into an answer or a receipt.
struct GatewayPointer: Sendable, Equatable {
    static let maxBytes = 256

    private let tokens: [String]

    /// `nil`: the text is not a valid pointer.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.maxBytes else { return nil }
        var tokens: [String] = []
        for part in bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            var token: [UInt8] = []
            var index = part.startIndex
            while index < part.endIndex {
                if part[index] == UInt8(ascii: "~") {
                    guard index + 1 < part.endIndex else { return nil }
                    switch part[index + 1] {
                    case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
                    case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
                    default: return nil
                    }
                    index += 2
                } else {
                    token.append(part[index])
                    index += 1
                }
            }
            tokens.append(String(decoding: token, as: UTF8.self))
        }
        self.tokens = tokens
    }

    /// The value; `nil`: it does not exist.
    func value(in document: JSONValue) -> JSONValue? {
        var value = document
        for token in tokens {
            if let object = value.object {
                guard let member = object[token] else { return nil }
                value = member
            } else if let array = value.array {
                let isIndex = (1...6).contains(token.utf8.count) && token.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
                guard isIndex, let index = Int(token), array.indices.contains(index) else { return nil }
                value = array[index]
            } else {
                return nil
            }
        }
        return value
    }

    /// The value as text, if it is a text, a number or a Boolean.
    func text(in document: JSONValue) -> String? {
        switch value(in: document) {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let text): text
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }
}
