internal import SurfaceKit
internal import HTTPServer
internal import Locks
internal import Possession

/// A receiver of webhooks for tests, in memory: it keeps the latest requests unchanged, and fails as the URL requests.
final class WebhookReceiver: Sendable {
    /// The answer to an attempt that fails.
    struct Failure: Sendable, Equatable {
        /// One of `statuses`.
        var status = 500
        /// Seconds.
        var retryAfter: Int?
        /// Whether the answer asks for no further attempt.
        var aborts = false

        /// A redirect, permanent refusals, and temporary failures.
        static let statuses = [307, 400, 401, 403, 404, 410, 429, 500, 502, 503, 504]
    }

    /// Its behaviour, given in the query of the endpoint's URL.
    struct Script: Sendable, Equatable {
        /// How many attempts of each event fail.
        var failures = 0
        var failure = Failure()
        /// Seconds before any answer.
        var delay = 0
    }

    /// A request as received.
    struct Taken: Sendable {
        let at: Timestamp
        /// The number of the attempt for this event, from 1.
        let attempt: Int
        let answered: Int
        let headers: Headers
        let body: String
    }

    private struct State {
        var taken: [Taken] = []
        var attempts = ExpiringTable<Int>(capacity: WebhookReceiver.mostEvents)
    }

    static let mostKept = 100
    private static let id = "webhook-id"
    /// Header fields of a request that are kept.
    private static let kept = ["content-type", "user-agent", id, "webhook-timestamp", "webhook-signature"]
    private static let mostEvents = 1000
    /// How long attempts of an event are counted: longer than attempts are made, by the sandbox clock.
    private static let counted = Duration.seconds(14 * 24 * 3600)

    private let now: Now
    private let state = Locked(State())

    init(now: @escaping Now) {
        self.now = now
    }

    /// Stores a request.
    /// - Returns: how it fails; `nil`: it succeeds.
    func take(_ request: Request, by script: Script) -> Failure? {
        let now = now()
        let name = request.headers[Self.id]
        let body = String(decoding: request.body, as: UTF8.self)
        let headers = Headers(Self.kept.compactMap { name in request.headers[name].map { (name, $0) } })
        return state.withLock { state in
            // Without an ID, each request counts as a separate event.
            let attempt = name.map { (state.attempts.remove($0, at: now) ?? 0) + 1 } ?? 1
            if let name {
                state.attempts.insert(attempt, for: name, until: now.adding(Self.counted), at: now)
            }
            let failure = attempt <= script.failures ? script.failure : nil
            if state.taken.count == Self.mostKept { state.taken.removeFirst() }
            state.taken.append(
                Taken(at: now, attempt: attempt, answered: failure?.status ?? 204, headers: headers, body: body))
            return failure
        }
    }

    /// Newest first.
    var requests: [Taken] { state.withLock { $0.taken.reversed() } }
}
