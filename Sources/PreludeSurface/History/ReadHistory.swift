internal import HTTPServer
internal import Engine
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
    struct NumberHistory: Sendable {
        let entry: HistoryEntry
        let country: String?
        let condition: HistoryEntry.Condition?
        let timeline: HistoryTimeline
    }

    let engine: Engine
    let backend: Verifications

    static let call = Call(
        .get, ListHistory.path + "/{id}", id: "preludeReadHistory", "Look at a verification",
        "With what has happened, in order: no codes and no texts of messages. Also one that was blocked.",
        answer: "The verification.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PreludeError> {
        ParameterMember.path("id", .anyText.described(as: .text(least: 1)), "vrf_ and 26 characters.") {
            $0.id = PreludeID.identifier($1)
        }
    }
    static let reply = Reply<NumberHistory> {
        ReplyMember.always("id", .text, "vrf_ and 26 characters, as create answers.") { PreludeID.text($0.entry.id) }
        ReplyMember.always("phone_number", .text, "The number in E.164, with +.") { $0.entry.number }
        ReplyMember.always("status", .choice(HistoryEntry.Status.allCases), HistoryEntry.Status.about) {
            $0.entry.status
        }
        ReplyMember.always("created_at", .moment, "When the verification began, UTC.") { $0.entry.createdAt }
        ReplyMember.always(
            "expires_at", .moment, "When the window ends, UTC. The same as created_at if no window was opened."
        ) { $0.entry.expiresAt }
        ReplyMember.whenThere("correlation_id", .text, "metadata.correlation_id of the create. Absent without one.") {
            $0.entry.reference
        }
        ReplyMember.whenThere(
            "ip_address", .text, "The address of the person's device. Absent if the server does not know it."
        ) { $0.entry.address }
        ReplyMember.whenThere(
            "phone_number_region", .text,
            "The country of the number, ISO 3166-1. Absent where the numbering plan names none."
        ) { $0.country }
        ReplyMember.whenThere(
            "block_reasons", .list(of: .text(.choice(Created.RiskFactor.allCases.map(\.rawValue)))),
            "Why it was blocked, where that is more than the status says."
        ) { $0.entry.reason?.riskFactors?.map(\.rawValue) }
        ReplyMember.whenThere(
            "phone_number_condition", .choice(HistoryEntry.Condition.allCases), "Of a blocked number, at the call."
        ) { $0.entry.condition }
        ReplyMember.whenThere(
            "phone_number_current_condition", .choice(HistoryEntry.Condition.allCases), "As it is now."
        ) { $0.condition }
        ReplyMember.always(
            "lifecycle", .object(HistoryTimeline.reply),
            "The events of the verification: no codes and no texts of messages."
        ) { $0.timeline }
    }
    static let refusals: [PreludeError] = [.notFound(what: "verification")]

    func respond(to order: Order, of request: Request, from tenant: Tenant) async throws(PreludeError) -> NumberHistory
    {
        guard let id = order.id, let (entry, timeline) = try await look(up: id, of: tenant) else {
            throw .notFound(what: "verification")
        }
        request.note(id)
        let number = PhoneNumber(e164: entry.number)
        let country = number.flatMap { engine.network.numbers.country(of: $0) }
        return NumberHistory(
            entry: entry, country: country.flatMap { ($0.utf8.first ?? 0) >= 65 ? $0 : nil },
            condition: try await condition(of: number, for: tenant), timeline: timeline)
    }

    /// - Returns: `nil`: the API client has no such verification of a phone number.
    private func look(
        up id: CorrelationID, of tenant: Tenant
    ) async throws(PreludeError) -> (HistoryEntry, HistoryTimeline)? {
        let found = try await PreludeError.running { () async throws(EngineFault) in
            try await backend.session(.correlation(id), of: .prelude, for: tenant.id)
        }
        if let found {
            guard found.request.subject.mailbox == nil else { return nil }
            let events = try await PreludeError.running { () async throws(EngineFault) in
                try await SessionHistory(engine).events(of: id)
            }
            return (HistoryEntry(found, []), HistoryTimeline(events, of: id))
        }
        let start = try await PreludeError.running { () async throws(EngineFault) in
            try await RefusedStarts(engine).start(id, of: tenant.id, product: .prelude)
        }
        return start.flatMap { HistoryEntry($0) }.map { ($0, HistoryTimeline(ofBlockedAt: $0.createdAt)) }
    }

    /// The API client's list that the number is on.
    private func condition(
        of number: PhoneNumber?, for tenant: Tenant
    ) async throws(PreludeError) -> HistoryEntry.Condition? {
        guard let number else { return nil }
        if TestNumbers(engine).has(number, of: tenant.id) { return .sandboxed }
        let lists = NumberLists(engine)
        let (isAllowed, isBlocked) = try await PreludeError.running { () async throws(EngineFault) in
            (
                try await lists.contains(number, .allowed, of: tenant.id),
                try await lists.contains(number, .blocked, of: tenant.id)
            )
        }
        return isAllowed ? .allowListed : isBlocked ? .blockListed : nil
    }
}
