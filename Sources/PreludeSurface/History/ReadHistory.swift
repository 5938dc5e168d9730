internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /prelude/v2/verification/phone/history/{id}`: one verification with its timeline.
///
///     ->  200 {"id":"vrf_01k...","phone_number":"+12001004014","status":"converted","created_at":"...",
///              "expires_at":"...","lifecycle":{"events":[...]}}
struct ReadHistory: PreludeEndpoint {
    struct Order: Sendable {
        var id: CorrelationID?
    }
    struct Told: Sendable {
        let entry: HistoryEntry
        let country: String?
        let events: [SessionEvent]
    }

    let engine: Engine
    let backend: BackendVerifications

    static let call = Call(
        .get, ListHistory.path + "/{id}", id: "preludeReadHistory", "Look at a verification",
        "With what has happened, in order: no codes and no texts of messages.", answer: "The verification.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PreludeError> {
        ParameterMember.path("id", .anyText.described(as: .text(least: 1)), "vrf_ and 26 characters.") {
            $0.id = PreludeID.identifier($1)
        }
    }
    static let reply = Reply<Told> {
        ReplyMember.always("id", .text) { PreludeID.text($0.entry.session.correlationID) }
        ReplyMember.always("phone_number", .text) { $0.entry.number }
        ReplyMember.always("status", .choice(HistoryEntry.Status.allCases)) { $0.entry.status }
        ReplyMember.always("created_at", .moment) { $0.entry.session.createdAt }
        ReplyMember.always("expires_at", .moment) { $0.entry.session.expiresAt }
        ReplyMember.whenThere("correlation_id", .text) { $0.entry.session.request.references.clientRequestID }
        ReplyMember.whenThere("ip_address", .text) { $0.entry.session.request.subject.ipAddress }
        ReplyMember.whenThere("phone_number_region", .text) { $0.country }
        ReplyMember.always("lifecycle", .object(HistoryTimeline.reply)) {
            HistoryTimeline($0.events, of: $0.entry.session.correlationID)
        }
    }
    static let refusals: [PreludeError] = [.notFound(what: "verification")]

    func respond(to order: Order, of request: Request, from tenant: Tenant) async throws(PreludeError) -> Told {
        guard let id = order.id else { throw .notFound(what: "verification") }
        let found = try await PreludeError.running { () async throws(EngineFault) in
            try await backend.session(.correlation(id), of: .prelude, for: tenant.id)
        }
        guard let session = found, session.request.subject.mailbox == nil else { throw .notFound(what: "verification") }
        request.note(id)
        let events = try await PreludeError.storing { () async throws(StorageFault) in
            try await engine.sessions.events(of: id)
        }
        let country = session.currentNumber.flatMap { engine.numbers.country(of: $0) }
        return Told(
            entry: HistoryEntry(session, []), country: country.flatMap { ($0.utf8.first ?? 0) >= 65 ? $0 : nil },
            events: events)
    }
}
