/// Reads the e-mail addresses that callers send, and knows which of them this server writes to.
package protocol EmailDirectory: Sendable {
    /// - Throws: `EmailRefusal`, each of its cases.
    func read(_ text: String) throws(EmailRefusal) -> EmailAddress
}

/// Why a text names no address that a call can use.
package enum EmailRefusal: Error, Sendable, Equatable {
    /// This server has no way for e-mail.
    case noWay
    case malformed
    /// It is an address, but none that this server serves. The reason names no address.
    case notServed(reason: String)
}

/// The addresses of the world, where there is a way for e-mail.
package struct WorldEmails: EmailDirectory {
    private let hasWay: @Sendable () -> Bool

    /// - Parameter hasWay: whether a message can leave by e-mail now.
    package init(hasWay: @escaping @Sendable () -> Bool) {
        self.hasWay = hasWay
    }

    package func read(_ text: String) throws(EmailRefusal) -> EmailAddress {
        guard hasWay() else { throw .noWay }
        guard let address = EmailAddress(text) else { throw .malformed }
        return address
    }
}
