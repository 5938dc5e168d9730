import Foundation

public final class OtpStartStepCallback: Sendable {
    private let answer: OneAnswer<String?>

    init(_ answer: @escaping StepRunner.Answer<String?>) {
        self.answer = OneAnswer(answer)
    }

    /// - Parameter input: `nil` to send to the number that the server knows.
    public func onSuccess(input: OtpStartInput?) { answer.give(.success(input?.phoneNumber)) }
    /// The person gives up.
    public func onError() { answer.give(.failure(GaveUp())) }
}

public final class OtpFinishStepCallback: Sendable {
    private let answer: OneAnswer<CodeEntry>

    init(_ answer: @escaping StepRunner.Answer<CodeEntry>) {
        self.answer = OneAnswer(answer)
    }

    public func onSuccess(input: OtpFinishInput) { answer.give(.success(.code(input.otp))) }
    public func onOtpResend() { answer.give(.success(.resend)) }
    /// The start step is run, for another number.
    public func onMobileNumberChange() { answer.give(.success(.otherNumber)) }
    /// The person gives up.
    public func onError() { answer.give(.failure(GaveUp())) }
}

public final class InstantLinkStartStepCallback: Sendable {
    private let answer: OneAnswer<String?>

    init(_ answer: @escaping StepRunner.Answer<String?>) {
        self.answer = OneAnswer(answer)
    }

    /// - Parameter input: `nil` to send to the number that the server knows.
    public func onSuccess(input: InstantLinkStartInput?) { answer.give(.success(input?.phoneNumber)) }
    /// The person gives up.
    public func onError() { answer.give(.failure(GaveUp())) }
}

public final class InstantLinkRetryStepCallback: Sendable {
    private let answer: OneAnswer<LinkRetry>

    init(_ answer: @escaping StepRunner.Answer<LinkRetry>) {
        self.answer = OneAnswer(answer)
    }

    public func onResend() { answer.give(.success(.resend)) }
    /// The start step is run, for another number.
    public func onMobileNumberChange() { answer.give(.success(.otherNumber)) }
    /// The person gives up.
    public func onError() { answer.give(.failure(GaveUp())) }
}

public final class OperatorTokenStepCallback: Sendable {
    private let answer: OneAnswer<OperatorToken?>

    init(_ answer: @escaping StepRunner.Answer<OperatorToken?>) {
        self.answer = OneAnswer(answer)
    }

    public func onSuccess(token: OperatorToken) { answer.give(.success(token)) }
    /// There is none: Mobile Auth goes over the mobile network, where there is one.
    public func onError() { answer.give(.success(nil)) }
}

private struct GaveUp: Error {}

/// Takes the first answer of a callback, from whichever thread it comes. `lock` guards `answer`.
private final class OneAnswer<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var answer: StepRunner.Answer<Value>?

    init(_ answer: @escaping StepRunner.Answer<Value>) {
        self.answer = answer
    }

    func give(_ result: Result<Value, any Error>) {
        lock.lock()
        let first = answer
        answer = nil
        lock.unlock()
        guard let first else { return }
        Task { @ClientActor in first(result) }
    }
}
