/// One thing to be done to a session: its rule, and what the rule needs beside the session.
///
/// It says nothing of who may ask for it: see `ClientAdmission` for clients and `SessionOperations.carryOut` for the
/// rest.
package struct SessionOperation: Sendable {
    package enum Outcome: Sendable {
        case done
        /// A message that is stored with the change has to leave once that is durable.
        case send(OutboundMessage)
        /// As a `StepOutcome`.
        case refused(ClientRefusal)

        init(_ outcome: StepOutcome) {
            switch outcome {
            case .taken: self = .done
            case .refused(let refusal): self = .refused(refusal)
            }
        }
    }

    /// A throw means that nothing has changed.
    typealias Rule =
        @Sendable (inout SessionChange, Session.Binding, Timestamp) throws(ClientRefusal) -> Outcome

    typealias LimitKeys = @Sendable (Session, DeviceKey?) -> [LimitKey]

    let rule: Rule
    /// Of the device key to load.
    var thumbprint: Thumbprint?
    /// The limits that the rule asks; `nil` where none holds over sessions: nothing is read then.
    var limitKeys: LimitKeys?
    /// The session may be bound to nobody yet.
    var begins = false
    /// Nothing is to change.
    var isLook = false
    /// What a success gives out beside the state.
    var offer: MobileAuthOffer?

    init(thumbprint: Thumbprint? = nil, limitKeys: LimitKeys? = nil, _ rule: @escaping Rule) {
        self.thumbprint = thumbprint
        self.limitKeys = limitKeys
        self.rule = rule
    }

    var lookup: ChangeInputs {
        var lookup = ChangeInputs()
        lookup.thumbprint = thumbprint
        lookup.limitKeys = limitKeys
        lookup.isLook = isLook
        return lookup
    }
}
