/// Limits of webhooks that are not configurable.
package enum WebhookRules {
    /// Maximum endpoints of one tenant.
    package static let mostEndpoints = 10
    package static let mostURLBytes = 2048
    /// Attempts at one endpoint at the same time. A failing endpoint gets fewer, so that dead endpoints do not block
    /// others.
    package static let inFlight = 8
    package static let inFlightWhileFailing = 2
    package static let failuresOfFailing = 3
    /// Attempts at all endpoints at the same time.
    package static let inFlightInAll = 256
    /// Attempts at all endpoints of one tenant, so that a few tenants with slow receivers do not block others.
    package static let inFlightOfClient = 32
    /// Longer attempts are slow, whatever the response. A run of slow attempts counts like a run of failures: the
    /// endpoint gets fewer attempts at a time until one is fast again.
    package static let slowAttempt = Duration.seconds(5)
    /// Limit for one attempt, from the name look-up to the last byte of the response.
    package static let timeout = Duration.seconds(15)
    /// Maximum body of a response. Further bytes are not read, and the body is not stored.
    package static let mostAnswerBytes = 4096
    /// How long previous keys sign beside new ones.
    static let keyOverlap = Duration.seconds(24 * 3600)
    static let failuresToDisable = 10
    static let timeToDisable = Duration.seconds(5 * 24 * 3600)
    /// How long an earlier event of a session can delay later ones at an endpoint that asked for order.
    package static let longestHold = Duration.seconds(30 * 60)
    /// If more deliveries are pending for one endpoint, the oldest noisy ones are dropped.
    package static let mostPending = 10_000
    /// If this many are pending, no ping is added.
    package static let mostPendingForPing = 100
    package static let secretBytes = 32

    /// Delays before each attempt. The first ones are short, because a verification lasts 15 minutes.
    private static let delays: [Duration] = [
        .zero, .seconds(5), .seconds(30), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600),
        .seconds(10 * 3600), .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ]

    /// When to try again.
    /// - Parameters:
    ///   - attempts: number of attempts made.
    ///   - wish: the receiver's `Retry-After`, accepted up to twice the planned delay.
    ///   - spread: 0 to 65535, for a jitter of 20 percent to either side.
    /// - Returns: the delay; `nil`: no further attempt.
    package static func delay(afterAttempts attempts: Int, wish: Duration?, spread: UInt16) -> Duration? {
        guard attempts < delays.count else { return nil }
        let planned = delays[attempts]
        let jittered = planned * (80 + 40 * Int(spread) / 65_535) / 100
        guard let wish else { return jittered }
        return min(max(wish, jittered), planned * 2)
    }
}
