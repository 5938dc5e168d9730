internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /client/v1/session?after=6&wait=25`: the state, as soon as its `rev` is above `after`, or when the wait is
/// over.
///
///     ->  200, the state
///
/// Without `after` it answers at once. A newer poll of the session ends the older one.
struct ReadSession: ClientLook {
    struct Order: Sendable {
        var after: Int?
        var wait = 0
    }

    let watch: SessionWatch
    let places: WaitingPlaces

    /// In seconds (client protocol 4.4).
    private static let maxWait = 25

    static let call = Call(
        .get, ClientDescription.path, id: "readSession", "Read the state",
        "With after and wait a long poll: answers as soon as rev is over after. A newer poll releases the older one.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, ClientError> {
        ParameterMember.optionalQuery("after", .wholeNumber(upTo: .max), "The rev that is known.") { $0.after = $1 }
        ParameterMember.optionalQuery("wait", .wholeNumber(upTo: maxWait), "Seconds.") { $0.wait = $1 }
    }
    static let reply = ResponseReply<Response>([
        Answer(status: 200, about: "The state.", content: .json(.named("State")))
    ])

    func respond(
        to order: Order, of request: Request, from caller: ClientCaller
    ) async throws(ClientError) -> Response {
        guard let after = order.after, order.wait > 0 else { return try await watch.read(caller).response }
        return try await poll(request, caller, after: after, for: .seconds(order.wait))
    }

    private func poll(
        _ request: Request, _ caller: ClientCaller, after: Int, for duration: Duration
    ) async throws(ClientError) -> Response {
        let deadline = ContinuousClock.now.advanced(by: duration)
        // Registers interest before the state is read, so that no change is missed.
        var ticket = watch.register(caller)
        let first = try await watch.read(caller)
        if first.isNews(after: after) { return first.response }
        let place: WaitingPlaces.Place
        do throws(WaitingPlaces.Refusal) { place = try places.take(for: request) } catch { throw ClientError(error) }
        defer { place.giveBack() }
        let turn = watch.begin(caller)
        defer { watch.end(turn) }
        var seen = first.session
        while true {
            let outcome = await watch.wait(ticket, of: seen, for: deadline - ContinuousClock.now)
            ticket = watch.register(caller)
            let session = try await watch.session(of: caller)
            seen = session
            let isNews = session.revision > after || session.isDone
            if outcome != .published || isNews || !watch.isNewest(turn) {
                return .json(200, StateDocument(session).object)
            }
        }
    }
}
