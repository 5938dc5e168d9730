/// The rules for one session: everything that differs between products. Made when the session starts, stored with it,
/// and never changed.
package struct Policy: Sendable, Equatable {
    /// Possession checks of a session.
    package struct Checks: OptionSet, Sendable {
        package let rawValue: UInt8

        package static let deviceKey = Checks(rawValue: 1)
        package static let mobileAuth = Checks(rawValue: 2)
        package static let code = Checks(rawValue: 4)
        package static let link = Checks(rawValue: 8)
        package static let all: Checks = [.deviceKey, .mobileAuth, .code, .link]

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }
    }

    /// When the session returns the known data of a person.
    package enum Prefill: Sendable, CaseIterable {
        /// After the caller has given a birth date or an SSN that agrees with the record.
        case afterChallenge
        /// As soon as the number is proven.
        case atOnce
    }

    /// Whether wrong codes are counted per session or per code.
    package enum TryCount: Sendable, CaseIterable { case session, code }

    /// A value that a session cannot use: `what` names it and its bounds.
    package struct Defect: Error, Equatable {
        package let what: String
    }

    package struct Code: Sendable, Equatable {
        package static let lengths = 4...10
        package static let lifetimes = 1...86_400
        package static let triesBounds = 1...100
        package static let earlierBounds = 0...9

        /// Digits.
        package let length: Int
        /// Whole seconds from the send to the last moment the code is taken (OTP-03).
        package let lifetimeSeconds: Int
        /// Maximum entries, the right one included.
        package let tries: Int
        package let tryCount: TryCount
        /// How many codes sent before the newest one are also accepted, each within its own lifetime.
        package let earlierCodes: Int
        /// Whether the person may name another number for the code.
        package let mayChangeNumber: Bool

        /// - Throws: for the first value out of its bounds. No value is clamped.
        package init(
            length: Int, lifetimeSeconds: Int, tries: Int, tryCount: TryCount = .session, earlierCodes: Int = 0,
            mayChangeNumber: Bool = false
        ) throws(Defect) {
            try Policy.check("code length", length, Self.lengths)
            try Policy.check("code lifetime in seconds", lifetimeSeconds, Self.lifetimes)
            try Policy.check("tries", tries, Self.triesBounds)
            try Policy.check("earlier codes", earlierCodes, Self.earlierBounds)
            self.length = length
            self.lifetimeSeconds = lifetimeSeconds
            self.tries = tries
            self.tryCount = tryCount
            self.earlierCodes = earlierCodes
            self.mayChangeNumber = mayChangeNumber
        }
    }

    package struct Link: Sendable, Equatable {
        package static let lifetimes = 1...86_400

        /// Whole seconds from the send to the last moment the link can decide (OTP-03).
        package let lifetimeSeconds: Int
        /// How long the waiting page waits, in whole seconds.
        package let waitSeconds: Int
        /// Whether the person may name another number for the link.
        package let mayChangeNumber: Bool

        /// - Throws: for the first value out of its bounds.
        package init(lifetimeSeconds: Int, waitSeconds: Int, mayChangeNumber: Bool = false) throws(Defect) {
            try Policy.check("link lifetime in seconds", lifetimeSeconds, Self.lifetimes)
            try Policy.check("wait in seconds", waitSeconds, Self.lifetimes)
            self.lifetimeSeconds = lifetimeSeconds
            self.waitSeconds = waitSeconds
            self.mayChangeNumber = mayChangeNumber
        }
    }

    package static let sendsBounds = 1...100
    package static let resultLifetimes = 0...31_536_000
    /// 100 years, in seconds.
    package static let maxKeyAges = 1...3_155_760_000

    package let product: ProductName
    /// Checks that may run. A client's declaration can only leave some out.
    package let checks: Checks
    package let code: Code
    package let link: Link
    /// Channels for a message, the preferred one first.
    package let channels: [OutgoingMessage.Channel]
    /// Messages that the session may cause; resends and changes of the number share them (OTP-07).
    package let sends: Int
    /// Numbers that the session may name, the first included.
    package let numberEntries: Int
    /// Whole seconds after the session's end during which its result can be read (contract section 8).
    package let resultLifetimeSeconds: Int
    /// `nil`: the session returns no data.
    package let prefill: Prefill?
    /// Whether a backend's statement about the number counts only if a proven key is pending and may be bound to that
    /// number.
    package let bindsPendingKeysOnly: Bool
    /// Whether Mobile Auth is also planned in a `none` flow whose number is known.
    package let asksOperatorOfKnownNumber: Bool
    /// Whether calls may name the session by its tenant and number only.
    package let isFoundByNumber: Bool
    /// Whether the backend makes its own codes, checks them, and reports the result.
    package let letsBackendVouch: Bool
    /// Whether the backend makes and checks the codes and does not report the result. Its messages then say nothing
    /// about whether people in a prefix answer (`SpendGuard`).
    package let isAnsweredElsewhere: Bool
    /// Whether a browser or phone without credentials started the session. Its messages are paid from the part of a
    /// budget that strangers may spend.
    package let isAskedByAnyone: Bool
    /// Whether the caller must not learn that no message was sent. The cause (a limit, the number's standing, a
    /// carrier) would reveal that the person is known.
    package let tellsNothingOfMessages: Bool
    /// Maximum age of a device-key binding, in seconds. An older binding must be renewed. `nil`: no maximum.
    package let maxKeyAgeSeconds: Int?

    /// - Throws: for the first value out of its bounds. No value is clamped.
    package init(
        product: ProductName, checks: Checks, code: Code, link: Link, channels: [OutgoingMessage.Channel] = [.sms],
        sends: Int, numberEntries: Int, resultLifetimeSeconds: Int, prefill: Prefill? = nil,
        bindsPendingKeysOnly: Bool = false, asksOperatorOfKnownNumber: Bool = false, isFoundByNumber: Bool = false,
        letsBackendVouch: Bool = false, isAnsweredElsewhere: Bool = false, isAskedByAnyone: Bool = false,
        tellsNothingOfMessages: Bool = false, maxKeyAgeSeconds: Int? = nil
    ) throws(Defect) {
        try Self.check("sends", sends, Self.sendsBounds)
        try Self.check("number entries", numberEntries, Self.sendsBounds)
        try Self.check("result lifetime in seconds", resultLifetimeSeconds, Self.resultLifetimes)
        if let maxKeyAgeSeconds { try Self.check("key age in seconds", maxKeyAgeSeconds, Self.maxKeyAges) }
        guard checks.isSubset(of: .all) else { throw Defect(what: "checks must be known ones") }
        guard !channels.isEmpty, Set(channels).count == channels.count else {
            throw Defect(what: "channels must be named, each once")
        }
        self.product = product
        self.checks = checks
        self.code = code
        self.link = link
        self.channels = channels
        self.sends = sends
        self.numberEntries = numberEntries
        self.resultLifetimeSeconds = resultLifetimeSeconds
        self.prefill = prefill
        self.bindsPendingKeysOnly = bindsPendingKeysOnly
        self.asksOperatorOfKnownNumber = asksOperatorOfKnownNumber
        self.isFoundByNumber = isFoundByNumber
        self.letsBackendVouch = letsBackendVouch
        self.isAnsweredElsewhere = isAnsweredElsewhere
        self.isAskedByAnyone = isAskedByAnyone
        self.tellsNothingOfMessages = tellsNothingOfMessages
        self.maxKeyAgeSeconds = maxKeyAgeSeconds
    }

    private static func check(_ what: String, _ value: Int, _ bounds: ClosedRange<Int>) throws(Defect) {
        guard bounds.contains(value) else {
            throw Defect(what: "\(what) must be \(bounds.lowerBound) to \(bounds.upperBound)")
        }
    }
}

extension Policy {
    func mayChangeNumber(_ kind: Session.MessageKind) -> Bool {
        switch kind {
        case .code: code.mayChangeNumber
        case .link: link.mayChangeNumber
        }
    }

    /// The client's declaration, reduced to the checks of this policy.
    func limiting(_ declaration: Session.Declaration) -> Session.Declaration {
        guard !checks.isSuperset(of: [.deviceKey, .code, .link]) else { return declaration }
        let fallback: Session.Declaration.Fallback? =
            switch declaration.fallback {
            case .otp: checks.contains(.code) ? .otp : nil
            case .link: checks.contains(.link) ? .link : nil
            case nil: nil
            }
        return Session.Declaration(
            platform: declaration.platform, fallback: fallback,
            deviceKey: declaration.deviceKey && checks.contains(.deviceKey), cellular: declaration.cellular,
            testMode: declaration.testMode, codeReader: declaration.codeReader,
            mobileAuthReturnURL: declaration.mobileAuthReturnURL)
    }

    /// Whether the binding of a key is too old and must be renewed.
    func isOverdue(boundAt: Timestamp, at now: Timestamp) -> Bool {
        guard let maxKeyAgeSeconds else { return false }
        return now >= boundAt.adding(.seconds(maxKeyAgeSeconds))
    }
}
