package import Text

/// Request of the app's backend that started a session: fixed for the session's life.
///
/// A class, because sessions are copied at every step and this immutable part is a third of their size.
package final class SessionRequest: Sendable, Equatable {
    /// The way the person meets us: a phone, a desktop browser, or the tenant's own possession check.
    package enum Flow: String, Sendable, CaseIterable { case mobile, desktop, none }
    /// Questions that the result of a run answers; a surface may have asked for some of them.
    package struct Questions: OptionSet, Sendable {
        package let rawValue: UInt8

        package static let number = Questions(rawValue: 1)
        package static let device = Questions(rawValue: 2)
        package static let person = Questions(rawValue: 4)
        package static let all: Questions = [.number, .device, .person]

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }
    }

    /// The backend's id of the person who is to hold the device key.
    package struct KeyHolder: Sendable, Equatable {
        package let id: String
        /// Whether the id is kept with the key; else it is only compared with the one that was kept.
        package let isKept: Bool

        package init(id: String, isKept: Bool) {
            self.id = id
            self.isKept = isKept
        }
    }

    package let flow: Flow
    package let policy: Policy
    package let subject: Subject
    package let options: Options
    package let references: References
    /// Empty where the surface asks for none by name.
    package let questions: Questions
    package let keyHolder: KeyHolder?
    package let metadata: SessionMetadata

    package init(
        flow: Flow, policy: Policy, subject: Subject, options: Options, references: References,
        questions: Questions = [], keyHolder: KeyHolder? = nil, metadata: SessionMetadata = SessionMetadata()
    ) {
        self.flow = flow
        self.policy = policy
        self.subject = subject
        self.options = options
        self.references = references
        self.questions = questions
        self.keyHolder = keyHolder
        self.metadata = metadata
    }

    package static func == (left: SessionRequest, right: SessionRequest) -> Bool {
        left === right
            || left.flow == right.flow && left.policy == right.policy && left.subject == right.subject
                && left.options == right.options && left.references == right.references
                && left.questions == right.questions && left.keyHolder == right.keyHolder
                && left.metadata == right.metadata
    }

    /// The tenant's own wording of a message; `nil` stands for the default text.
    func template(for kind: Session.MessageKind) -> MessageTemplate? {
        switch kind {
        case .code: options.codeTemplate
        case .link: options.linkTemplate
        }
    }

    /// Finding of the run about `key`; `nil` where nobody asks for it.
    func finding(of key: DeviceKey) -> KeyFinding? {
        guard !questions.isEmpty else { return nil }
        let agrees = keyHolder.map { key.clientHumanID?.utf8.elementsEqual($0.id.utf8) == true } ?? false
        return KeyFinding(boundAt: key.boundAt, holderAgrees: agrees)
    }

    /// The person, as far as the backend named them. Sealed at rest (DAT-02).
    package struct Subject: Sendable, Equatable {
        package var number: SubmittedNumber?
        /// That the session is about, in the place of a number.
        package var mailbox: EmailAddress?
        /// Where nobody is known by what the session was started with.
        package var unknown: UnknownPerson?
        /// The backend's word on the person. Nothing is sent there.
        package var emailAddress: String?
        package var ipAddress: String?
        /// Claim in a session that hands back the record of a person.
        package var claim: PersonClaim

        package init(
            number: SubmittedNumber? = nil, mailbox: EmailAddress? = nil, unknown: UnknownPerson? = nil,
            emailAddress: String? = nil, ipAddress: String? = nil, claim: PersonClaim = PersonClaim()
        ) {
            precondition(
                [number == nil, mailbox == nil, unknown == nil].count { !$0 } <= 1, "a session is about one target")
            self.number = number
            self.mailbox = mailbox
            self.unknown = unknown
            self.emailAddress = emailAddress
            self.ipAddress = ipAddress
            self.claim = claim
        }

        /// The address that `ipAddress` names; `nil` where it names none.
        package var address: IPAddress? { ipAddress.flatMap { IPAddress(hint: $0) } }

        /// That the backend has named, or found.
        package var target: Target? {
            mailbox.map(Target.email) ?? unknown.map(Target.nobody) ?? number.map { .number($0.number) }
        }

        /// It is about something that is no number: nobody is asked of a number, and none can be named.
        package var hasOtherTarget: Bool { mailbox != nil || unknown != nil }
    }

    /// Where a backend is called when the session is over, by an endpoint of its own: the call is made and signed as that
    /// endpoint's are.
    package struct Callback: Sendable, Equatable {
        package let endpoint: WebhookEndpointID
        /// Below the endpoint's own URL.
        package let url: String

        package init(endpoint: WebhookEndpointID, url: String) {
            self.endpoint = endpoint
            self.url = url
        }
    }

    /// A link of the session gives a code to the browser that opens it, and the backend ends the session by that code.
    package struct Exchange: Sendable, Equatable {
        /// Challenge of the verifier that has to come with the code; `nil`: no verifier may come.
        package let challenge: CodeChallenge?

        package init(challenge: CodeChallenge?) {
            self.challenge = challenge
        }

        /// - Parameter shown: of the verifier that came with a code. One that nobody asked for is refused (RFC 9700 section
        ///   2.1.1).
        func admits(_ shown: CodeChallenge?) -> Bool {
            switch (challenge, shown) {
            case (nil, nil): true
            case (let challenge?, let shown?): challenge.matches(shown)
            case (nil, _?), (_?, nil): false
            }
        }
    }

    /// How the session is to run.
    package struct Options: Sendable, Equatable {
        /// Ask for a full possession check even of a known key, and move the key to the proven number.
        package var rebind: Bool
        package var checkReputation: Bool
        /// Whether an instant link asks for the two digits that the waiting page shows: the tenant's rule when the session
        /// began.
        package var linkMatchCode: Bool
        /// Whether a link must be approved from the address the backend gave of the waiting browser.
        package var linkNeedsSameAddress: Bool
        /// Only the key with this id may answer for the device; another is ignored.
        package var deviceID: DeviceID?
        package var finalTargetURL: String?
        /// `nil`: whoever approves a link ends the session.
        package var exchange: Exchange?
        /// The tenant's own wording of code messages; `nil` stands for the default text.
        package var codeTemplate: MessageTemplate?
        /// The same of messages with a link.
        package var linkTemplate: MessageTemplate?
        /// The person's language, as the backend says.
        package var locale: LanguageTag?
        package var callback: Callback?
        /// The payment that the codes are for: none passes for another one (RTS on SCA, article 5). `nil`: they are for no
        /// payment.
        package var payment: PaymentDigest?
        /// `nil`: it is run under no brand, and its messages say the name of the tenant.
        package var brand: SessionBrand?

        package init(
            rebind: Bool = false, checkReputation: Bool = false, linkMatchCode: Bool = false,
            linkNeedsSameAddress: Bool = false, deviceID: DeviceID? = nil, finalTargetURL: String? = nil,
            exchange: Exchange? = nil,
            codeTemplate: MessageTemplate? = nil, linkTemplate: MessageTemplate? = nil, locale: LanguageTag? = nil,
            callback: Callback? = nil, payment: PaymentDigest? = nil, brand: SessionBrand? = nil
        ) {
            self.rebind = rebind
            self.checkReputation = checkReputation
            self.linkMatchCode = linkMatchCode
            self.linkNeedsSameAddress = linkNeedsSameAddress
            self.deviceID = deviceID
            self.finalTargetURL = finalTargetURL
            self.exchange = exchange
            self.codeTemplate = codeTemplate
            self.linkTemplate = linkTemplate
            self.locale = locale
            self.callback = callback
            self.payment = payment
            self.brand = brand
        }
    }

    /// The tenant's own names for this call, its customer and the person; echoed, and kept with the device key.
    package struct References: Sendable, Equatable {
        package var clientRequestID: String?
        package var clientCustomerID: String?
        package var clientHumanID: String?

        package init(clientRequestID: String? = nil, clientCustomerID: String? = nil, clientHumanID: String? = nil) {
            self.clientRequestID = clientRequestID
            self.clientCustomerID = clientCustomerID
            self.clientHumanID = clientHumanID
        }
    }
}
