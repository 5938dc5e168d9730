internal import Engine
internal import Possession
internal import SurfaceKit

/// Numbers of phones: from the phone's operator, or named in a grant. Each number gets its own session, which tokens
/// refer to.
struct NumberProofs: Sendable {
    let engine: Engine
    private let verifications: Verifications

    init(_ engine: Engine) {
        self.engine = engine
        verifications = Verifications(engine)
    }

    /// Asks the operator for the number of the phone to which it gave the token (GSMA TS.43).
    /// - Returns: `nil`: no operator here takes such tokens, or the operator does not know this one.
    func prove(_ token: OperatorToken, for tenant: Tenant) async throws(TokenRefusal) -> CorrelationID? {
        guard let carrier = engine.network.operators.onlyOneTakingTokens, engine.rules.capabilities.mobileAuth else {
            return nil
        }
        do throws(SendRefusal) {
            let session = try await verifications.prove(Self.order(nil), by: token, of: carrier, for: tenant)
            return session.flatMap { Self.number(of: $0) == nil ? nil : $0.correlationID }
        } catch { throw TokenRefusal(error) }
    }

    /// Begins a session about a number that the backend names. It proves nothing.
    /// - Returns: `nil`: this server does not serve the number for this client.
    func name(_ number: String, for tenant: Tenant) async throws(TokenRefusal) -> CorrelationID? {
        do throws(SendRefusal) {
            let order = Self.order(try verifications.recipient(number, for: tenant))
            return try await verifications.create(order, for: tenant).correlationID
        } catch {
            switch error {
            case .malformedNumber, .numberNotServed, .lineRefused, .countryClosed: return nil
            default: throw TokenRefusal(error)
            }
        }
    }

    private static func order(_ recipient: Recipient?) -> VerificationOrder {
        var order = VerificationOrder(.camaraNumber, to: recipient)
        order.checks = .mobileAuth
        order.mayAskOperator = true
        return order
    }

    /// The number that the credentials name; `nil`: they name none.
    /// - Throws: `.unauthorized`: the token's session can no longer be read.
    func named(by caller: CamaraCaller) async throws(CamaraError) -> PhoneNumber? {
        guard let id = caller.session else { return nil }
        let session = try await readable(id, for: caller.tenant)
        return Self.number(of: session) ?? session.currentNumber
    }

    /// The number that the network has confirmed.
    /// - Throws: `.notByNetwork`: the network has confirmed none; `.unauthorized`: the token's session can no longer be
    ///   read.
    func number(for caller: CamaraCaller) async throws(CamaraError) -> PhoneNumber {
        guard let id = caller.session else { throw .notByNetwork }
        guard let number = Self.number(of: try await readable(id, for: caller.tenant)) else { throw .notByNetwork }
        return number
    }

    private func readable(_ id: CorrelationID, for tenant: Tenant) async throws(CamaraError) -> Session {
        let found: Session?
        do throws(EngineFault) {
            found = try await verifications.session(.correlation(id), of: .camaraNumber, for: tenant.id)
        } catch { throw CamaraError(error) }
        guard let found, found.isReadable(at: engine.now()) else { throw .unauthorized }
        return found
    }

    private static func number(of session: Session) -> PhoneNumber? {
        guard session.outcome == .succeeded, let proof = session.proof, proof.method == .mobileAuth else { return nil }
        return proof.number
    }
}
