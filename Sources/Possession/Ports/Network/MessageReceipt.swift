/// Receipt: a carrier says later what became of a message that it took.
package struct MessageReceipt: Sendable, Equatable {
    /// How the message ended. The first end that a receipt names stays, but a delivery gives way to a failure.
    package enum End: String, Sendable, CaseIterable {
        case delivered, undelivered
        /// The network gave up waiting for the phone.
        case expired

        /// Whether it stands in the place of an earlier end: one part of a long message failed after another one was delivered.
        func corrects(_ earlier: End) -> Bool { earlier == .delivered && self != .delivered }
    }

    package static let maxCodeBytes = 32

    /// `nil`: the message is on its way still.
    package let end: End?
    /// The carrier's code of the reason: 1 to 32 of `A-Z a-z 0-9 . _ -`.
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

/// A call that a carrier makes to tell what became of a message.
package struct ReceiptCall: Sendable {
    package let method: String
    /// The URL as the carrier was given it: the public one, with the query that came.
    package let url: String
    /// Bytes behind `?`.
    package let query: [UInt8]
    package let body: [UInt8]
    /// The first field of a name in lower case.
    package let header: @Sendable (String) -> String?

    package init(
        method: String, url: String, query: [UInt8], body: [UInt8], header: @escaping @Sendable (String) -> String?
    ) {
        self.method = method
        self.url = url
        self.query = query
        self.body = body
        self.header = header
    }
}

/// Why a receipt is not taken.
package enum ReceiptRefusal: Error, Sendable, Equatable {
    /// It is not signed as the carrier signs.
    case signature
    case malformed(reason: String)
}

/// Knows how the receipts of each gateway look.
package protocol ReceiptReader: Sendable {
    /// Reads a carrier's call about a message.
    /// - Parameter gateway: its configured name, as the address of the receipt has it.
    /// - Returns: `nil`: there is no such gateway, or it has no receipts.
    /// - Throws: `ReceiptRefusal`, each of its cases.
    func read(_ call: ReceiptCall, from gateway: String) throws(ReceiptRefusal) -> ReceiptReading?
}

/// A receipt, and what its sender wants to read.
package struct ReceiptReading: Sendable, Equatable {
    package let receipt: MessageReceipt
    /// `nil`: nothing.
    package let answer: String?
    /// The gateway has a time for its first receipt (`Acceptance.receiptDue`).
    package let isTimed: Bool

    package init(_ receipt: MessageReceipt, answer: String? = nil, isTimed: Bool = false) {
        self.receipt = receipt
        self.answer = answer
        self.isTimed = isTimed
    }
}
