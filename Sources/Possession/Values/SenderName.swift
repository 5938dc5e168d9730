/// A sender name for messages: 1 to 16 letters, digits, blanks, `.`, `_`, `-` or a leading `+`.
package struct SenderName: Sendable, Equatable {
    /// Maximum names of one tenant.
    package static let most = 50

    package let text: String

    package init?(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "+"):
                true
            default: false
            }
        }
        guard (1...16).contains(text.utf8.count), isPlain else { return nil }
        self.text = text
    }

    package static func == (left: SenderName, right: SenderName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }
}
