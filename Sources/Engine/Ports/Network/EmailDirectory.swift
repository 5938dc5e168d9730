package import Possession

/// Reads e-mail addresses in calls, and decides which of them this server may write to.
package protocol EmailDirectory: Sendable {
    /// - Throws: `EmailRefusal`, each of its cases.
    func read(_ text: String) throws(EmailRefusal) -> EmailAddress
}

/// Why a text is not an address that a call can use.
package enum EmailRefusal: Error, Sendable, Equatable {
    /// This server has no gateway for e-mail.
    case noWay
    case malformed
    /// This server does not serve the address. The reason does not contain it.
    case notServed(reason: String)
}

/// All addresses, if there is a gateway for e-mail.
package struct WorldEmails: EmailDirectory {
    private let hasWay: @Sendable () -> Bool

    /// - Parameter hasWay: whether e-mail can be sent now.
    package init(hasWay: @escaping @Sendable () -> Bool) {
        self.hasWay = hasWay
    }

    package func read(_ text: String) throws(EmailRefusal) -> EmailAddress {
        guard hasWay() else { throw .noWay }
        guard let address = EmailAddress(text) else { throw .malformed }
        return address
    }
}
