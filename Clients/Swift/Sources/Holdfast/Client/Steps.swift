/// Why a start step is run.
public struct StartRequest: Sendable {
    /// Whether the step has to give a number. If not, the server knows it.
    public let isPhoneNumberNeeded: Bool
    /// Error in the number that was given before; `nil`: none.
    public let error: PossessionError?

    package init(isPhoneNumberNeeded: Bool, error: PossessionError?) {
        self.isPhoneNumberNeeded = isPhoneNumberNeeded
        self.error = error
    }
}

/// Action of the person at the code's field.
public enum CodeEntry: Sendable {
    case code(String)
    /// The same number gets another message.
    case resend
    /// The start step is run, for another number.
    case otherNumber
}

/// Action of the person while the link is waited for.
public enum LinkRetry: Sendable {
    case resend
    case otherNumber
}

/// Token that the operator of the phone's SIM has given to the app, over any network (GSMA TS.43).
public struct OperatorToken: Sendable {
    /// As it came. It is as good as the SIM until it is used: keep it out of logs.
    public let text: String
    /// MCC and MNC of the SIM: five or six digits.
    public let plmn: String

    public init(_ text: String, plmn: String) {
        self.text = text
        self.plmn = plmn
    }
}

/// Steps of the app in a run. A step that throws gives the run up.
public struct PossessionSteps: Sendable {
    /// Asks for a number where one is needed. Gives `nil` to send to the number that the server knows.
    public typealias Start = @Sendable (StartRequest) async throws -> String?

    /// The session is over, however it went: only the backend knows the result. It gets the `authId`.
    public var finish: (@Sendable (_ authID: String) async throws -> Void)?
    public var otp: OTP?
    public var instantLink: InstantLink?
    /// Mobile Auth over Wi-Fi: gets a token of the phone's operator. With `nil`, or if it throws, Mobile Auth goes over the
    /// mobile network, where there is one.
    public var operatorToken: (@Sendable () async throws -> OperatorToken?)?

    public struct OTP: Sendable {
        let start: Start
        let finish: @Sendable (PossessionError?) async throws -> CodeEntry

        /// - Parameter finish: asks for the code. It is run again, with the error, after a wrong code.
        public init(
            start: @escaping Start, finish: @escaping @Sendable (PossessionError?) async throws -> CodeEntry
        ) {
            self.start = start
            self.finish = finish
        }
    }

    public struct InstantLink: Sendable {
        let start: Start
        let retry: (@Sendable () async throws -> LinkRetry)?

        /// - Parameter retry: offers another message while the link is waited for; it may never answer.
        public init(start: @escaping Start, retry: (@Sendable () async throws -> LinkRetry)? = nil) {
            self.start = start
            self.retry = retry
        }
    }

    public init(
        finish: (@Sendable (_ authID: String) async throws -> Void)? = nil, otp: OTP? = nil,
        instantLink: InstantLink? = nil, operatorToken: (@Sendable () async throws -> OperatorToken?)? = nil
    ) {
        self.finish = finish
        self.otp = otp
        self.instantLink = instantLink
        self.operatorToken = operatorToken
    }

    /// As a run uses them. A step that is no longer waited for is cancelled.
    var runner: StepRunner {
        var runner = StepRunner()
        if let finish {
            runner.finish = { authID, answer in run(answer) { try await finish(authID) } }
        }
        if let otp {
            runner.otp = StepRunner.OTP(
                start: { request, answer in run(answer) { try await otp.start(request) } },
                finish: { error, answer in run(answer) { try await otp.finish(error) } })
        }
        if let instantLink {
            var retry: (@ClientActor @Sendable (@escaping StepRunner.Answer<LinkRetry>) -> Cancellation)?
            if let step = instantLink.retry { retry = { answer in run(answer) { try await step() } } }
            runner.link = StepRunner.Link(
                start: { request, answer in run(answer) { try await instantLink.start(request) } }, retry: retry)
        }
        if let operatorToken {
            runner.operatorToken = { answer in run(answer) { try await operatorToken() } }
        }
        return runner
    }
}

private func run<Value: Sendable>(
    _ answer: @escaping StepRunner.Answer<Value>, _ step: @escaping @Sendable () async throws -> Value
) -> Cancellation {
    let task = Task {
        let result: Result<Value, any Error>
        do { result = .success(try await step()) } catch { result = .failure(error) }
        await answer(result)
    }
    return Cancellation { task.cancel() }
}
