/// Receipt: a carrier reports later how a message ended.
package struct MessageReceipt: Sendable, Equatable {
    /// How the message ended. The first reported end is kept, but a failure replaces a delivery.
    package enum End: String, Sendable, CaseIterable {
        case delivered, undelivered
        /// The network stopped waiting for the phone.
        case expired

        /// Whether it replaces an earlier end: one part of a long message failed after another part was delivered.
        package func corrects(_ earlier: End) -> Bool { earlier == .delivered && self != .delivered }
    }

    package static let maxCodeBytes = 32

    /// `nil`: the message is still on its way.
    package let end: End?
    /// The carrier's reason code: 1 to 32 of `A-Z a-z 0-9 . _ -`.
    package let code: String?

    package init(_ end: End?, code: String? = nil) {
        self.end = end
        let isFit = code.map { code in
            (1...Self.maxCodeBytes).contains(code.utf8.count)
                && code.utf8.allSatisfy { byte in
                    switch byte {
                    case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                    default: false
                    }
                }
        }
        self.code = isFit == true ? code : nil
    }
}
