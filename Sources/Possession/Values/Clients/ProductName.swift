/// The name of a product: it decides which calls may start and continue a session. Each surface has its own names. The
/// engine only compares names and shows them to operators.
package struct ProductName: Sendable, Hashable {
    package static let lengths = 1...16

    package let text: String

    /// `nil` unless 1 to 16 of `a` to `z`, `0` to `9` and `-`.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    /// A name in this server's source.
    package init(known text: StaticString) {
        guard let name = ProductName("\(text)") else { preconditionFailure("not the name of a product") }
        self = name
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
