/// Every number of webhooks that is not configured.
package enum WebhookRules {
    /// Most endpoints of one tenant.
    package static let mostEndpoints = 10
    package static let mostURLBytes = 2048
    /// At an endpoint at the same time; one that fails gets fewer, so that dead ones do not keep others out.
    static let inFlight = 8
    static let inFlightWhileFailing = 2
    package static let failuresOfFailing = 3
    /// At all endpoints together.
    static let inFlightInAll = 256
    /// At all endpoints of one tenant, so that a few tenants with slow receivers leave places for the others.
    static let inFlightOfClient = 32
    /// From then on an attempt is slow, whatever its answer. So many of them in a row count as failures do: the endpoint
    /// gets fewer at a time, until one is quick again.
    static let slowAttempt = Duration.seconds(5)
    /// For one attempt, from the name look-up to the last byte of the answer.
    package static let timeout = Duration.seconds(15)
    /// Longest body of an answer. No more is read, and none is kept.
    package static let mostAnswerBytes = 4096
    /// How long the keys before sign beside new ones.
    static let keyOverlap = Duration.seconds(24 * 3600)
    static let failuresToDisable = 10
    static let timeToDisable = Duration.seconds(5 * 24 * 3600)
    /// For how long an endpoint that wants order keeps an event back because of an earlier one of its session.
    package static let longestHold = Duration.seconds(30 * 60)
    /// Over so many that wait for one endpoint, the oldest noisy ones are dropped.
    package static let mostPending = 10_000
    /// Where so many wait, no ping is added.
    package static let mostPendingForPing = 100
    static let secretBytes = 32

    /// Between an attempt and the next one. The first steps are short, because a verification lives 15 minutes.
    private static let delays: [Duration] = [
        .zero, .seconds(5), .seconds(30), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600), .seconds(5 * 3600),
        .seconds(10 * 3600), .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ]

    /// When to try again.
    /// - Parameters:
    ///   - attempts: so many were made.
    ///   - wish: how long the receiver asks to be left alone; honoured up to twice the planned time.
    ///   - spread: 0 to 65535, of the jitter of 20 percent to either side.
    /// - Returns: `nil`: not again.
    package static func delay(afterAttempts attempts: Int, wish: Duration?, spread: UInt16) -> Duration? {
        guard attempts < delays.count else { return nil }
        let planned = delays[attempts]
        let jittered = planned * (80 + 40 * Int(spread) / 65_535) / 100
        guard let wish else { return jittered }
        return min(max(wish, jittered), planned * 2)
    }
}
