package import Possession
package import Text

/// Makes a call a mail: sender, recipient and login. The call's URL is `smtps://`, or `smtp://`, which must switch to
/// TLS. Plain text is allowed only to a server on this machine without `authorities`. The call's body is the message.
package struct MailEnvelope: Sendable {
    package var from: EmailAddress
    package var to: EmailAddress
    package var login: Login?
    /// Certificate authorities instead of the system's: the path of a PEM file.
    package var authorities: String?

    package struct Login: Sendable {
        package var user: String
        package var password: Secret
    }
}
