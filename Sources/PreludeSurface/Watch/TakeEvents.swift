internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /prelude/v2/watch/event`: takes a backend's events. The server checks their form and ignores them.
///
///     {"events":[{"target":{"type":"phone_number","value":"+12001004014"},"label":"account.banned","confidence":"high"}]}
///     ->  200 {"request_id":"4f1c","status":"success"}
struct TakeEvents: PreludeEndpoint {
    static let call = Call(
        .post, "/prelude/v2/watch/event", id: "preludeTakeEvents", "Tell of events",
        "They are read and checked. They have no effect and are not kept.",
        body: .json(
            """
            {"events":[{"target":{"type":"phone_number","value":"+12001004014"},"label":"account.banned",\
            "confidence":"high"}]}
            """, upTo: .event), answer: "They were read.")
    static let body = Shape([Report]()) {
        Member.required("events", .list(of: Report.event, most: Report.most), "At most 100 events.") { $0 = $1 }
    }
    static let reply = Report.reply

    func respond(
        to events: [Report], of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> AnswerWithRequestID<Nothing> { AnswerWithRequestID(Nothing(), request.id) }
}
