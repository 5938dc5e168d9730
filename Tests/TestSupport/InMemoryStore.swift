internal import Locks
package import Engine
package import Possession

/// The engine's stores in memory, for tests of what stands above them. One lock, so a change is one step; nothing is
/// durable.
package final class InMemoryStore: SessionStore, DeviceKeyStore, TenantStore, StoreHealth, LimitStore {
    struct Content {
        var sessions: [CorrelationID: Session] = [:]
        var byAuthID: [AuthID: CorrelationID] = [:]
        var byName: [SessionName: Set<CorrelationID>] = [:]
        var events: [CorrelationID: [SessionEvent]] = [:]
        var deviceKeys: [DeviceID: DeviceKey] = [:]
        var activations: [ActivationID: DeviceActivation] = [:]
        /// The oldest first.
        var deviceTokens: [DeviceToken] = []
        var identities = InMemoryIdentities()
        var replies: [RetryPlace: KeptReply] = [:]
        var messages: [MessageID: StoredMessage] = [:]
        /// The end of each proof that a session used.
        var usedProofs: [CorrelationID: [[UInt8]: Timestamp]] = [:]
        var tallies: [LimitKey: LimitTally] = [:]
        var scarce: [ExhaustedPlace] = []
        var tenants: [ClientID: Tenant] = [:]
        var webhooks = InMemoryWebhooks()
        var fault: StorageFault?
        /// Number of inserts and updates of sessions.
        var changes = 0
        /// Those that `sweepUnredeemed` has looked at.
        var lookedAt: Set<CorrelationID> = []
        /// Fault of calls that enrol, once so many have passed.
        var enrolmentFault: (fault: StorageFault, callsBefore: Int)?
    }

    struct StoredMessage {
        let message: OutboundMessage
        var state = OutboundMessage.State.queued
        /// The process that has it in hand.
        var holder: Int?
        var acceptance: Acceptance?
        var end: MessageReceipt.End?
        var refusals: [GatewayRefusal] = []
        var receiptDue: Timestamp?
        /// Its content is kept, although it is sent.
        var isKept = false
    }

    struct RetryPlace: Hashable {
        let session: CorrelationID
        let path: String
        let requestID: String
    }

    private let content = Locked(Content())
    /// Apart: rules ask for them while the lock of the content is held.
    let subscriptions = Locked<[ClientID: [WebhookSubscription]]>([:])

    package init() {}

    /// How often a session was inserted or changed.
    package var changes: Int { content.withLock { $0.changes } }

    /// Makes every call from now on fail with this fault; `nil`: none fails.
    package func fail(with fault: StorageFault?) {
        content.withLock {
            $0.fault = fault
            $0.enrolmentFault = nil
        }
    }

    /// Makes every call that enrols fail with this fault, once so many have passed.
    package func fail(with fault: StorageFault, afterEnrolments calls: Int) {
        content.withLock { $0.enrolmentFault = (fault, calls) }
    }

    func withContent<R: Sendable>(
        _ body: (inout Content) throws(StorageFault) -> sending R
    ) throws(StorageFault) -> R {
        try content.withLock { (content) throws(StorageFault) -> R in
            if let fault = content.fault { throw fault }
            return try body(&content)
        }
    }

    func withMessages<R: Sendable>(_ body: (inout [MessageID: StoredMessage]) -> sending R) -> R {
        content.withLock { body(&$0.messages) }
    }

    /// Succeeds even when the store is told to fail.
    func withWebhooks<R: Sendable>(_ body: (inout InMemoryWebhooks) -> sending R) -> R {
        content.withLock { body(&$0.webhooks) }
    }

    // MARK: sessions

    package func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent]
    ) async throws(StorageFault) {
        try withContent { (content) throws(StorageFault) in
            content.changes += 1
            try Self.add(session, freshHolderID, &content)
            content.webhooks.add(webhooks)
        }
    }

    package func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent], counting keys: [LimitKey],
        _ rule: @escaping @Sendable (inout LimitTallies) -> LimitHit?
    ) async throws(StorageFault) -> LimitHit? {
        try withContent { (content) throws(StorageFault) in
            content.changes += 1
            var counted = Self.tallies(keys, content)
            let hit = rule(&counted)
            if hit == nil {
                try Self.add(session, freshHolderID, &content)
                content.webhooks.add(webhooks)
            }
            Self.save(counted, &content)
            return hit
        }
    }

    package func session(_ key: SessionKey, in fence: SessionFence) async throws(StorageFault) -> Session? {
        try withContent { content in Self.find(key, in: fence, content) }
    }

    package func update<R: Sendable>(
        _ key: SessionKey, in fence: SessionFence, _ lookup: ChangeInputs, freshHolderID: HolderID,
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R? {
        try withContent { (content) throws(StorageFault) -> R? in
            content.changes += 1
            let answered = Self.findAnswered(key, in: fence, lookup, content)
            guard let session = answered ?? Self.find(key, in: fence, content) else { return nil }
            return try Self.apply(rule, to: Self.change(session, lookup, &content), lookup, freshHolderID, &content)
        }
    }

    package func findOrInsert<R: Sendable>(
        _ key: SessionKey, new: Session, goesOn: @escaping @Sendable (Session) -> Bool, _ lookup: ChangeInputs,
        freshHolderID: HolderID, _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R {
        try withContent { (content) throws(StorageFault) -> R in
            content.changes += 1
            let answered = Self.findAnswered(key, in: new.fence, lookup, content)
            if let found = answered ?? Self.find(key, in: new.fence, content).flatMap({ goesOn($0) ? $0 : nil }) {
                return try Self.apply(rule, to: Self.change(found, lookup, &content), lookup, freshHolderID, &content)
            }
            if Self.isTaken(new, content) { throw .duplicate }
            let change = Self.change(new, isNew: true, lookup, &content)
            return try Self.apply(rule, to: change, lookup, freshHolderID, &content)
        }
    }

    /// Runs a rule and stores what it leaves. Runs it once more first, on the same values: a rule is a plain function, since a
    /// store that reads and writes apart may have to run it again.
    private static func apply<R>(
        _ rule: (inout SessionChange) -> R, to loaded: SessionChange, _ lookup: ChangeInputs, _ freshHolderID: HolderID,
        _ content: inout Content
    ) throws(StorageFault) -> R {
        var (change, again) = (loaded, loaded)
        _ = rule(&again)
        let result = rule(&change)
        let different = change.differences(from: again)
        precondition(different.isEmpty, "a rule that runs again does something else: \(different)")
        let names = change.session.names + change.names
        if !change.isDropped, isTaken(names, butBy: change.session, content) { throw .duplicate }
        save(change.tallies, &content)
        guard !change.isDropped else { return result }
        for name in change.names { content.byName[name, default: []].insert(change.session.correlationID) }
        let (id, wasDone) = (loaded.session.correlationID, loaded.session.isDone)
        save(change.session, freshHolderID, &content)
        if let key = change.deviceKey { content.deviceKeys[key.id] = key }
        if let activation = change.activation { content.activations[activation.id] = activation }
        content.webhooks.add(change.webhooks)
        if change.message != nil || change.session.isDone && !wasDone {
            for (message, stored) in content.messages where stored.message.correlationID == id {
                content.messages[message]?.isKept = false
            }
        }
        if let message = change.message {
            content.messages[message.id] = StoredMessage(message: message, holder: InMemoryOutbox.firstHolder)
        }
        if let message = lookup.message, let state = change.messageState {
            if state != content.messages[message]?.state {
                content.messages[message]?.refusals = change.messageRefusals
            }
            content.messages[message]?.state = state
        }
        if let message = lookup.message, !change.messageAwaitsReceipt { content.messages[message]?.receiptDue = nil }
        if let message = lookup.message, let end = change.messageEnd {
            let known = content.messages[message]
            if known?.state == .queued, let gateway = change.messageGateway {
                content.messages[message]?.acceptance = Acceptance(gateway: gateway)
            }
            // The same end again, of a message whose failure is looked at later, changes nothing.
            if end != known?.end || change.messageGateway != known?.acceptance?.gateway {
                content.messages[message]?.end = end
                content.messages[message]?.isKept = false
            }
        }
        if let retry = lookup.retry, let reply = change.reply {
            content.replies[RetryPlace(session: id, path: retry.path, requestID: retry.requestID)] = reply
        }
        return result
    }

    private static func change(
        _ session: Session, isNew: Bool = false, _ lookup: ChangeInputs, _ content: inout Content
    ) -> SessionChange {
        let message = lookup.message.flatMap { content.messages[$0] }.flatMap {
            $0.message.correlationID == session.correlationID ? $0 : nil
        }
        var use = ProofUse.new
        if let proof = lookup.proof, session.mayAdmit(proof.thumbprint) {
            use = Self.use(proof, lookup, &content.usedProofs[session.correlationID, default: [:]])
        }
        var thumbprint = lookup.thumbprint
        if thumbprint == nil, case .pending(let key) = session.device.state { thumbprint = key.thumbprint }
        let deviceKey = content.deviceKeys.values.first {
            $0.clientID == session.clientID && $0.thumbprint == thumbprint
        }
        let keys = lookup.limitKeys?(session, deviceKey) ?? []
        return SessionChange(
            session: session, isNew: isNew, deviceKey: deviceKey, proof: use,
            tenantIsRevoked: content.tenants[session.clientID]?.revokedAt != nil,
            tenantRules: lookup.wantsTenantRules ? content.tenants[session.clientID]?.rules : nil,
            isKnownTarget: content.knows(lookup.knownTarget?(session)?.number, session.clientID),
            tenantCount: lookup.wantsTenantCount ? content.tenants.values.count { $0.revokedAt == nil } : 1,
            earlierReply: reply(lookup.retry, of: session, content),
            tallies: tallies(keys, content),
            messageState: message?.state, messageEnd: message?.end,
            messageAwaitsReceipt: message?.receiptDue != nil, messageGateway: message?.acceptance?.gateway,
            messageChannel: message?.acceptance?.channel,
            keptMessage: message.flatMap { lookup.wantsKeptMessage && $0.isKept ? $0.message : nil })
    }

    private static func use(
        _ proof: DPoPProof, _ lookup: ChangeInputs, _ used: inout [[UInt8]: Timestamp]
    ) -> ProofUse {
        let most = lookup.isRead ? ProofUse.mostByReads : ProofUse.most
        if used.count >= most { used = used.filter { $0.value > proof.checkedAt } }
        guard used.count < most else {
            return .tooMany(until: used.values.sorted()[used.count - most], at: proof.checkedAt)
        }
        return used.updateValue(proof.validUntil, forKey: proof.jtiDigest) == nil ? .new : .usedBefore
    }

    /// The newest session of a shared name that has kept the answer to the call.
    private static func findAnswered(
        _ key: SessionKey, in fence: SessionFence, _ lookup: ChangeInputs, _ content: Content
    ) -> Session? {
        guard case .named(let name) = key, name.kind.isShared, let isAnswer = lookup.isAnswer else { return nil }
        let all = sessions(of: name, in: fence, content).filter { reply(lookup.retry, of: $0, content) != nil }
        let newest = all.max { $0.correlationID < $1.correlationID }
        return newest.flatMap { found in reply(lookup.retry, of: found, content).flatMap { isAnswer($0) ? found : nil }
        }
    }

    private static func reply(_ retry: RetryKey?, of session: Session, _ content: Content) -> KeptReply? {
        retry.flatMap {
            content.replies[RetryPlace(session: session.correlationID, path: $0.path, requestID: $0.requestID)]
        }
    }

    private static func tallies(_ keys: [LimitKey], _ content: Content) -> LimitTallies {
        LimitTallies(keys.map { ($0, content.tallies[$0] ?? LimitTally()) })
    }

    private static func save(_ tallies: LimitTallies, _ content: inout Content) {
        for key in tallies.changed { content.tallies[key] = tallies[key] }
        for place in tallies.closings + tallies.openings {
            guard let client = place.key.tenant else { continue }
            let scarce = ExhaustedPlace(client: client, place: place.place, since: place.at)
            content.scarce.removeAll { $0.client == client && $0.place == scarce.place }
            if tallies.closings.contains(place) { content.scarce.append(scarce) }
        }
        for key in tallies.endedRuns where !tallies.changed.contains(key) {
            content.tallies[key] = content.tallies[key].map {
                LimitTally(entries: $0.entries)
            }
        }
    }

    private static func find(_ key: SessionKey, in fence: SessionFence, _ content: Content) -> Session? {
        let found =
            switch key {
            case .correlation(let id): content.sessions[id]
            case .auth(let id): content.byAuthID[id].flatMap { content.sessions[$0] }
            case .named(let name):
                sessions(of: name, in: fence, content).max { $0.correlationID < $1.correlationID }
            }
        return found.flatMap { fence.admits($0) ? $0 : nil }
    }

    private static func sessions(of name: SessionName, in fence: SessionFence, _ content: Content) -> [Session] {
        // A store with a database has to know them to find the newest.
        if name.kind.isShared { _ = fence.owner }
        return (content.byName[name] ?? []).compactMap { content.sessions[$0] }.filter(fence.admits)
    }

    private static func add(
        _ session: Session, _ freshHolderID: HolderID, _ content: inout Content
    ) throws(StorageFault) {
        if isTaken(session, content) { throw .duplicate }
        save(session, freshHolderID, &content)
    }

    /// Whether another session has one of the new one's ids or names.
    private static func isTaken(_ session: Session, _ content: Content) -> Bool {
        content.sessions[session.correlationID] != nil || content.byAuthID[session.authID] != nil
            || isTaken(session.names, butBy: session, content)
    }

    private static func isTaken(_ names: [SessionName], butBy session: Session, _ content: Content) -> Bool {
        names.contains { name in
            !name.kind.isShared && content.byName[name]?.contains { $0 != session.correlationID } == true
        }
    }

    /// Stores the value as one that was read back: without new events.
    private static func save(_ changed: Session, _ freshHolderID: HolderID, _ content: inout Content) {
        var session = changed
        if let number = session.proof?.number, session.holderID == nil {
            let holder = content.identities.findOrAdd(number, of: session.clientID, fresh: freshHolderID)
            if session.proof?.isOfPerson == true { content.identities.rows[holder]?.isProven = true }
            session.holderID = holder
        }
        content.events[session.correlationID, default: []] += session.newEvents
        content.sessions[session.correlationID] = session.asStored
        content.byAuthID[session.authID] = session.correlationID
        for name in session.names { content.byName[name, default: []].insert(session.correlationID) }
    }

    package func events(of id: CorrelationID) async throws(StorageFault) -> [SessionEvent] {
        try withContent { content in content.events[id] ?? [] }
    }

    package func recentSessions(limit: Int) async throws(StorageFault) -> [Session] {
        try withContent { content in
            Array(content.sessions.values.sorted { $0.correlationID > $1.correlationID }.prefix(limit))
        }
    }

    package func sessions(
        of tenant: ClientID, product: ProductName, target: Target?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [Session] {
        try withContent { content in
            let found = content.sessions.values.filter { session in
                session.clientID == tenant && session.request.policy.product == product
                    && session.names.contains { $0.kind == .target && (target.map(SessionName.target) ?? $0) == $0 }
                    && (before.map { session.correlationID < $0 } ?? true)
            }
            return Array(found.sorted { $0.correlationID > $1.correlationID }.prefix(most))
        }
    }

    package func unfinishedSessions(
        after: CorrelationID?, from start: Timestamp, before end: Timestamp
    ) async throws(StorageFault) -> UnfinishedSessions {
        try withContent { content in
            let rows = content.sessions.values.filter { session in
                after.map { session.correlationID > $0 } ?? true && session.createdAt >= start
                    && session.createdAt < end
            }.sorted { $0.correlationID < $1.correlationID }.prefix(200)
            let open = rows.filter { if case .done = $0.phase { false } else { true } }
            return UnfinishedSessions(
                open.map { .init(id: $0.correlationID, client: $0.clientID) }, last: rows.last?.correlationID)
        }
    }

    // MARK: limits

    package func count<R: Sendable>(
        _ keys: [LimitKey], _ rule: @escaping @Sendable (inout LimitTallies) -> R
    ) async throws(StorageFault) -> R {
        try withContent { content -> R in
            var tallies = Self.tallies(keys, content)
            let result = rule(&tallies)
            Self.save(tallies, &content)
            return result
        }
    }

    package func tallies(_ keys: [LimitKey]) async throws(StorageFault) -> [LimitKey: LimitTally] {
        try withContent { content in content.tallies.filter { keys.contains($0.key) } }
    }

    package func forgetTallies(_ keys: [LimitKey]) async throws(StorageFault) -> Int {
        try withContent { content in
            content.scarce.removeAll { keys.contains($0.key) }
            return keys.filter { content.tallies.removeValue(forKey: $0) != nil }.count
        }
    }

    package func scarcePlaces(limit: Int) async throws(StorageFault) -> [ExhaustedPlace] {
        try withContent { content in
            let sorted = content.scarce.sorted {
                ($0.client.text + " " + $0.place).utf8.lexicographicallyPrecedes(($1.client.text + " " + $1.place).utf8)
            }
            return Array(sorted.prefix(limit))
        }
    }

    // MARK: device keys

    package func deviceKey(_ id: DeviceID, of client: ClientID) async throws(StorageFault) -> DeviceKey? {
        try withContent { content in content.deviceKeys[id].flatMap { $0.clientID == client ? $0 : nil } }
    }

    package func deviceKey(
        _ thumbprint: Thumbprint, of client: ClientID
    ) async throws(StorageFault) -> DeviceKey? {
        try withContent { content in
            content.deviceKeys.values.first { $0.thumbprint == thumbprint && $0.clientID == client }
        }
    }

    package func deviceKeys(
        of number: PhoneNumber, at client: ClientID?, before end: DeviceKeyPlace?, most: Int
    ) async throws(StorageFault) -> [DeviceKey] {
        try withContent { content in
            content.newestKeys(before: end, most: most) {
                $0.number == number && (client == nil || $0.clientID == client)
            }
        }
    }

    package func deviceKeys(
        of client: ClientID, before end: DeviceKeyPlace?, most: Int
    ) async throws(StorageFault) -> [DeviceKey] {
        try withContent { content in content.newestKeys(before: end, most: most) { $0.clientID == client } }
    }

    package func owner(of id: DeviceID) async throws(StorageFault) -> ClientID? {
        try withContent { content in content.deviceKeys[id]?.clientID }
    }

    package func revokeDeviceKey(
        _ id: DeviceID, of client: ClientID, telling teller: WebhookEventFactory?, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        try withContent { content in
            guard let key = content.deviceKeys[id], key.clientID == client else { return false }
            if key.status != .revoked, let teller {
                content.webhooks.add(teller.events([.deviceKeyRevoked(id, at: now)]))
            }
            content.deviceKeys[id]?.status = .revoked
            return true
        }
    }

    // MARK: tenants, health

    package func tenant(_ id: ClientID) async throws(StorageFault) -> Tenant? {
        try withContent { content in content.tenants[id] }
    }

    package func tenants() async throws(StorageFault) -> [Tenant] {
        try withContent { content in content.tenants.values.sorted { $0.id.text < $1.id.text } }
    }

    package func add(_ tenant: Tenant) async throws(StorageFault) {
        try withContent { (content) throws(StorageFault) in
            guard content.tenants[tenant.id] == nil else { throw .duplicate }
            content.tenants[tenant.id] = tenant
        }
    }

    package func save(_ tenant: Tenant) async throws(StorageFault) {
        try withContent { content in content.tenants[tenant.id] = tenant }
    }

    package func updateTenant(
        _ id: ClientID, _ change: @escaping @Sendable (inout Tenant) -> Void
    ) async throws(StorageFault) -> Tenant? {
        try withContent { content in
            guard var tenant = content.tenants[id] else { return nil }
            change(&tenant)
            content.tenants[id] = tenant
            return tenant
        }
    }

    package func revokeTenant(_ id: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool {
        try withContent { content in
            guard let tenant = content.tenants[id] else { return false }
            content.tenants[id]?.revokedAt = tenant.revokedAt ?? now
            return true
        }
    }

    package func probe() async throws(StorageFault) {
        try withContent { _ in () }
    }
}

extension InMemoryStore.Content {
    fileprivate func newestKeys(
        before end: DeviceKeyPlace?, most: Int, _ isMeant: (DeviceKey) -> Bool
    ) -> [DeviceKey] {
        let found = deviceKeys.values.filter { key in
            let isBehind =
                switch end {
                case .key(let id): key.id < id
                case .time(let time): key.id.createdAt < time
                case nil: true
                }
            return isBehind && isMeant(key)
        }
        return Array(found.sorted { $0.id > $1.id }.prefix(most))
    }
}

extension SessionChange {
    /// Names of the values that two runs of a rule do not store or tell alike.
    fileprivate func differences(from other: SessionChange) -> [String] {
        let same = [
            ("session", session == other.session), ("dropping", isDropped == other.isDropped),
            ("names", names == other.names),
            ("device key", deviceKey == other.deviceKey), ("activation", activation == other.activation),
            ("reply", reply == other.reply),
            ("message", message == other.message), ("message state", messageState == other.messageState),
            ("message end", messageEnd == other.messageEnd), ("webhooks", webhooks == other.webhooks),
            ("limits", tallies.changed == other.tallies.changed),
            ("counts", tallies.changed.allSatisfy { tallies[$0] == other.tallies[$0] }),
        ]
        return same.filter { !$0.1 }.map(\.0)
    }
}
