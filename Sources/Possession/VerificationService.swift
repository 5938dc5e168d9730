/// `POST /v3/verify`: whom a number belongs to. Whoever passes is enrolled.
package struct VerificationService: Sendable {
    /// Items of one call.
    package static let maxBatch = 1000

    private let engine: Engine
    private let manager: IdentityManager

    package init(_ engine: Engine) {
        self.engine = engine
        manager = IdentityManager(engine)
    }

    /// One verification, its fields already read; the rules that join several fields are here.
    package struct Order: Sendable {
        package let type: VerificationType
        /// As sent; `nil`: the one behind `proveID`.
        package var phoneNumber: String?
        package var proveID: ProveID?
        /// Whom the caller takes them for, by name.
        package var names = SubmittedPerson()
        package var references = SessionRequest.References()
        package var attributes: [IdentityAttribute] = []

        package init(_ type: VerificationType) {
            self.type = type
        }
    }

    package struct Verification: Sendable {
        package let number: SubmittedNumber
        package let finding: VerificationFinding
        /// Of the enrolled identity; set when it passes.
        package let proveID: ProveID?
    }

    /// A new name of a call, for the caller's records.
    /// - Throws: `.internalFault`.
    package func freshCorrelationID() throws(PlatformRefusal) -> CorrelationID {
        do { return try engine.fresh(CorrelationID.self, at: engine.now()) } catch {
            throw PlatformRefusal(fault: error)
        }
    }

    /// - Throws: `.invalidField`, `.sandboxUserNotFound`, `.sourceUnavailable`, `.overloaded`, `.internalFault`.
    package func verify(_ order: Order, for tenant: Tenant) async throws(PlatformRefusal) -> Verification {
        guard let result = try await verify(all: [.success(order)], for: tenant).first else {
            throw .internalFault("a verification without an outcome")
        }
        return try result.get()
    }

    /// Verifies what can be verified, in order, and enrols those who pass; the rest have their reason.
    /// - Throws: `.sourceUnavailable`, `.overloaded`, `.internalFault`; nobody was enrolled then.
    package func verify(
        all orders: [Result<Order, PlatformRefusal>], for tenant: Tenant
    ) async throws(PlatformRefusal) -> [Result<Verification, PlatformRefusal>] {
        var looked: [Result<Looked, PlatformRefusal>] = []
        looked.reserveCapacity(orders.count)
        for order in orders {
            looked.append(try await look(order, for: tenant))
            await LongWork.giveWay(after: looked.count)
        }
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

    // MARK: One item

    private struct Looked: Sendable {
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

        func verification(_ proveID: ProveID?) -> Verification {
            Verification(number: number, finding: finding, proveID: proveID)
        }
    }

    /// - Throws: what ends the whole call.
    private func look(
        _ order: Result<Order, PlatformRefusal>, for tenant: Tenant
    ) async throws(PlatformRefusal) -> Result<Looked, PlatformRefusal> {
        let number: SubmittedNumber
        let known: Order
        do throws(PlatformRefusal) {
            known = try order.get()
            number = try await claimedNumber(of: known, for: tenant)
        } catch {
            switch error {
            case .invalidField, .sandboxUserNotFound, .otherProduct, .notFound: return .failure(error)
            case .unauthorized, .stepNotAllowed, .unknownCorrelationID, .unknownAuthID, .endedFlow, .rateLimited,
                .sourceUnavailable, .overloaded, .internalFault:
                throw error
            }
        }
        let person = try await engine.person(number.number)
        let finding = VerificationFinding(
            known.type, known.names, person: person, standing: engine.rules.reputation?(number.number),
            script: engine.numbers.sandboxUser(number.number)?.verification)
        return .success(Looked(order: known, number: number, finding: finding))
    }

    /// The number that was sent, else the one behind `proveId`; if both were sent, they must belong together.
    private func claimedNumber(
        of order: Order, for tenant: Tenant
    ) async throws(PlatformRefusal) -> SubmittedNumber {
        let sent: SubmittedNumber?
        if let text = order.phoneNumber { sent = try engine.submittedNumber(text, for: tenant.id) } else { sent = nil }
        guard let id = order.proveID else {
            guard let sent else { throw .invalidField("phoneNumber", reason: "is missing") }
            return sent
        }
        let known: PhoneNumber?
        do { known = try await engine.identities.number(of: id, of: tenant.id) } catch {
            throw PlatformRefusal(fault: error)
        }
        guard let known, sent == nil || sent?.number == known else {
            throw .invalidField("proveId", reason: "is not known")
        }
        return sent ?? SubmittedNumber(asSent: known.e164, number: known)
    }
}
