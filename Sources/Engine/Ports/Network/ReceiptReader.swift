package import Possession

/// An HTTP call by which a carrier sends a receipt.
package struct ReceiptCall: Sendable {
    package let method: String
    /// The URL that the carrier was given: the public one, with the query of the call.
    package let url: String
    /// Bytes after `?`.
    package let query: [UInt8]
    package let body: [UInt8]
    /// The first header field with this name, given in lower case.
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

/// Why a receipt is refused.
package enum ReceiptRefusal: Error, Sendable, Equatable {
    /// The carrier's signature is missing or wrong.
    case signature
    case malformed(reason: String)
}

/// Knows the format of each gateway's receipts.
package protocol ReceiptReader: Sendable {
    /// Reads a carrier's call about a message.
    /// - Parameter gateway: its configured name, as in the URL of the receipt.
    /// - Returns: `nil`: there is no such gateway, or it has no receipts.
    /// - Throws: `ReceiptRefusal`, each of its cases.
    func read(_ call: ReceiptCall, from gateway: String) throws(ReceiptRefusal) -> ReceiptReading?
}

/// A receipt, and the response that its sender expects.
package struct ReceiptReading: Sendable, Equatable {
    package let receipt: MessageReceipt
    /// `nil`: an empty response.
    package let answer: String?
    /// The gateway has a deadline for its first receipt (`Acceptance.receiptDue`).
    package let isTimed: Bool

    package init(_ receipt: MessageReceipt, answer: String? = nil, isTimed: Bool = false) {
        self.receipt = receipt
        self.answer = answer
        self.isTimed = isTimed
    }
}
