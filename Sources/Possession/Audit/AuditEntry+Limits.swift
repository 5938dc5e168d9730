extension AuditEntry {
    /// A prefix or a country whose budget for unknown callers is used up at an API client. It is not a person's number,
    /// so the entry contains it in clear text.
    package init(_ closing: LimitTallies.PlaceNews) {
        self.init(
            .prefixClosed, by: .server, at: closing.at, client: closing.key.tenant,
            detail: [(closing.isCountry ? "country" : "prefix", closing.place)])
    }

    /// A check that stopped after too many failures in a row, until another check succeeds or an operator unlocks it.
    package init(_ stop: LimitTallies.Stop) {
        self.init(
            .checkStopped, by: .server, at: stop.at,
            about: Target(String(decoding: stop.key.ownSubject, as: UTF8.self)),
            detail: [("limit", stop.key.counter.limit.rawValue), ("failuresInARow", String(stop.failuresInARow))])
    }
}
