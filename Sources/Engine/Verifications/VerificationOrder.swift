package import Possession
package import Text

/// A verification that a backend orders, or an app of its API client: who is verified and how, how long, in which words, and
/// which message the call wants. Plain values, which may be carried out again.
package struct VerificationOrder: Sendable, Equatable {
    package let product: Product
    /// `nil`: the number or the person is found by the verification.
    package let recipient: Recipient?
    /// Checks that may take part.
    package var checks = Policy.Checks.code
    /// Whether a mobile operator may be asked; `nil`: as the API client has it.
    package var mayAskOperator: Bool?
    /// `nil`: as the server's limits say.
    package var code: Code?
    package var window = Window()
    /// Channels of messages to a number, the preferred one first; `nil`: as the server's limits say.
    package var channels: [OutgoingMessage.Channel]?
    package var wording = Wording()
    /// `nil`: messages have no link.
    package var link: Link?
    /// Where the backend wants to be called when the session is over: below the URL of one of its webhook endpoints. An
    /// endpoint with the format of the product's vendor gets all of the session's events there.
    package var callbackURL: String?
    /// As in `Policy`.
    package var letsBackendVouch = false
    package var tellsNothingOfMessages = false
    /// The backend's word on the person: nothing is sent to the address, and messages count under the IP address.
    package var emailAddress: String?
    package var ipAddress: String?
    package var references = SessionRequest.References()
    package var metadata = SessionMetadata()

    /// The message of this call.
    package var message = OrderedMessage()
    /// Declaration of the person's app, for a new session. One with a return URL has the phone's operator asked in place of a
    /// message.
    package var declaration: Session.Declaration?
    /// Names by which a new session is found, beside its number or address.
    package var names: [SessionName] = []
    /// Name that finds the session in place of its number or address, and that a new one gets.
    package var sharedName: SessionName?
    package var reuse = Reuse.never
    /// Limits under which a new session counts.
    package var startKeys: [LimitKey] = []
    /// `nil`: a call that is made twice is carried out twice.
    package var retry: Retry?

    package init(_ product: Product, to recipient: Recipient?) {
        self.product = product
        self.recipient = recipient
    }

    /// How codes are: whole seconds, and counts of digits, tries and codes.
    package struct Code: Sendable, Equatable {
        package var length: Int
        package var lifetimeSeconds: Int
        /// Entries, the right one included.
        package var tries: Int
        /// Codes before the newest that are taken too, each in its own lifetime.
        package var earlierCodes: Int

        package init(length: Int, lifetimeSeconds: Int, tries: Int, earlierCodes: Int = 0) {
            self.length = length
            self.lifetimeSeconds = lifetimeSeconds
            self.tries = tries
            self.earlierCodes = earlierCodes
        }
    }

    /// Messages of the session, and whole seconds from its start to its end and from there for its result; `nil`: as the
    /// server's limits say.
    package struct Window: Sendable, Equatable {
        package var sends: Int?
        package var lifetimeSeconds: Int?
        package var resultLifetimeSeconds: Int?

        package init(sends: Int? = nil, lifetimeSeconds: Int? = nil, resultLifetimeSeconds: Int? = nil) {
            self.sends = sends
            self.lifetimeSeconds = lifetimeSeconds
            self.resultLifetimeSeconds = resultLifetimeSeconds
        }
    }

    package struct Wording: Sendable, Equatable {
        /// `nil`: the server's text.
        package var template: MessageTemplate?
        /// The payment that the codes are for.
        package var payment: PaymentDigest?
        package var brand: SessionBrand?
        /// The person's language, as the backend says.
        package var locale: LanguageTag?

        package init(
            template: MessageTemplate? = nil, payment: PaymentDigest? = nil, brand: SessionBrand? = nil,
            locale: LanguageTag? = nil
        ) {
            self.template = template
            self.payment = payment
            self.brand = brand
            self.locale = locale
        }
    }

    /// Links that give a code to the browser that opens them.
    package struct Link: Sendable, Equatable {
        package var exchange: SessionRequest.Exchange
        /// The page that gets the code.
        package var page: FinalTargetURL?
        package var lifetimeSeconds: Int

        package init(exchange: SessionRequest.Exchange, page: FinalTargetURL?, lifetimeSeconds: Int) {
            self.exchange = exchange
            self.page = page
            self.lifetimeSeconds = lifetimeSeconds
        }
    }

    /// When a call goes on with the newest session of the same recipient or name. Codes of one payment are none of another's:
    /// a session for another payment is never gone on with.
    package enum Reuse: Sendable, Equatable {
        /// Each call starts a session.
        case never
        /// While it is open.
        case whileOpen
        /// While it is open, and about the same recipient.
        case whileOpenToSameRecipient
        /// While it is open. One that wrong codes have ended holds its place until it would have expired.
        case untilExpiry
    }

    /// Whether a call is about this session.
    func isAbout(_ session: Session, at now: Timestamp) -> Bool {
        guard session.request.options.payment == wording.payment else { return false }
        return switch reuse {
        case .never: false
        case .whileOpen: !session.isDone
        case .whileOpenToSameRecipient: !session.isDone && session.request.subject.target == recipient?.target
        case .untilExpiry: !session.isDone || session.outcome == .failed && now < session.expiresAt
        }
    }
}

/// The message that a call orders, and who asks for it.
package struct OrderedMessage: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// - Parameter own: that the backend has made; `nil`: one is drawn.
        case code(own: OTP?)
        /// A code that the backend has made and checks itself. One that would still be taken is not sent again.
        /// - Parameter isConfirmed: the backend says that the person has proven the number to it before.
        case relayedCode(OTP, isConfirmed: Bool)
        case link
    }

    package enum Asker: Sendable, Equatable {
        /// A backend has shown its credentials. Its message counts under no address where none is known.
        case backend
        /// A person's app, for the verifications of its backend. Messages of a tenant to people without a known address count
        /// together.
        case app
        /// An app for verifications of its own: what it sends is of the part of a budget that strangers may spend.
        case stranger
    }

    /// Whether a session that goes on gets another message.
    package enum Resend: Sendable, Equatable {
        case always
        /// So many whole seconds after the one before.
        case after(seconds: Int)
        /// Once the code before has expired, and only to the same recipient.
        case onceExpired
    }

    package var content = Content.code(own: nil)
    /// The one way that the message takes; `nil`: those of the session.
    package var channel: OutgoingMessage.Channel?
    /// Languages that the person reads, as the call says; `nil`: those of the session stay.
    package var languages: Languages?
    package var resend = Resend.always
    /// The tenant's own limits under which the message counts.
    package var charges: [QuotaCharge] = []
    package var asker = Asker.backend
    /// Address of the person, as far as it is known.
    package var address: IPAddress?

    package init() {}

    package init(by asker: Asker, from address: IPAddress?) {
        self.asker = asker
        self.address = address
    }

    /// The code that the backend has made.
    var ownCode: OTP? {
        switch content {
        case .code(let own): own
        case .relayedCode(let code, _): code
        case .link: nil
        }
    }
}

/// Number or address that messages of one API client may go to: only `Verifications` makes one of a number.
package struct Recipient: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case number(SubmittedNumber), email(EmailAddress), unknown(UnknownPerson)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    package static func email(_ address: EmailAddress) -> Recipient { Recipient(.email(address)) }

    /// For credentials that name no known person. The session behaves like every other, and no message leaves.
    package static func unknown(_ person: UnknownPerson) -> Recipient { Recipient(.unknown(person)) }

    package var target: Target {
        switch kind {
        case .number(let number): .number(number.number)
        case .email(let address): .email(address)
        case .unknown(let person): .nobody(person)
        }
    }

    package var number: PhoneNumber? { target.number }
}
