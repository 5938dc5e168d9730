internal import Possession
internal import Text

/// The number and the address that a check names beside the order. Each must match the session, if it is named.
struct NamedTarget: Sendable {
    var number: PhoneNumber?
    var email: String?

    /// Whether every named target is the session's. The address may also be the one that the call for the order named
    /// beside the number.
    func agrees(with session: Session) -> Bool {
        guard number == nil || session.currentNumber == number else { return false }
        guard let email else { return true }
        let subject = session.request.subject
        guard let address = EmailAddress(email) else { return subject.emailAddress?.isSame(as: email) ?? false }
        return subject.mailbox == address || subject.emailAddress.flatMap { EmailAddress($0) } == address
    }
}
