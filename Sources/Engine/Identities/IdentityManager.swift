package import Possession

/// Calls of an app's backend about the identities of its tenant.
package struct IdentityManager: Sendable {
    let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// An identity to enrol, as sent: by its number, or as another domain's identity.
    package struct Order: Sendable {
        package enum Subject: Sendable {
            case phoneNumber(String)
            case identity(HolderID, at: DomainID?)
        }

        package var subject: Subject
        package var references = Identity.References()
        package var attributes: [IdentityAttribute] = []

        package init(_ subject: Subject) {
            self.subject = subject
        }
    }

    /// Enrols one identity. A repeat changes only the values in the order.
    /// - Throws: `.invalidField`, `.numberNotServed`, `.notFound`, `.overloaded`, `.internalFault`.
    package func enrol(_ order: Order, for tenant: Tenant) async throws(PlatformRefusal) -> HolderID {
        let enrolment = try enrolment(order, for: tenant.id)
        guard let result = try await enrol([enrolment], for: tenant.id).first else {
            throw .internalFault("storage: an enrolment without an outcome")
        }
        return try result.get()
    }

    /// Enrols the valid orders, in order. Every other order gets its reason.
    /// - Throws: `.overloaded`, `.internalFault`; then no identity was enrolled.
    package func enrol(
        all orders: [Result<Order, PlatformRefusal>], for tenant: Tenant
    ) async throws(PlatformRefusal) -> [Result<HolderID, PlatformRefusal>] {
        let enrolments = orders.map { order -> Result<Enrolment, PlatformRefusal> in
            do throws(PlatformRefusal) { return .success(try enrolment(try order.get(), for: tenant.id)) } catch {
                return .failure(error)
            }
        }
        return try await enrol(all: enrolments, for: tenant.id)
    }

    /// As `enrol(all:for:)`, for numbers that were already read.
    func enrol(
        all enrolments: [Result<Enrolment, PlatformRefusal>], for client: ClientID
    ) async throws(PlatformRefusal) -> [Result<HolderID, PlatformRefusal>] {
        var outcomes = try await enrol(enrolments.compactMap { try? $0.get() }, for: client)[...]
        return enrolments.map { enrolment in
            switch enrolment {
            case .failure(let refusal): .failure(refusal)
            case .success: outcomes.popFirst() ?? .failure(.internalFault("storage: an outcome is missing"))
            }
        }
    }

    private func enrolment(_ order: Order, for tenant: ClientID) throws(PlatformRefusal) -> Enrolment {
        let subject: Enrolment.Subject =
            switch order.subject {
            case .phoneNumber(let text): .number(try engine.submittedNumber(text, for: tenant).number)
            case .identity(let id, let domain): .identity(id, at: domain)
            }
        return Enrolment(subject, references: order.references, attributes: order.attributes)
    }

    /// Enrols in steps of `LongWork.itemsPerTransaction`, so that other changes can run between two steps.
    ///
    /// Every identity reported as enrolled is durable. If a later step fails, its items and all later ones have that
    /// error; they may safely be enrolled again.
    /// - Throws: the error of the first step; then no identity was enrolled.
    private func enrol(
        _ enrolments: [Enrolment], for client: ClientID
    ) async throws(PlatformRefusal) -> [Result<HolderID, PlatformRefusal>] {
        var results: [Result<HolderID, PlatformRefusal>] = []
        results.reserveCapacity(enrolments.count)
        while results.count < enrolments.count {
            let step = enrolments[results.count...].prefix(LongWork.itemsPerTransaction)
            do throws(PlatformRefusal) { results += try await enrol(step: Array(step), for: client) } catch {
                if results.isEmpty { throw error }
                results += repeatElement(.failure(error), count: enrolments.count - results.count)
            }
        }
        return results
    }

    private func enrol(
        step enrolments: [Enrolment], for client: ClientID
    ) async throws(PlatformRefusal) -> [Result<HolderID, PlatformRefusal>] {
        let now = engine.now()
        let outcomes: [EnrolmentOutcome]
        do {
            let fresh = try enrolments.map { _ throws(EntropyFault) in try engine.crypto.fresh(HolderID.self, at: now) }
            let teller = try engine.webhookEventFactory(for: client, at: now)
            outcomes = try await engine.stores.identities.enrol(
                enrolments, of: client, fresh: fresh.sorted(), telling: teller, at: now)
            engine.wake(teller)
        } catch {
            throw PlatformRefusal(fault: error)
        }
        guard outcomes.count == enrolments.count else {
            throw .internalFault("storage: not as many outcomes as enrolments")
        }
        return outcomes.map { outcome in
            switch outcome {
            case .enrolled(let id): .success(id)
            case .unknownIdentity: .failure(.notFound(what: "identity"))
            case .tooManyAttributes:
                .failure(
                    .invalidField(
                        .attributes, reason: "would be more than \(Identity.Limit.attributes) in all"))
            }
        }
    }

    // MARK: Reading

    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func identity(_ id: HolderID, for tenant: Tenant) async throws(PlatformRefusal) -> Identity {
        let found: Identity?
        do { found = try await engine.stores.identities.identity(id, of: tenant.id) } catch {
            throw PlatformRefusal(fault: error)
        }
        guard let found else { throw .notFound(what: "identity") }
        return found
    }

    /// The identity with this number, or `nil`.
    /// - Throws: `.invalidField`, `.numberNotServed`, `.overloaded`, `.internalFault`.
    package func identity(
        numbered text: String, for tenant: Tenant
    ) async throws(PlatformRefusal) -> Identity? {
        let number = try engine.submittedNumber(text, for: tenant.id).number
        do { return try await engine.stores.identities.identity(number, of: tenant.id) } catch {
            throw PlatformRefusal(fault: error)
        }
    }

    package struct Page: Sendable {
        package let ids: [HolderID]
        /// The last id of the page, after which the next one begins; `nil`: there is no next page.
        package let lastID: HolderID?
    }

    /// - Parameter limit: 1 to `Identity.Limit.page`.
    /// - Throws: `.overloaded`, `.internalFault`.
    package func identities(
        after: HolderID?, limit: Int, includingInactive: Bool, for tenant: Tenant
    ) async throws(PlatformRefusal) -> Page {
        let found: [HolderID]
        do {
            // One more identity shows whether there is a next page.
            found = try await engine.stores.identities.identities(
                of: tenant.id, after: after, limit: limit + 1, includingInactive: includingInactive)
        } catch {
            throw PlatformRefusal(fault: error)
        }
        let ids = Array(found.prefix(limit))
        return Page(ids: ids, lastID: found.count > limit ? ids.last : nil)
    }

    // MARK: Changing

    /// Makes an identity active or inactive. It is not an error if it already is.
    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func setActive(_ isActive: Bool, _ id: HolderID, for tenant: Tenant) async throws(PlatformRefusal) {
        let found: Bool
        do {
            let teller = try engine.webhookEventFactory(for: tenant.id, at: engine.now())
            found = try await engine.stores.identities.setActive(isActive, id, of: tenant.id, telling: teller)
            engine.wake(teller)
        } catch {
            throw PlatformRefusal(fault: error)
        }
        guard found else { throw .notFound(what: "identity") }
    }

    /// Erases the number of an identity at the tenant, enrolled or only proven, with all its data there.
    /// - Throws: `.notFound`, `.overloaded`, `.internalFault`.
    package func erase(
        _ id: HolderID, by erasure: Erasure, for tenant: Tenant
    ) async throws(PlatformRefusal) -> ErasedData {
        let erased: ErasedData
        do {
            guard let number = try await engine.stores.identities.number(of: id, of: tenant.id) else {
                throw PlatformRefusal.notFound(what: "identity")
            }
            let teller = try engine.webhookEventFactory(for: tenant.id, at: engine.now())
            let events = teller.map { $0.events([.identity(.identityDeleted, id, at: $0.now)]) } ?? []
            erased = try await erasure.erase(.number(number), at: tenant.id, telling: events)
            if erased.identities > 0 { engine.wake(for: events) }
        } catch {
            throw PlatformRefusal(fault: error)
        }
        // Another call has erased it meanwhile.
        guard erased.identities > 0 else { throw .notFound(what: "identity") }
        return erased
    }
}
