package import Text

/// The backend's request that started a session. It never changes.
///
/// A class, because sessions are copied at every step and this part is a third of their size.
package final class SessionRequest: Sendable, Equatable {
    /// How the person reaches us: on a phone, in a desktop browser, or by the tenant's own possession check.
    package enum Flow: String, Sendable, CaseIterable { case mobile, desktop, none }
    /// Questions that the result answers; a surface may request some of them.
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

    /// The backend's id of the person who should hold the device key.
    package struct KeyHolder: Sendable, Equatable {
        package let id: String
        /// Whether the id is stored with the key. If not, it is only compared with the stored one.
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
    /// Empty if the surface does not name questions.
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

    /// The tenant's own text of a message; `nil`: the default text.
    func template(for kind: Session.MessageKind) -> MessageTemplate? {
        switch kind {
        case .code: options.codeTemplate
        case .link: options.linkTemplate
        }
    }

    /// The finding about `key`; `nil` if no question was asked.
    func finding(of key: DeviceKey) -> KeyFinding? {
        guard !questions.isEmpty else { return nil }
        let agrees = keyHolder.map { key.clientHumanID?.utf8.elementsEqual($0.id.utf8) == true } ?? false
        return KeyFinding(boundAt: key.boundAt, holderAgrees: agrees)
    }

    /// The person, as far as the backend named them. Encrypted at rest (DAT-02).
    package struct Subject: Sendable, Equatable {
        package var number: SubmittedNumber?
        /// The e-mail address to prove, instead of a number.
        package var mailbox: EmailAddress?
        /// Set if the identification in the request belongs to no known person.
        package var unknown: UnknownPerson?
        /// The person's e-mail address, as the backend reports it. No message is sent to it.
        package var emailAddress: String?
        package var ipAddress: String?
        /// The claims in a session that returns the record of a person.
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

        /// The address in `ipAddress`; `nil` if it is not a valid address.
        package var address: IPAddress? { ipAddress.flatMap { IPAddress(hint: $0) } }

        /// The target that the backend has named or found.
        package var target: Target? {
            mailbox.map(Target.email) ?? unknown.map(Target.nobody) ?? number.map { .number($0.number) }
        }

        /// The target is not a number: no source is asked about a number, and the client cannot name one.
        package var hasOtherTarget: Bool { mailbox != nil || unknown != nil }
    }

    /// URL that gets the session's events: only its end, or, in a vendor's format, every event of that format. It is
    /// called and its calls are signed as for the webhook endpoint that it names.
    package struct Callback: Sendable, Equatable {
        package let endpoint: WebhookEndpointID
        /// A URL below the endpoint's own.
        package let url: String

        package init(endpoint: WebhookEndpointID, url: String) {
            self.endpoint = endpoint
            self.url = url
        }
    }

    /// A link of the session gives a code to the browser that opens it. The backend ends the session by that code.
    package struct Exchange: Sendable, Equatable {
        /// Challenge of the verifier that must come with the code; `nil`: a verifier is refused.
        package let challenge: CodeChallenge?

        package init(challenge: CodeChallenge?) {
            self.challenge = challenge
        }

        /// - Parameter shown: computed from the verifier in the call. A verifier is refused if the session has no
        ///   challenge (RFC 9700 section 2.1.1).
        func admits(_ shown: CodeChallenge?) -> Bool {
            switch (challenge, shown) {
            case (nil, nil): true
            case (let challenge?, let shown?): challenge.matches(shown)
            case (nil, _?), (_?, nil): false
            }
        }
    }

    /// How the session runs.
    package struct Options: Sendable, Equatable {
        /// Ask for a full possession check even of a known key, and move the key to the proven number.
        package var rebind: Bool
        package var checkReputation: Bool
        /// Whether an instant link asks for the two digits on the waiting page. Set from the tenant's setting when the
        /// session starts.
        package var linkMatchCode: Bool
        /// Whether a link must be approved from the address of the waiting browser that the backend gave.
        package var linkNeedsSameAddress: Bool
        /// Only the key with this id counts. Another key is ignored.
        package var deviceID: DeviceID?
        package var finalTargetURL: String?
        /// `nil`: approving a link ends the session.
        package var exchange: Exchange?
        /// The tenant's own text of code messages; `nil`: the default text.
        package var codeTemplate: MessageTemplate?
        /// The tenant's own text of link messages; `nil`: the default text.
        package var linkTemplate: MessageTemplate?
        /// The person's language, as the backend reports.
        package var locale: LanguageTag?
        package var callback: Callback?
        /// The payment that the codes are for: a code is refused for any other payment (RTS on SCA, article 5). `nil`:
        /// no payment.
        package var payment: PaymentDigest?
        /// `nil`: no brand; messages name the tenant.
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

    /// The tenant's own ids for this call, its customer and the person. They are echoed, and stored with the device
    /// key.
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
