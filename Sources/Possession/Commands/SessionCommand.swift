package import Text

/// The request of one call on a session, as a value. `SessionCommands` draws its random values first, so that a change that has to
/// be run again runs the same command again. `Admission` decides which caller may have it carried out.
///
/// It holds codes and tokens. Its description names neither, so that a command printed by accident reveals nothing.
package struct SessionCommand: Sendable, Equatable, CustomStringConvertible {
    package enum Action: Sendable, Equatable {
        /// Changes nothing.
        case read
        /// Only what the rest of the command says, such as its redemption.
        case nothing
        /// - Parameter channel: the one way that the message takes; `nil`: those of the session's policy.
        case sendCode(MessageRequest, DrawnCode, by: OutgoingMessage.Channel?)
        /// Sends a code that the backend has made and checks itself. One that this session has sent and would still take is not
        /// sent again: the call before has been repeated.
        /// - Parameter isConfirmed: the backend says that the person has proven the number to it before.
        case relayCode(MessageRequest, OTP, isConfirmed: Bool)
        /// - Parameter browser: the one that waits, in words.
        case sendLink(MessageRequest, DrawnLink, browser: String?)
        /// - Parameters:
        ///   - code: `nil`: a wrong one, whatever the session awaits.
        ///   - address: of the person who shows it, where the code counts by it; `nil`: it counts where the last message was
        ///     asked for.
        ///   - payment: that the check names; a code is taken only where it is the session's own.
        ///   - isTyped: a person has typed it: one with another length than the session's codes is refused, and costs nothing.
        case checkCode(OTP?, from: IPAddress?, paying: PaymentDigest?, isTyped: Bool)
        /// Redeems the code that a link gave to a browser.
        /// - Parameter isNamed: the call names the session. Without that, a session that a stranger may have asked for is
        ///   refused: the stranger waits for its success.
        case redeemExchange(ExchangeDigest, verifiedBy: CodeChallenge?, isNamed: Bool)
        /// - Parameter proof: `nil` when its form or signature was bad.
        case proveDevice(DeviceProof?, next: [UInt8])
        case beginMobileAuth(AttemptID, ticket: TicketDigest)
        /// - Parameters:
        ///   - attempt: `nil`: the session's own.
        ///   - fingerprint: `nil`: the phone gives the attempt up.
        ///   - address: of the client, where it is known. A proof counts for its network if the backend named no address.
        case finishMobileAuth(AttemptID?, fingerprint: String?, from: IPAddress?)
        /// Ends an attempt that is over, so that it stays so (DUR-13). One that has gone on since stays as it is.
        case endMobileAuth(thatIsOver: MobileAuthCheck)
        /// - Parameter carrier: name of the operator that takes the token.
        case handInOperatorToken(OperatorToken, of: AttemptID, to: String, from: IPAddress?)
        /// The backend has made the code, and says that the person knows it.
        case vouch
        /// - Parameter refusesOver: a session that is over refuses it; else it stays as it is.
        case cancel(refusesOver: Bool)
    }

    /// The first credential binds the session (client protocol 4.3).
    package struct Redemption: Sendable, Equatable {
        package let declaration: Session.Declaration
        /// The device key signs these 32 bytes.
        package let challenge: [UInt8]
        /// Languages that the person reads, where the call says it.
        package let languages: Languages?

        package init(declaration: Session.Declaration, challenge: [UInt8], languages: Languages?) {
            self.declaration = declaration
            self.challenge = challenge
            self.languages = languages
        }
    }

    /// The session must fulfil it; another session does not change.
    package enum Condition: Sendable, Equatable {
        case always
        /// The session waits for its first step; else it refuses the command.
        case created
        /// The session's newest code has this age.
        /// - Parameter isRefused: before that, the call is refused with the time that is left. `false`: it succeeds, and sends
        ///   nothing.
        case codeIsOld(seconds: Int, isRefused: Bool)
        /// The session is about the target, and its code has expired; else the call succeeds, and sends nothing.
        case codeHasExpired(Target)
    }

    /// An activation of the phone that shows the right code, made in the same change.
    package struct NewDevice: Sendable, Equatable {
        let id: ActivationID
        let applicationKey: String?
        let details: DeviceActivation.Details
        let secrets: ActivationSecrets

        package init(
            id: ActivationID, applicationKey: String?, details: DeviceActivation.Details, secrets: ActivationSecrets
        ) {
            self.id = id
            self.applicationKey = applicationKey
            self.details = details
            self.secrets = secrets
        }
    }

    package let action: Action
    package var redemption: Redemption?
    package var condition = Condition.always
    /// Names that the session gets, beside those that it has.
    package var names: [SessionName] = []
    /// The tenant's own limits under which a message counts.
    package var charges: [QuotaCharge] = []
    package var device: NewDevice?
    /// The session may be bound to no credential yet.
    package var begins = false
    /// Mobile Auth offer that a success gives out beside the state.
    package var offer: MobileAuthOffer?

    package init(_ action: Action) { self.action = action }

    package var description: String { "a command on a session" }

    /// Result of a command that was carried out.
    package enum Outcome: Sendable {
        case done
        /// A message that is stored with the change has to leave once that is durable.
        case send(OutboundMessage)
        /// The operator has to be asked once the change is durable.
        case askOperator
        /// As a `StepOutcome`.
        case refused(StepRefusal)

        init(_ outcome: StepOutcome) {
            switch outcome {
            case .taken: self = .done
            case .refused(let refusal): self = .refused(refusal)
            }
        }
    }
}

/// A message that a call asks for.
package struct MessageRequest: Sendable, Equatable {
    package enum Order: Sendable, Equatable {
        case first(NamedNumber?)
        case again
        case toNumber(NamedNumber)
        /// To the number or address that the backend gave: the first one, or another one, as the session stands. It
        /// begins a session that its backend drives.
        case next
    }

    /// A number that a call names for a session, or the reason that it gets no message. The reason is answered only if the
    /// session takes a number at all.
    package struct NamedNumber: Sendable, Equatable {
        let result: Result<PhoneNumber, StepRefusal>

        package init(result: Result<PhoneNumber, StepRefusal>) {
            self.result = result
        }
    }

    let id: MessageID
    let order: Order
    /// Address of the person who asks, where it is known: messages count under it if the backend named none.
    let address: IPAddress?
    /// Languages that the person reads, where the call says it.
    let languages: Languages?
    /// The backend has shown its credentials. Where no address is known, the message counts under none.
    let isAskedByBackend: Bool

    package init(
        id: MessageID, order: MessageRequest.Order, address: IPAddress?, languages: Languages?, isAskedByBackend: Bool
    ) {
        self.id = id
        self.order = order
        self.address = address
        self.languages = languages
        self.isAskedByBackend = isAskedByBackend
    }

    /// The number that the call names, if a message may go there.
    var named: PhoneNumber? {
        switch order {
        case .first(let named): try? named?.result.get()
        case .again, .next: nil
        case .toNumber(let named): try? named.result.get()
        }
    }
}

/// Random values of a code.
package struct DrawnCode: Sendable, Equatable {
    /// Ten digits, of which a message shows as many as the session's codes have.
    let digits: OTP
    /// Random: no code matches it. It is awaited where the code must not pass.
    let unmatchable: OTPDigest
    /// The code that the backend has made; a test number keeps its own.
    let own: OTP?

    package init(digits: OTP, unmatchable: OTPDigest, own: OTP?) {
        self.digits = digits
        self.unmatchable = unmatchable
        self.own = own
    }
}

/// Random values of a link.
package struct DrawnLink: Sendable, Equatable {
    /// Goes into the message, and is not stored.
    let token: String
    let digest: LinkDigest
    /// Two digits.
    let matchCode: String

    package init(token: String, digest: LinkDigest, matchCode: String) {
        self.token = token
        self.digest = digest
        self.matchCode = matchCode
    }
}
