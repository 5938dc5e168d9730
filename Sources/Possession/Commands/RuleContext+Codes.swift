/// The codes and links of messages.
extension RuleContext {
    /// Makes the code for a target. For a code that must not pass the awaited digest is random, and nothing matches it.
    func issuer(_ drawn: DrawnCode, for tenant: ClientID, at now: Timestamp) -> Session.CodeIssuer {
        { session, target, length in
            if target.isNobody {
                return Session.IssuedCode(shown: drawn.digits.prefix(length), expected: drawn.unmatchable)
            }
            if let test = server.testNumber(target, of: tenant, at: now) {
                return Session.IssuedCode(shown: test.code, expected: server.keyed.testOTP(test.code, session))
            }
            let code = server.codes.code(for: target, drawn: drawn.digits.prefix(length), own: drawn.own)
            return Session.IssuedCode(
                shown: code.shown,
                expected: code.passes ? server.keyed.otp(code.shown, session, target) : drawn.unmatchable,
                isOwn: drawn.own != nil)
        }
    }

    /// Relays the backend's own code unchanged. A test number gets its fixed code, which is never sent.
    func issuer(relaying code: OTP, in session: Session, at now: Timestamp) -> Session.CodeIssuer {
        let test = session.currentNumber.flatMap { server.testNumber(.number($0), of: session.clientID, at: now) }
        return { session, target, _ in
            if let test {
                return Session.IssuedCode(shown: test.code, expected: server.keyed.testOTP(test.code, session))
            }
            return Session.IssuedCode(shown: code, expected: server.keyed.otp(code, session, target), isOwn: true)
        }
    }

    /// The token of the link that code messages carry if the session's links give codes. All messages of a session have the same
    /// token. The store keeps only its digest. `nil`: the messages carry no link.
    package func carriedLink(of session: Session) -> String? {
        session.request.options.exchange == nil ? nil : server.keyed.text(server.keyed.codeLink(session.correlationID))
    }
}
