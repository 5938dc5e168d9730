/// The number that a change may prove or to which it may send.
package enum JudgedNumber: Sendable {
    case number(PhoneNumber)
    /// The number that the key is bound to, if the key is known.
    case ofKey(Thumbprint)
}
