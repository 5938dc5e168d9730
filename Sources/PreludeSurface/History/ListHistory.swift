internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `GET /prelude/v2/verification/phone/history`: the verifications of this API client, newest first.
///
///     ->  200 {"verifications":[{"id":"vrf_01k...","phone_number":"+12001004014","status":"converted",...}],
///              "next_cursor":"vrf_01k..."}
struct ListHistory: PreludeEndpoint {
    static let path = "/prelude/v2/verification/phone/history"
    /// The most verifications that one call reads.
    private static let mostLookedAt = 200

    struct Order: Sendable {
        var number: String?
        var status: String?
        var least = 0
        var most = Int.max
        var from: Timestamp?
        var to: Timestamp?
        var limit = 50
        var after: CorrelationID?
        /// Whether the filter can match nothing here.
        var isEmpty = false
    }
    struct Page: Sendable {
        let entries: [HistoryEntry]
        let next: CorrelationID?
    }

    let engine: Engine
    let history: SessionHistory
    let refused: RefusedStarts

    init(engine: Engine) {
        self.engine = engine
        history = SessionHistory(engine)
        refused = RefusedStarts(engine)
    }

    static let call = Call(
        .get, path, id: "preludeListHistory", "List verifications",
        """
        As long as sessions are kept (24 hours, docs/data.md). A call looks at 200 of them at most: a page may have fewer \
        than limit, and next_cursor leads on. A cursor that is none of this server means the first page. Of blocked \
        calls of the backend, the newest 1000 are there.
        """,
        answer: "The verifications.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PreludeError> {
        ParameterMember.optionalQuery("phone_number", .text(.phoneNumber)) { $0.number = $1 }
        ParameterMember.optionalQuery("status", .historyStatus) { $0.status = $1 }
        ParameterMember.ignoredQuery("channels", .text(.freeText(128)), "No effect.")
        ParameterMember.ignoredQuery("device_platform", .text(.freeText(16)), "No effect.")
        ParameterMember.ignoredQuery("region", .text(.freeText(8)), "No effect.")
        ParameterMember.optionalQuery("template_id", .text(.freeText(64)), "Nothing has a template.") { order, _ in
            order.isEmpty = true
        }
        ParameterMember.optionalQuery("min_attempts", .wholeNumber(in: 0...1000)) { $0.least = $1 }
        ParameterMember.optionalQuery("max_attempts", .wholeNumber(in: 0...1000)) { $0.most = $1 }
        ParameterMember.optionalQuery("from", .time, "The first moment.") { $0.from = $1 }
        ParameterMember.optionalQuery("to", .time, "The last moment.") { $0.to = $1 }
        ParameterMember.optionalQuery("limit", .wholeNumber(in: 1...100), "50 unless it is given.") { $0.limit = $1 }
        ParameterMember.optionalQuery("cursor", .text(.freeText(128)), "next_cursor of the page before.") {
            $0.after = PreludeID.identifier($1)
        }
    }
    static let reply = Reply<Page> {
        ReplyMember.always("verifications", .list(of: .object(HistoryEntry.reply)), "The newest first.") { $0.entries }
        ReplyMember.whenThere("next_cursor", .text, "The value of cursor for the next page. Absent on the last page.") {
            $0.next.map { PreludeID.text($0) }
        }
    }
    static let refusals: [PreludeError] = [
        .field(FieldDefect("phone_number", "is not valid")), .field(FieldDefect("from", "is not valid")),
        .field(FieldDefect("status", "is not valid")),
    ]

    func respond(to order: Order, of request: Request, from tenant: Tenant) async throws(PreludeError) -> Page {
        if order.isEmpty { return Page(entries: [], next: nil) }
        let found = try await kept(order, of: tenant)
        let now = engine.now()
        var entries: [HistoryEntry] = []
        var last: CorrelationID?
        for kept in found {
            guard entries.count < order.limit else { break }
            last = kept.id
            if let entry = try await told(kept, order, at: now) { entries.append(entry) }
        }
        let isEnd = found.count < Self.mostLookedAt && last == found.last?.id
        return Page(entries: entries, next: isEnd ? nil : last)
    }

    private enum Kept {
        case session(Session)
        case refused(RefusedStart)

        var id: CorrelationID {
            switch self {
            case .session(let session): session.correlationID
            case .refused(let start): start.id
            }
        }
    }

    /// Sessions, and calls refused before a session began, newest first.
    private func kept(_ order: Order, of tenant: Tenant) async throws(PreludeError) -> [Kept] {
        let number = try order.number.map { (text) throws(PreludeError) in
            try Target.number(text, "phone_number", by: engine, for: tenant.id)
        }
        let (sessions, starts) = try await PreludeError.running { () async throws(EngineFault) in
            (
                try await history.sessions(
                    of: tenant.id, product: .prelude, target: number.map { .number($0) }, before: order.after,
                    most: Self.mostLookedAt),
                try await refused.starts(
                    of: tenant.id, product: .prelude, number: number, before: order.after, most: Self.mostLookedAt)
            )
        }
        let all = sessions.map { Kept.session($0) } + starts.map { .refused($0) }
        return Array(all.sorted { $0.id.bits > $1.id.bits }.prefix(Self.mostLookedAt))
    }

    /// - Returns: `nil`: the entry does not match the order.
    private func told(
        _ kept: Kept, _ order: Order, at now: Timestamp
    ) async throws(PreludeError) -> HistoryEntry? {
        switch kept {
        case .refused(let start): return HistoryEntry(start).flatMap { order.takes($0) ? $0 : nil }
        case .session(var session):
            session.expire(at: now)
            // The history is about phone numbers, so a verification by e-mail is left out.
            guard session.request.subject.mailbox == nil, order.takes(HistoryEntry(session, [])) else { return nil }
            let messages = try await PreludeError.running { [session] () async throws(EngineFault) in
                try await history.messages(of: session.correlationID)
            }
            return HistoryEntry(session, messages)
        }
    }
}

extension ListHistory.Order {
    fileprivate func takes(_ entry: HistoryEntry) -> Bool {
        let created = entry.createdAt
        return (status.map { entry.status.rawValue.isSame(as: $0) } ?? true) && entry.attempts >= least
            && entry.attempts <= most && (from.map { created >= $0 } ?? true) && (to.map { created <= $0 } ?? true)
    }
}

extension ParameterInput where Value == Timestamp {
    fileprivate static var time: ParameterInput {
        ParameterInput(.text(format: "date-time"), emptyIsAbsent: false) { (text, name) throws(FieldDefect) in
            guard let moment = RFC3339.milliseconds(text.utf8) else {
                throw FieldDefect(name, "must be a date and time")
            }
            return Timestamp(milliseconds: moment)
        }
    }
}

extension ParameterInput where Value == String {
    fileprivate static var historyStatus: ParameterInput {
        let known = HistoryEntry.Status.allCases.map(\.rawValue) + HistoryEntry.Status.others
        return ParameterInput(.choice(known)) { (text, name) throws(FieldDefect) in
            guard known.contains(where: { $0.isSame(as: text) }) else { throw FieldDefect(name, "is no status") }
            return text
        }
    }
}
