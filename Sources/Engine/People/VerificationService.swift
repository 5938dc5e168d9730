package import Possession

/// Looks up the person of a number. A person who passes is enrolled.
package struct VerificationService: Sendable {
    /// Maximum items of one call.
    package static let maxBatch = 1000

    /// Time limit for all look-ups of one batch. A single look-up may take seconds.
    package static let batchTime = Duration.seconds(10)
    /// Look-ups of a batch at the same time.
    package static let batchWidth = 8

    private let engine: Engine
    private let manager: IdentityManager
    /// Returns when the time of a batch is over, or when its task is cancelled.
    private let batchEnd: @Sendable () async -> Void

    package init(
        _ engine: Engine,
        batchEnd: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: VerificationService.batchTime) }
    ) {
        self.engine = engine
        manager = IdentityManager(engine)
        self.batchEnd = batchEnd
    }

    /// One verification. Its fields are already checked. Rules that join several fields are here.
    package struct Order: Sendable {
        package var question: VerificationQuestion
        /// The number as sent; `nil`: the number of `holderID`.
        package var phoneNumber: String?
        package var holderID: HolderID?
        /// Names that the caller has for the person.
        package var names = SubmittedPerson()
        package var references = SessionRequest.References()
        package var attributes: [IdentityAttribute] = []

        package init(_ question: VerificationQuestion) {
            self.question = question
        }
    }

    package struct Verification: Sendable {
        package let number: SubmittedNumber
        package let finding: VerificationFinding
        /// ID of the enrolled identity; set if it passes.
        package let holderID: HolderID?
    }

    /// A new id of a call, for the caller's records.
    /// - Throws: `.internalFault`.
    package func freshCorrelationID() throws(PlatformRefusal) -> CorrelationID {
        do { return try engine.crypto.fresh(CorrelationID.self, at: engine.now()) } catch {
            throw PlatformRefusal(fault: error)
        }
    }

    /// - Throws: `.invalidField`, `.numberNotServed`, `.rateLimited`, `.numberStopped`, `.sourceUnavailable`,
    /// `.overloaded`, `.internalFault`.
    package func verify(_ order: Order, for tenant: Tenant) async throws(PlatformRefusal) -> Verification {
        guard let result = try await verify(all: [.success(order)], for: tenant).first else {
            throw .internalFault("a verification without an outcome")
        }
        return try result.get()
    }

    /// Verifies the orders and enrols the people who pass. Every other order gets its reason: `.sourceUnavailable` if
    /// its look-up did not finish in time. Results are in the order of `orders`.
    /// - Throws: `.sourceUnavailable`, `.overloaded`, `.internalFault`; then no person was enrolled.
    package func verify(
        all orders: [Result<Order, PlatformRefusal>], for tenant: Tenant
    ) async throws(PlatformRefusal) -> [Result<Verification, PlatformRefusal>] {
        let looked = try await lookUp(all: orders, for: tenant)
        let passed = looked.compactMap { try? $0.get() }.filter(\.finding.passes)
        var enrolled = try await manager.enrol(
            all: passed.map { .success($0.enrolment) }, for: tenant.id)[...]
        return looked.map { result in
            result.flatMap { looked in
                guard looked.finding.passes else { return .success(looked.verification(nil)) }
                return (enrolled.popFirst() ?? .failure(.internalFault("storage: an outcome is missing")))
                    .map(looked.verification)
            }
        }
    }

    // MARK: Many items

    private typealias Outcome = Result<Result<LookedUp, PlatformRefusal>, PlatformRefusal>

    private enum Step: Sendable {
        case looked(Int, Outcome)
        case timeOver
    }

    /// Looks up several at a time, until `batchEnd` returns.
    /// - Throws: errors that end the whole call.
    private func lookUp(
        all orders: [Result<Order, PlatformRefusal>], for tenant: Tenant
    ) async throws(PlatformRefusal) -> [Result<LookedUp, PlatformRefusal>] {
        // A single order has only the time limit of its own call.
        if let order = orders.first, orders.count == 1 { return [try await lookUp(order, for: tenant)] }
        let outcome = await withTaskGroup(of: Step.self) { group in
            var all: [Result<LookedUp, PlatformRefusal>] = Array(
                repeating: .failure(.sourceUnavailable), count: orders.count)
            var begun = 0
            group.addTask { [batchEnd] in
                await batchEnd()
                return .timeOver
            }
            func begin(_ group: inout TaskGroup<Step>) {
                guard begun < orders.count else { return }
                let index = begun
                begun += 1
                group.addTask { .looked(index, await result(of: orders[index], for: tenant)) }
            }
            for _ in 0..<Self.batchWidth { begin(&group) }
            var open = orders.count
            // At the end, look-ups that still wait are cancelled, and this waits for them.
            defer { group.cancelAll() }
            while open > 0, let step = await group.next() {
                switch step {
                case .timeOver: return Result<[Result<LookedUp, PlatformRefusal>], PlatformRefusal>.success(all)
                case .looked(_, .failure(let refusal)): return .failure(refusal)
                case .looked(let index, .success(let result)):
                    all[index] = result
                    open -= 1
                    await LongWork.giveWay(after: orders.count - open)
                    begin(&group)
                }
            }
            return .success(all)
        }
        return try outcome.get()
    }

    private func result(of order: Result<Order, PlatformRefusal>, for tenant: Tenant) async -> Outcome {
        do throws(PlatformRefusal) { return .success(try await lookUp(order, for: tenant)) } catch {
            return .failure(error)
        }
    }

    // MARK: One item

    private struct LookedUp: Sendable {
        let order: Order
        let number: SubmittedNumber
        let finding: VerificationFinding

        var enrolment: Enrolment {
            Enrolment(
                .number(number.number),
                references: .init(
                    clientCustomerID: order.references.clientCustomerID, clientHumanID: order.references.clientHumanID),
                attributes: order.attributes)
        }

        func verification(_ holderID: HolderID?) -> Verification {
            Verification(number: number, finding: finding, holderID: holderID)
        }
    }

    /// - Throws: errors that end the whole call.
    private func lookUp(
        _ order: Result<Order, PlatformRefusal>, for tenant: Tenant
    ) async throws(PlatformRefusal) -> Result<LookedUp, PlatformRefusal> {
        let number: SubmittedNumber
        let known: Order
        do throws(PlatformRefusal) {
            known = try order.get()
            number = try await claimedNumber(of: known, for: tenant)
        } catch {
            switch error {
            case .invalidField, .numberNotServed, .otherProduct, .notFound: return .failure(error)
            case .unauthorized, .stepNotAllowed, .stepTooEarly, .oldKeysSign, .unknownSession, .endedFlow,
                .endedSession, .numberNeeded, .claimMissing, .rateLimited, .numberStopped,
                .sourceUnavailable,
                .overloaded, .internalFault:
                throw error
            }
        }
        let person = try await engine.person(number.number)
        let script = engine.network.numbers.traits(of: number.number).verification
        let standing: Reputation?
        do throws(EngineFault) {
            // Only for the question that uses it: each answer may cost money.
            let isAsked = engine.network.reputation != nil && (known.question == .human || script != nil)
            standing = isAsked ? try await engine.standing(number.number, for: tenant.id) : nil
        } catch { throw PlatformRefusal(error) }
        let finding = VerificationFinding(
            known.question, known.names, person: person, standing: standing, script: script)
        if let agrees = finding.namesAgree,
            let refusal = try await refusalOfNames(agree: agrees, of: number.number, tenant.id)
        {
            return .failure(refusal)
        }
        return .success(LookedUp(order: known, number: number, finding: finding))
    }

    /// Names are a claim about the person, as a birth date is. Wrong names count under the number, and over the limit
    /// the caller does not learn whether they are wrong. Right names end no run of failures, because many people know
    /// them.
    private func refusalOfNames(
        agree: Bool, of number: PhoneNumber, _ tenant: ClientID
    ) async throws(PlatformRefusal) -> PlatformRefusal? {
        guard let over = engine.limits.overSessions else { return nil }
        let keys = [LimitKey(.failedClaimsOfNumber, number, of: tenant)]
        let now = engine.now()
        let outcome: (refusal: PlatformRefusal?, hits: [LimitTallies.Hit])
        do {
            outcome = try await engine.stores.limitCounts.count(keys) { tallies in
                let refusal = tallies.refusalOfClaim(keys, number, by: over, at: now)
                if refusal == nil, !agree { tallies.count(keys, by: over, at: now) }
                return (refusal, tallies.hits)
            }
        } catch { throw PlatformRefusal(fault: error) }
        for hit in outcome.hits { engine.reports.recordLimit(hit.limit, hit.number) }
        return outcome.refusal
    }

    /// The number that was sent, else the number of the person's ID. If both were sent, they must belong together.
    private func claimedNumber(
        of order: Order, for tenant: Tenant
    ) async throws(PlatformRefusal) -> SubmittedNumber {
        let sent: SubmittedNumber?
        if let text = order.phoneNumber { sent = try engine.submittedNumber(text, for: tenant.id) } else { sent = nil }
        guard let id = order.holderID else {
            guard let sent else { throw .invalidField(.phoneNumber, reason: "is missing") }
            return sent
        }
        let known: PhoneNumber?
        do { known = try await engine.stores.identities.number(of: id, of: tenant.id) } catch {
            throw PlatformRefusal(fault: error)
        }
        guard let known, sent == nil || sent?.number == known else {
            throw .invalidField(.person, reason: "is not known")
        }
        return sent ?? SubmittedNumber(asSent: known.e164, number: known)
    }
}
