internal import Possession

/// A session with its sealed part still sealed: one row of `sessions`, in the order of its columns. A reference,
/// because it is handed on several times and never changes.
final class SessionRow: Sendable {
    /// The session without the personal data, which `session(_:)` puts in.
    private let stored: Session.Stored
    /// How and when the number was proven; the number itself is sealed.
    private let method: Session.Proof.Method?
    private let provenAt: Timestamp?
    let subjectSealed: [UInt8]?
    /// The checks that stand in a record; `session(_:)` reads them.
    private let linkRecord: [UInt8]?
    private let mobileAuthRecord: [UInt8]?
    private let riskRecord: [UInt8]?
    private let prefillRecord: [UInt8]?
    private let keyRecord: [UInt8]?
    /// Of a row that was read: the device check without the id of a shown key, which is sealed.
    private let device: DeviceColumns?

    /// A session about to be written; its new events count as stored.
    init(_ session: Session, _ subjectSealed: [UInt8]?) throws(StorageFault) {
        stored = session.stored
        method = session.proof?.method
        provenAt = session.proof?.at
        self.subjectSealed = subjectSealed
        linkRecord = try session.link.record()
        mobileAuthRecord = try session.mobileAuth.record()
        riskRecord = try RiskReasons.record(session.riskReasons)
        prefillRecord = try session.prefill?.record()
        keyRecord = try session.keyFinding?.record()
        device = nil
    }

    // MARK: Writing

    /// All columns.
    func bind(_ values: inout Parameters) {
        values.identifier(stored.correlationID)
        values.identifier(stored.authID)
        values.text(stored.clientID.text)
        values.time(stored.createdAt)
        values.time(stored.expiresAt)
        bindRequest(&values)
        bindState(&values)
        values.blob(stored.flowDigest?.bytes)
    }

    private func bindRequest(_ values: inout Parameters) {
        let request = stored.request
        values.text(request.flow.rawValue)
        values.text(request.product.rawValue)
        values.flag(request.options.allowOTPRetry)
        values.flag(request.options.rebind)
        values.flag(request.options.checkReputation)
        values.flag(request.options.mobileAuth)
        values.flag(request.options.allowPhoneChange)
        values.flag(request.options.linkMatchCode)
        values.flag(request.options.linkNeedsSameAddress)
    }

    /// The columns that change: from `subject_sealed` to the last but one.
    func bindState(_ values: inout Parameters) {
        values.blob(subjectSealed)
        stored.phase.bind(&values)
        values.integer(stored.revision)
        stored.binding.bind(&values)
        let declaration = stored.declaration
        values.text(declaration?.platform.rawValue)
        values.flag(declaration?.deviceKey)
        values.text(declaration?.cellular.rawValue)
        values.flag(declaration?.testMode)
        values.text(declaration?.fallback?.rawValue)
        values.text(declaration?.appHash)
        values.text(declaration?.mobileAuthReturnURL)
        stored.device.bind(&values)
        stored.otp.bind(&values)
        stored.sends.bind(&values)
        values.integer(stored.bindTriesLeft)
        values.text(method?.rawValue)
        values.time(provenAt)
        values.identifier(stored.proveID)
        values.integer(stored.eventCount)
        values.blob(linkRecord)
        values.blob(mobileAuthRecord)
        values.blob(riskRecord)
        values.blob(prefillRecord)
        values.blob(keyRecord)
    }

    // MARK: Reading

    init(_ row: inout Row) throws(StorageFault) {
        let correlationID: CorrelationID = try row.identifier("sessions.correlation_id")
        let authID: AuthID = try row.identifier("sessions.auth_id")
        let clientID = try row.clientID("sessions.client_id")
        let createdAt = try row.time("sessions.created_at_ms")
        let expiresAt = try row.time("sessions.expires_at_ms")
        let request = try SessionRequest(&row)
        subjectSealed = try row.optionalBlob("sessions.subject_sealed")
        let phase = try Session.Phase(&row)
        let revision = try row.count(0...Column.maxChanges, "sessions.revision")
        let binding = try Session.Binding(&row)
        let declaration = try Session.Declaration(ifAnyIn: &row)
        let device = try DeviceColumns(&row)
        self.device = device
        let otp = try OTPCheck(&row)
        let sends = try SendBudget(&row)
        let bindTriesLeft = try row.count(0...Column.maxCount, "sessions.bind_tries_left")
        method = try row.optionalChoice("sessions.proof_method")
        provenAt = try row.optionalTime("sessions.proven_at_ms")
        let proveID: ProveID? = try row.optionalIdentifier("sessions.prove_id")
        let eventCount = try row.count(0...Column.maxChanges, "sessions.event_count")
        linkRecord = try row.optionalBlob("sessions.link_check")
        mobileAuthRecord = try row.optionalBlob("sessions.mobile_auth_check")
        riskRecord = try row.optionalBlob("sessions.risk_reasons")
        prefillRecord = try row.optionalBlob("sessions.prefill_check")
        keyRecord = try row.optionalBlob("sessions.key_finding")
        let flowDigest = try row.optionalBlob("sessions.flow_digest").map(FlowDigest.init)
        stored = Session.Stored(
            correlationID: correlationID, authID: authID, clientID: clientID, createdAt: createdAt,
            expiresAt: expiresAt, request: request, flowDigest: flowDigest, phase: phase, revision: revision,
            binding: binding,
            declaration: declaration, enteredNumber: nil, device: DeviceCheck(challengesLeft: 0),
            mobileAuth: .unplanned, sends: sends, otp: otp,
            link: LinkCheck(), bindTriesLeft: bindTriesLeft, proof: nil, prefill: nil, riskReasons: [],
            deviceID: nil, keyFinding: nil, proveID: proveID, eventCount: eventCount)
    }

    /// The whole session, its sealed part opened and its records read.
    func session(_ sealing: Sealing) throws(StorageFault) -> Session {
        let subject = try SealedSubject(subjectSealed, with: sealing, for: stored.correlationID)
        let proof: Session.Proof?
        switch (method, subject.proven, provenAt) {
        case (let method?, let number?, let at?): proof = Session.Proof(method: method, number: number, at: at)
        case (nil, nil, nil): proof = nil
        default: throw .corrupt("sessions.proof_method")
        }
        let request = try stored.request.with(subject)
        let device = try device?.check(shown: subject.shownDevice) ?? stored.device
        return Session(
            stored: Session.Stored(
                correlationID: stored.correlationID, authID: stored.authID, clientID: stored.clientID,
                createdAt: stored.createdAt, expiresAt: stored.expiresAt, request: request,
                flowDigest: stored.flowDigest, phase: stored.phase,
                revision: stored.revision, binding: stored.binding, declaration: stored.declaration,
                enteredNumber: subject.entered, device: device,
                mobileAuth: try MobileAuthCheck(mobileAuthRecord, subject), sends: stored.sends, otp: stored.otp,
                link: try LinkCheck(linkRecord, subject), bindTriesLeft: stored.bindTriesLeft, proof: proof,
                prefill: try PrefillCheck(prefillRecord),
                riskReasons: try RiskReasons.reasons(riskRecord), deviceID: subject.boundDevice,
                keyFinding: try AuthTerms.KeyFinding(keyRecord), proveID: stored.proveID, eventCount: stored.eventCount)
        )
    }
}

extension SessionRequest {
    /// The request of a row, with the parts of it that are sealed.
    fileprivate func with(_ subject: SealedSubject) throws(StorageFault) -> SessionRequest {
        guard (product == .auth) == (subject.authTerms != nil) else { throw .corrupt("sessions.product") }
        var options = options
        options.deviceID = subject.wantedDevice
        options.finalTargetURL = subject.finalTargetURL
        options.messageTemplate = subject.messageTemplate
        return SessionRequest(
            flow: flow, product: product,
            subject: Subject(
                number: subject.claimed, emailAddress: subject.emailAddress, ipAddress: subject.ipAddress,
                claim: subject.claim),
            options: options, references: subject.references, authTerms: subject.authTerms)
    }
}

extension Session {
    /// Every stored member, with the new events counted among the stored ones.
    var stored: Stored {
        Stored(
            correlationID: correlationID, authID: authID, clientID: clientID, createdAt: createdAt,
            expiresAt: expiresAt, request: request, flowDigest: flowDigest, phase: phase, revision: revision,
            binding: binding,
            declaration: declaration, enteredNumber: enteredNumber, device: device, mobileAuth: mobileAuth,
            sends: sends, otp: otp, link: link, bindTriesLeft: bindTriesLeft, proof: proof, prefill: prefill,
            riskReasons: riskReasons,
            deviceID: deviceID, keyFinding: keyFinding, proveID: proveID,
            eventCount: storedEventCount + newEvents.count)
    }
}
