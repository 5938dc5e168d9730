package import Possession

extension Policy {
    /// As the server makes it where nothing else is ordered.
    package static func standard(
        _ product: String = "unify", prefill: Prefill? = nil, retries: Bool = false, mayChangeNumber: Bool = false,
        isFoundByNumber: Bool = false, checks: Checks = .all, code: Code? = nil,
        tellsNothingOfMessages: Bool = false, maxKeyAgeSeconds: Int? = nil, limits: Limits = Limits()
    ) -> Policy {
        try! Policy(
            product: ProductName(product)!, checks: checks,
            code: code
                ?? Code(
                    length: limits.otpCodeLength, lifetimeSeconds: Int(limits.otpLifetime.components.seconds),
                    tries: retries ? limits.otpAttemptsWithRetry : 1, mayChangeNumber: mayChangeNumber),
            link: Link(
                lifetimeSeconds: Int(limits.linkLifetime.components.seconds),
                waitSeconds: Int(limits.linkWait.components.seconds), mayChangeNumber: mayChangeNumber),
            channels: limits.channels, sends: limits.sendsPerSession,
            numberEntries: mayChangeNumber ? limits.numberEntriesPerSession : 1,
            resultLifetimeSeconds: Int(limits.resultLifetime.components.seconds), prefill: prefill,
            isFoundByNumber: isFoundByNumber, tellsNothingOfMessages: tellsNothingOfMessages,
            maxKeyAgeSeconds: maxKeyAgeSeconds)
    }
}
