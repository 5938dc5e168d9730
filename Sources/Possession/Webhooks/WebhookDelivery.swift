/// Result of one attempt to deliver an event to an endpoint.
package struct WebhookAttempt: Sendable, Equatable {
    /// Why an attempt failed. The customer sees it, so it does not reveal where the call went.
    package enum Failure: String, Sendable, CaseIterable {
        case timeout
        /// No connection, or the address is not allowed.
        case refused
        case tls
        /// The status was not 2xx.
        case status
        /// The response was too long or not HTTP, or the connection broke.
        case broken
        /// The receiver asked for no further attempts of this event.
        case aborted
        /// Dropped because too many events were pending.
        case dropped
    }

    package let status: Int?
    package let failure: Failure?
    /// The receiver's `Retry-After`.
    package let wish: Duration?

    package init(status: Int?, failure: Failure?, wish: Duration? = nil) {
        self.status = status
        self.failure = failure
        self.wish = wish
    }

    package static func taken(_ status: Int) -> WebhookAttempt { WebhookAttempt(status: status, failure: nil) }

    package var isTaken: Bool { failure == nil }
    var isGone: Bool { status == 410 }
    /// Another attempt would not help.
    var isFinal: Bool { isTaken || isGone || failure == .aborted }
}

/// The delivery of an event to one endpoint.
package struct WebhookDelivery: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable { case pending, delivered, failed, dropped }

    package let event: WebhookEvent
    package let endpoint: WebhookEndpointID
    package private(set) var state: State
    package private(set) var attempts: Int
    /// When the next attempt is due; `nil` if there will be none.
    package private(set) var nextAt: Timestamp?
    package private(set) var lastStatus: Int?
    package private(set) var lastFailure: WebhookAttempt.Failure?
    package private(set) var lastAt: Timestamp?

    package init(
        event: WebhookEvent, endpoint: WebhookEndpointID, state: State = .pending, attempts: Int = 0,
        nextAt: Timestamp?, lastStatus: Int? = nil, lastFailure: WebhookAttempt.Failure? = nil, lastAt: Timestamp? = nil
    ) {
        self.event = event
        self.endpoint = endpoint
        self.state = state
        self.attempts = attempts
        self.nextAt = nextAt
        self.lastStatus = lastStatus
        self.lastFailure = lastFailure
        self.lastAt = lastAt
    }

    /// When the next attempt is planned; `nil`: at once, or never. The first attempt has no planned time.
    package var plannedAt: Timestamp? { attempts == 0 ? nil : nextAt }

    /// - Parameter spread: random value for the jitter, 0 to 65535.
    package mutating func note(_ attempt: WebhookAttempt, at now: Timestamp, spread: UInt16) {
        attempts += 1
        lastAt = now
        lastStatus = attempt.status
        lastFailure = attempt.failure
        nextAt = nil
        if attempt.isTaken {
            state = .delivered
        } else if !attempt.isFinal,
            let delay = WebhookRules.delay(afterAttempts: attempts, wish: attempt.wish, spread: spread)
        {
            nextAt = now.adding(delay)
        } else {
            state = .failed
        }
    }
}
