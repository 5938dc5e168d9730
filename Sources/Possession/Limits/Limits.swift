/// Every number the rules depend on, with its unit. Defaults are the contract's (client protocol 4.6).
package struct Limits: Sendable, Equatable {
    /// From the start to the last moment the client may act. Also the lifetime of the auth token.
    package var sessionLifetime: Duration = .seconds(900)
    /// How long a result stays readable after the session's end (contract section 8).
    package var resultLifetime: Duration = .seconds(900)
    /// How long rows are kept for the operator's timeline, from the session's start (DAT-04).
    package var retention: Duration = .seconds(24 * 3600)
    /// `retention`, but never shorter than a result is readable.
    package var rowLifetime: Duration { max(retention, sessionLifetime + resultLifetime) }

    /// Messages a session may cause; resends and changes of the number share it (OTP-07).
    package var sendsPerSession = 3
    /// Numbers a session may name, the first included, where the tenant allows a change; else 1.
    package var numberEntriesPerSession = 3
    /// Code entries with `allowOTPRetry`; else 1 (OTP-05).
    package var otpAttemptsWithRetry = 3
    /// From the send to the last moment the code is taken (OTP-03).
    package var otpLifetime: Duration = .seconds(120)
    /// Digits of a code when no template says (contract section 8).
    package var otpCodeLength = 4
    /// Minimum digits of a code, whatever a call asks for; `nil`: no minimum beyond that of a code (sandbox).
    package var leastCodeDigits: Int?

    /// Channels for a code to a number, the preferred one first.
    package var channels: [OutgoingMessage.Channel] = [.sms]

    /// Whether a message that its carrier could not deliver is sent again, unchanged, by the next route.
    package var sendsByNextRoute = true

    /// From the send to the last moment an instant link can decide (OTP-03), and how long the waiting page waits.
    package var linkLifetime: Duration = .seconds(180)
    package var linkWait: Duration = .seconds(300)

    /// Mobile Auth attempts a session may open (ours; client protocol 4.7 has no number).
    package var mobileAuthAttemptsPerSession = 3
    /// From the offer to the first hop; from there to the return hop; from the answer to `finish`.
    package var mobileAuthTicketLifetime: Duration = .seconds(60)
    package var mobileAuthTravelTime: Duration = .seconds(60)
    /// Time limit for the whole chain of hops, as given to the client.
    package var mobileAuthChainTimeout: Duration = .seconds(8)
    package var fingerprintLifetime: Duration = .seconds(60)

    /// Device challenges a session may issue, and how long each may be answered (client protocol 4.10).
    package var deviceChallengesPerSession = 3
    package var deviceChallengeLifetime: Duration = .seconds(120)
    /// A key unused for this long is inactive: twelve months.
    package var deviceKeyInactivity: Duration = .seconds(365 * 24 * 3600)
    /// Numbers a backend may vouch for before the session fails (contract section 8).
    package var bindTriesPerSession = 3

    /// The line types that may get messages; `nil`: all that can receive them.
    package var lineTypes: [NumberKind]?

    /// Limits over sessions; nil where they are not enforced (contract section 8). See `overSessions(of:)`.
    package var overSessions: OverSessions?
    /// Limits set for single API clients.
    package var own = OwnLimits()

    package init() {}
}
