internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /sandbox/webhooks/receiver?failures=&status=&retryAfter=&abort=&delay=`: receives webhooks for tests, and
/// fails as the URL requests.
///
///     {"type":"session.succeeded", ...}  ->  204
struct TakeWebhook: SandboxEndpoint {
    let receiver: WebhookReceiver
    let waits: WaitList
    let places: WaitingPlaces

    /// Seconds; longer than a sender waits.
    private static let maxDelay = 20

    static let call = Call(
        .post, "/sandbox/webhooks/receiver", id: "takeWebhook", "Receive a webhook",
        "An endpoint for tests: takes any body, keeps the last \(WebhookReceiver.mostKept) requests, and fails as the "
            + "query of its URL asks.", body: .raw(upTo: .event))
    static let refusals: [SandboxError] =
        [.rateLimited(.init(.waitsPerAddress, retryAfterSeconds: 5))]
        + failures.map { .asAsked(WebhookReceiver.Failure(status: $0)) }
    static let body = Shape(WebhookReceiver.Script())
    static let parameters = Parameters<WebhookReceiver.Script, SandboxError> {
        ParameterMember.optionalQuery(
            "failures", .wholeNumber(in: 0...100), "So many attempts of each event fail; none unless it is given."
        ) { $0.failures = $1 }
        ParameterMember.optionalQuery("status", status, "Of a failing attempt: 500 unless it is given.") {
            $0.failure.status = $1
        }
        ParameterMember.optionalQuery(
            "retryAfter", .wholeNumber(in: 0...86_400), "A failing attempt's Retry-After, in seconds."
        ) { $0.failure.retryAfter = $1 }
        ParameterMember.optionalQuery("abort", .flag, "Whether a failing attempt asks for no further one.") {
            $0.failure.aborts = $1
        }
        ParameterMember.optionalQuery("delay", .wholeNumber(upTo: maxDelay), "Seconds before the answer.") {
            $0.delay = $1
        }
    }

    private static let redirect = 307
    private static let failures = WebhookReceiver.Failure.statuses.filter { $0 != redirect }
    private static let status = ParameterInput<Int>(.integer(300...599)) { (text, name) throws(FieldDefect) in
        guard let status = WebhookReceiver.Failure.statuses.first(where: { String($0).isSame(as: text) }) else {
            let listed = WebhookReceiver.Failure.statuses.map(String.init).joined(separator: ", ")
            throw FieldDefect(name, "must be one of \(listed)")
        }
        return status
    }

    static let reply = ResponseReply<Int>([
        Answer(status: 204, about: "Taken."),
        Answer(status: redirect, about: "The query asks for it.", headers: ["Location"]),
    ]) { status in
        Response(status: status, headers: status == redirect ? [("Location", call.path)] : [])
    }

    func respond(
        to script: WebhookReceiver.Script, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> Int {
        let place = try script.delay > 0 ? place(for: request) : nil
        defer { place?.giveBack() }
        let failure = receiver.take(request, by: script)
        if script.delay > 0 { _ = await waits.register("a slow receiver").wait(for: .seconds(script.delay)) }
        guard let failure else { return 204 }
        guard failure.status == Self.redirect else { throw .asAsked(failure) }
        return failure.status
    }

    /// - Throws: `.rateLimited`, `.overloaded` when too many callers wait.
    private func place(for request: Request) throws(SandboxError) -> WaitingPlaces.Place {
        do throws(WaitingPlaces.Refusal) { return try places.take(for: request) } catch { throw SandboxError(error) }
    }
}
