internal import Possession
internal import Text

extension TemplateGateway {
    /// The mail for a message.
    /// - Throws: `.ours`: a value is missing.
    func request(
        _ mail: GatewaySpecification.Mail, _ values: GatewayValues, _ message: OutgoingMessage,
        _ form: OutgoingMessage.Form, timeout: Duration
    ) throws(GatewayFault) -> OutboundRequest {
        guard let to = message.to.email else { throw GatewayFault("an e-mail to a number", kind: .ours) }
        guard let url = specification.url.filled(values),
            let from = mail.from.filled(values).flatMap({ EmailAddress($0) })
        else { throw GatewayFault("a value of the mail server is missing", kind: .ours) }
        let content = MailMessage(
            from: from, name: mail.name?.filled(values), to: to, subject: form.subject ?? "", text: form.text,
            id: message.id.text, at: message.sentAt)
        var request = OutboundRequest(method: "", url: url, body: content.bytes, timeout: timeout)
        var envelope = MailEnvelope(from: from, to: to, authorities: mail.authorities?.filled(values))
        if let user = mail.user?.filled(values), let password = mail.password?.filled(values) {
            envelope.login = MailEnvelope.Login(user: user, password: Secret(password))
        }
        request.envelope = envelope
        return request
    }
}

extension GatewayFault {
    /// Interprets a mail server's last status (RFC 5321 section 4.2.1); `nil`: it has accepted the message.
    init?(mail response: OutboundResponse) {
        guard let step = response.step else { return nil }
        let status = response.status
        let isForNow = (400..<500).contains(status)
        let kind: Kind
        if step == .login || (530...539).contains(status) {
            // The server requires a login, or stronger TLS (RFC 4954 section 6).
            kind = .account
        } else if status == 421 {
            // The server is shutting down.
            kind = .busy
        } else {
            kind =
                switch step {
                case .session, .login: isForNow ? .busy : .route
                case .sender: isForNow ? .route : .account
                // Temporary: greylisting or a full mailbox; another server may be accepted. Permanent: there is no such
                // mailbox.
                case .recipient: isForNow ? .route : .number
                case .content: .route
                }
        }
        self.init("SMTP status \(status)", kind: kind, code: String(status))
    }
}
