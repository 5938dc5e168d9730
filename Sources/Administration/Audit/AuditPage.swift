internal import StrictJSON

/// The part of the audit log that an order asks for.
struct AuditPage: Sendable, Equatable {
    static let mostLines = 500

    /// The lines after this number.
    var after: Int64 = 0
    /// The most lines, up to `mostLines`.
    var limit = AuditPage.mostLines

    init(after: Int64 = 0, limit: Int = AuditPage.mostLines) {
        self.after = after
        self.limit = limit
    }

    /// `nil`: the body has another form.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONObject.parse(body), let after = object["after"]?.integer, after >= 0,
            let limit = object["limit"]?.integer.flatMap({ Int(exactly: $0) }), (1...Self.mostLines).contains(limit)
        else { return nil }
        self.init(after: after, limit: limit)
    }

    var object: JSONObject { ["after": .integer(after), "limit": .integer(Int64(limit))] }
}
