/// The app's steps as a run uses them: each is started, and answers once, or never.
package struct StepRunner: Sendable {
    package typealias Answer<Value: Sendable> = @ClientActor @Sendable (Result<Value, any Error>) -> Void
    package typealias Start = @ClientActor @Sendable (StartRequest, @escaping Answer<String?>) -> Cancellation

    package struct OTP: Sendable {
        package let start: Start
        package let finish: @ClientActor @Sendable (PossessionError?, @escaping Answer<CodeEntry>) -> Cancellation

        package init(
            start: @escaping Start,
            finish: @escaping @ClientActor @Sendable (PossessionError?, @escaping Answer<CodeEntry>) -> Cancellation
        ) {
            self.start = start
            self.finish = finish
        }
    }

    package struct Link: Sendable {
        package let start: Start
        package let retry: (@ClientActor @Sendable (@escaping Answer<LinkRetry>) -> Cancellation)?

        package init(
            start: @escaping Start,
            retry: (@ClientActor @Sendable (@escaping Answer<LinkRetry>) -> Cancellation)?
        ) {
            self.start = start
            self.retry = retry
        }
    }

    package var finish: (@ClientActor @Sendable (String, @escaping Answer<Void>) -> Cancellation)?
    package var otp: OTP?
    package var link: Link?
    package var operatorToken: (@ClientActor @Sendable (@escaping Answer<OperatorToken?>) -> Cancellation)?

    package init() {}
}
