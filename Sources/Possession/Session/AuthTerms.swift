/// What `/v1/server/auth/start` says of a session beyond what the newer calls can: which authenticators may take part, each
/// with terms of its own. A session that another call started has none, and then the client alone says what it can do.
package struct AuthTerms: Sendable, Equatable {
    /// What a run is about; `finish` answers for those that were asked for.
    package enum Subject: String, Sendable, CaseIterable { case mobile, device, user }

    /// A code or a link in a message.
    package struct Message: Sendable, Equatable {
        package let template: MessageTemplate
        /// Whether the person may name another number, where the tenant's rules let them.
        package let allowPhoneChange: Bool

        package init(template: MessageTemplate, allowPhoneChange: Bool) {
            self.template = template
            self.allowPhoneChange = allowPhoneChange
        }
    }

    /// The caller's id of the person: kept with the key, or compared with what was kept.
    package struct User: Sendable, Equatable {
        package let id: String
        package let isProvided: Bool

        package init(id: String, isProvided: Bool) {
            self.id = id
            self.isProvided = isProvided
        }
    }

    /// What a run has found of its key: as the key was then, whatever becomes of it later.
    package struct KeyFinding: Sendable, Equatable {
        package let boundAt: Timestamp
        /// Whether the id of the person in the request is the one kept with the key.
        package let userAgrees: Bool

        package init(boundAt: Timestamp, userAgrees: Bool) {
            self.boundAt = boundAt
            self.userAgrees = userAgrees
        }
    }

    package let subjects: Set<Subject>
    /// `nil`: no codes in this run.
    package let code: Message?
    /// `nil`: no links in this run.
    package let link: Message?
    package let deviceKey: Bool
    /// Maximum age of a device-key binding, in seconds. An older binding must be renewed.
    package let maxKeyAgeSeconds: Int?
    package let user: User?

    package init(
        subjects: Set<Subject>, code: Message? = nil, link: Message? = nil, deviceKey: Bool = false,
        maxKeyAgeSeconds: Int? = nil, user: User? = nil
    ) {
        self.subjects = subjects
        self.code = code
        self.link = link
        self.deviceKey = deviceKey
        self.maxKeyAgeSeconds = maxKeyAgeSeconds
        self.user = user
    }

    /// The longest age a caller can name: 100 years, in seconds.
    package static let maxKeyAgeLimit = 3_155_760_000

    func message(_ kind: Session.MessageKind) -> Message? {
        switch kind {
        case .code: code
        case .link: link
        }
    }

    /// What of a client's declaration counts.
    func limiting(_ declaration: Session.Declaration) -> Session.Declaration {
        let fallback: Session.Declaration.Fallback? =
            switch declaration.fallback {
            case .otp: code == nil ? nil : .otp
            case .link: link == nil ? nil : .link
            case nil: nil
            }
        return Session.Declaration(
            platform: declaration.platform, fallback: fallback, deviceKey: declaration.deviceKey && deviceKey,
            cellular: declaration.cellular, testMode: declaration.testMode, appHash: declaration.appHash,
            mobileAuthReturnURL: declaration.mobileAuthReturnURL)
    }

    /// Whether the binding of a key is too old and must be renewed.
    func isOverdue(boundAt: Timestamp, at now: Timestamp) -> Bool {
        guard let maxKeyAgeSeconds else { return false }
        return now >= boundAt.adding(.seconds(maxKeyAgeSeconds))
    }

    func finding(of key: DeviceKey) -> KeyFinding {
        let agrees = user.map { key.clientHumanID?.utf8.elementsEqual($0.id.utf8) == true } ?? false
        return KeyFinding(boundAt: key.boundAt, userAgrees: agrees)
    }
}
