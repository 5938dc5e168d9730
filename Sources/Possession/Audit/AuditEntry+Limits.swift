extension AuditEntry {
    /// The spend guard has closed a prefix. It is nobody's number, so it stands there as it is.
    package init(_ closing: LimitTallies.Closing) {
        self.init(
            .prefixClosed, by: .server, at: closing.at,
            detail: [
                ("prefix", closing.prefix), ("messages", String(closing.messages)),
                ("answers", String(closing.answers)), ("until", closing.until.rfc3339),
            ])
    }

    /// A check has failed too often in a row, and is closed until a success of another one, or an operator.
    package init(_ stop: LimitTallies.Stop) {
        self.init(
            .checkStopped, by: .server, at: stop.at,
            about: Target(String(decoding: stop.key.subject, as: UTF8.self)),
            detail: [("limit", stop.key.counter.limit.rawValue), ("failuresInARow", String(stop.failuresInARow))])
    }
}
