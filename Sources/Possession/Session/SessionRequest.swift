/// What the app's backend asked for when it started a session: fixed for the session's life.
///
/// A class, because sessions are copied at every step and this immutable part is a third of their size.
package final class SessionRequest: Sendable, Equatable {
    /// The way the person meets us: a phone, a desktop browser, or the tenant's own possession check.
    package enum Flow: String, Sendable, CaseIterable { case mobile, desktop, none }
    /// Which platform calls may continue the session; the other's calls do not know its id (contract section 8).
    /// `identity` is Pre-Fill without a challenge; `auth` are the calls below `/v1/server/auth`.
    package enum Product: String, Sendable, CaseIterable { case unify, prefill, identity, auth }

    package let flow: Flow
    package let product: Product
    package let subject: Subject
    package let options: Options
    package let references: References
    /// Set for `auth` alone.
    package let authTerms: AuthTerms?

    package init(
        flow: Flow, product: Product, subject: Subject, options: Options, references: References,
        authTerms: AuthTerms? = nil
    ) {
        self.flow = flow
        self.product = product
        self.subject = subject
        self.options = options
        self.references = references
        self.authTerms = authTerms
    }

    package static func == (left: SessionRequest, right: SessionRequest) -> Bool {
        left === right || left.parts == right.parts
    }

    private typealias Parts = (Flow, Product, Subject, Options, References, AuthTerms?)

    private var parts: Parts { (flow, product, subject, options, references, authTerms) }

    /// The tenant's own wording of a message; `nil` stands for the default text.
    func template(for kind: Session.MessageKind) -> MessageTemplate? {
        authTerms?.message(kind)?.template ?? options.messageTemplate
    }

    /// Whether the person may change the number that this kind of message goes to.
    func allowsPhoneChange(_ kind: Session.MessageKind) -> Bool {
        options.allowPhoneChange && authTerms?.message(kind)?.allowPhoneChange != false
    }

    /// The person, as far as the backend named them. Sealed at rest (DAT-02).
    package struct Subject: Sendable, Equatable {
        package var number: SubmittedNumber?
        package var emailAddress: String?
        package var ipAddress: String?
        /// Of a Pre-Fill run.
        package var claim: PersonClaim

        package init(
            number: SubmittedNumber? = nil, emailAddress: String? = nil, ipAddress: String? = nil,
            claim: PersonClaim = PersonClaim()
        ) {
            self.number = number
            self.emailAddress = emailAddress
            self.ipAddress = ipAddress
            self.claim = claim
        }
    }

    /// How the session is to run.
    package struct Options: Sendable, Equatable {
        /// Up to three code entries instead of one.
        package var allowOTPRetry: Bool
        /// Ask for a full possession check even of a known key, and move the key to the proven number.
        package var rebind: Bool
        package var checkReputation: Bool
        /// Whether Mobile Auth belongs to the plan: the call's word, else the tenant's.
        package var mobileAuth: Bool
        /// Whether the person may change the number: the tenant's rule when the session began.
        package var allowPhoneChange: Bool
        /// Whether an instant link asks for the two digits that the waiting page shows: the tenant's rule when the session
        /// began.
        package var linkMatchCode: Bool
        /// Whether a link must be approved from the address the backend gave of the waiting browser.
        package var linkNeedsSameAddress: Bool
        /// Only the key with this id may answer for the device; another is ignored.
        package var deviceID: DeviceID?
        package var finalTargetURL: String?
        /// The tenant's own wording; `nil` stands for the default text.
        package var messageTemplate: MessageTemplate?

        package init(
            allowOTPRetry: Bool = false, rebind: Bool = false, checkReputation: Bool = false, mobileAuth: Bool = false,
            allowPhoneChange: Bool = false, linkMatchCode: Bool = false, linkNeedsSameAddress: Bool = false,
            deviceID: DeviceID? = nil, finalTargetURL: String? = nil, messageTemplate: MessageTemplate? = nil
        ) {
            self.allowOTPRetry = allowOTPRetry
            self.rebind = rebind
            self.checkReputation = checkReputation
            self.mobileAuth = mobileAuth
            self.allowPhoneChange = allowPhoneChange
            self.linkMatchCode = linkMatchCode
            self.linkNeedsSameAddress = linkNeedsSameAddress
            self.deviceID = deviceID
            self.finalTargetURL = finalTargetURL
            self.messageTemplate = messageTemplate
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
