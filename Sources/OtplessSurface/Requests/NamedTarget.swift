internal import Possession
internal import Text

/// The number and the address that a check names beside the order. What is named and differs is no match.
struct NamedTarget: Sendable {
    var number: PhoneNumber?
    var email: String?

    /// Whether all that is named is the session's own. An address may be the one that the order's call has named beside the
    /// number.
    func agrees(with session: Session) -> Bool {
        guard number == nil || session.currentNumber == number else { return false }
        guard let email else { return true }
        let subject = session.request.subject
        guard let address = EmailAddress(email) else { return subject.emailAddress?.isSame(as: email) ?? false }
        return subject.mailbox == address || subject.emailAddress.flatMap { EmailAddress($0) } == address
    }
}
