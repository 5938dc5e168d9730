import Foundation

extension ProveAuth {
    /// Collects the steps of the app. Every `with` changes this builder and gives it back.
    public final class Builder {
        private var runner = StepRunner()
        /// Options that the guides have no method for.
        private var options = PossessionClient.Options()

        init(_ finish: any AuthFinishStep) {
            let finish = AppStep(finish)
            runner.finish = { authID, answer in
                finish.run { step in
                    let result = Result { try step.execute(authId: authID) }
                    Task { @ClientActor in answer(result) }
                }
            }
        }

        @discardableResult
        public func withOtpFallback(otpStart: any OtpStartStep, otpFinish: any OtpFinishStep) -> Builder {
            let (start, finish) = (AppStep(otpStart), AppStep(otpFinish))
            runner.otp = StepRunner.OTP(
                start: { request, answer in
                    start.run {
                        $0.execute(
                            phoneNumberNeeded: request.isPhoneNumberNeeded,
                            phoneValidationError: request.error.map(ProveAuthError.init),
                            callback: OtpStartStepCallback(answer))
                    }
                },
                finish: { error, answer in
                    finish.run {
                        $0.execute(
                            otpError: error.map(ProveAuthError.init), callback: OtpFinishStepCallback(answer))
                    }
                })
            return self
        }

        @discardableResult
        public func withInstantLinkFallback(
            startStep: any InstantLinkStartStep, retryStep: (any InstantLinkRetryStep)? = nil
        ) -> Builder {
            let start = AppStep(startStep)
            var retry: (@ClientActor @Sendable (@escaping StepRunner.Answer<LinkRetry>) -> Cancellation)?
            if let step = retryStep.map({ AppStep($0) }) {
                retry = { answer in step.run { $0.execute(callback: InstantLinkRetryStepCallback(answer)) } }
            }
            runner.link = StepRunner.Link(
                start: { request, answer in
                    start.run {
                        $0.execute(
                            phoneNumberNeeded: request.isPhoneNumberNeeded,
                            phoneValidationError: request.error.map(ProveAuthError.init),
                            callback: InstantLinkStartStepCallback(answer))
                    }
                },
                retry: retry)
            return self
        }

        /// Mobile Auth over Wi-Fi, by a token of the phone's operator.
        @discardableResult
        public func withOperatorToken(_ step: any OperatorTokenStep) -> Builder {
            let step = AppStep(step)
            runner.operatorToken = { answer in step.run { $0.execute(callback: OperatorTokenStepCallback(answer)) } }
            return self
        }

        /// Sandbox: Mobile Auth without a mobile network.
        @discardableResult
        public func withMobileAuthTestMode() -> Builder {
            options.testMode = true
            return self
        }

        /// How runs go: servers, translations, transports. Keeps the test mode.
        @discardableResult
        public func withOptions(_ options: PossessionClient.Options) -> Builder {
            let testMode = self.options.testMode || options.testMode
            self.options = options
            self.options.testMode = testMode
            return self
        }

        public func build() -> ProveAuth {
            ProveAuth(PossessionClient(runner: runner, options: options))
        }
    }
}

/// A step of the app, on a thread of its own: it may block, and need not be `Sendable`, because the steps of a run are
/// started one after the other.
private struct AppStep<Step>: @unchecked Sendable {
    private static var queue: DispatchQueue { .global(qos: .userInitiated) }

    private let step: Step

    init(_ step: Step) {
        self.step = step
    }

    func run(_ work: @escaping @Sendable (Step) -> Void) -> Cancellation {
        Self.queue.async { work(step) }
        return Cancellation {}
    }
}
