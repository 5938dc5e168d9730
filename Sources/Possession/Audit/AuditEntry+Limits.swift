extension AuditEntry {
    /// A prefix or a country has no more room for strangers at an API client. It is nobody's number, so it stands there as
    /// it is.
    package init(_ closing: LimitTallies.PlaceNews) {
        self.init(
            .prefixClosed, by: .server, at: closing.at, client: closing.key.tenant,
            detail: [(closing.isCountry ? "country" : "prefix", closing.place)])
    }

    /// A check has failed too often in a row, and is closed until a success of another one, or an operator.
    package init(_ stop: LimitTallies.Stop) {
        self.init(
            .checkStopped, by: .server, at: stop.at,
            about: Target(String(decoding: stop.key.ownSubject, as: UTF8.self)),
            detail: [("limit", stop.key.counter.limit.rawValue), ("failuresInARow", String(stop.failuresInARow))])
    }
}
