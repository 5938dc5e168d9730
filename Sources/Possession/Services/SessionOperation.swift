/// One thing to be done to a session: its rule, and what the rule needs beside the session.
///
/// It says nothing of who may ask for it: see `ClientAdmission` for clients and `SessionOperations.carryOut` for the
/// rest.
package struct SessionOperation: Sendable {
    package enum Outcome: Sendable {
        case done
        /// A message that is stored with the change has to leave once that is durable.
        case send(OutboundMessage)
        /// An operator has to be asked once the change is durable.
        case ask(MobileAuthService.TokenQuestion)
        /// As a `StepOutcome`.
        case refused(StepRefusal)

        init(_ outcome: StepOutcome) {
            switch outcome {
            case .taken: self = .done
            case .refused(let refusal): self = .refused(refusal)
            }
        }
    }

    /// The rules bring the standing of the number that `judged` names. A throw means that nothing has changed.
    typealias Rule =
        @Sendable (inout SessionChange, Session.Binding, Timestamp, Rules) throws(StepRefusal) -> Outcome

    typealias LimitKeys = @Sendable (Session, DeviceKey?) -> [LimitKey]

    var rule: Rule
    /// Thumbprint of the device key to load.
    var thumbprint: Thumbprint?
    /// The limits that the rule asks; `nil` where none holds over sessions: nothing is read then.
    var limitKeys: LimitKeys?
    /// Whether the rule asks for what the tenant has been allowed.
    var wantsTenantRules = false
    /// A target of which the rule asks whether the tenant knows it.
    var knownTarget: (@Sendable (Session) -> Target?)?
    /// Whether it asks how many tenants share a budget.
    var wantsTenantCount = false
    /// The number whose standing the rule asks for, as far as the session tells; `nil`: it asks for none.
    var judged: (@Sendable (Session) -> JudgedNumber?)?
    /// The session may be bound to nobody yet.
    var begins = false
    /// Nothing is to change.
    var isLook = false
    /// Mobile Auth offer that a success gives out beside the state.
    var offer: MobileAuthOffer?

    init(
        thumbprint: Thumbprint? = nil, limitKeys: LimitKeys? = nil,
        judged: (@Sendable (Session) -> JudgedNumber?)? = nil, _ rule: @escaping Rule
    ) {
        self.thumbprint = thumbprint
        self.limitKeys = limitKeys
        self.judged = judged
        self.rule = rule
    }

    /// The rules for a session that it is carried out on.
    /// - Throws: as `Engine.rules(of:in:judging:)`.
    func rules(of key: SessionKey, in fence: SessionFence, by engine: Engine) async throws(EngineFault) -> Rules {
        guard let judged else { return engine.rules }
        return try await engine.rules(of: key, in: fence, judging: judged)
    }

    /// Gives the session names by which it is found then, beside those that it tells itself.
    mutating func give(_ names: [SessionName]) {
        guard !names.isEmpty else { return }
        let rule = rule
        self.rule = { (change, binding, now, rules) throws(StepRefusal) in
            change.names += names
            return try rule(&change, binding, now, rules)
        }
    }

    /// This operation and then another one, as one change.
    func then(_ next: SessionOperation) -> SessionOperation {
        let (first, second) = (self, next)
        var both = next
        both.begins = begins
        both.thumbprint = thumbprint ?? next.thumbprint
        both.wantsTenantRules = wantsTenantRules || next.wantsTenantRules
        both.wantsTenantCount = wantsTenantCount || next.wantsTenantCount
        both.knownTarget = next.knownTarget ?? knownTarget
        if let own = limitKeys {
            both.limitKeys = { session, key in own(session, key) + (second.limitKeys?(session, key) ?? []) }
        }
        both.rule = { (change, binding, now, rules) throws(StepRefusal) in
            if case .refused(let refusal) = try first.rule(&change, binding, now, rules) { return .refused(refusal) }
            return try second.rule(&change, binding, now, rules)
        }
        return both
    }

    var lookup: ChangeInputs {
        var lookup = ChangeInputs()
        lookup.thumbprint = thumbprint
        lookup.limitKeys = limitKeys
        lookup.wantsTenantRules = wantsTenantRules
        lookup.wantsTenantCount = wantsTenantCount
        lookup.knownTarget = knownTarget
        lookup.isLook = isLook
        return lookup
    }
}
