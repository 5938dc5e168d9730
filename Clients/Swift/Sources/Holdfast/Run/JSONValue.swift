import Foundation

/// A value that a client writes as JSON: bodies of calls, headers and claims of proofs.
enum JSONValue: Encodable, Sendable, ExpressibleByStringLiteral {
    case string(String)
    case bool(Bool)
    case int(Int)
    case object(JSONObject)

    init(stringLiteral value: String) {
        self = .string(value)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

typealias JSONObject = [String: JSONValue]

extension JSONObject {
    /// The same bytes for the same members.
    func encoded() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            preconditionFailure("texts, numbers and objects of them always encode")
        }
    }
}

/// Base64 of RFC 4648 section 5, without padding.
package enum Base64URL {
    package static func text(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    package static func data(_ text: String) -> Data? {
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4))
    }
}
