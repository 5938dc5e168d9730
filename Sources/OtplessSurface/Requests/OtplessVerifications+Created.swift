internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Silent proofs, and requests that an app begins.
extension OtplessVerifications {
    /// - Throws: as `order` for a code.
    func order(_ call: SilentOrder, for tenant: Tenant) throws(OtplessError) -> VerificationOrder {
        var code = call.fallback ?? CodeOrder()
        (code.number, code.metadata) = (call.number, call.metadata)
        var order = try order(code, for: tenant)
        order.checks = call.fallback == nil ? .mobileAuth : [.mobileAuth, .code]
        if let seconds = call.lifetimeSeconds { order.window.lifetimeSeconds = seconds }
        order.references.clientRequestID = call.reference
        return order
    }

    /// Stores a request that an app begins later: with a code by the client's channels for apps, or with a silent proof
    /// if it has a number.
    func create(_ order: CreateRequest.Order, for tenant: Tenant) async throws(OtplessError) -> Session {
        var code = CodeOrder(email: order.email, mayBeEmail: true)
        code.number = try order.wholeNumber()
        var wanted = try self.order(code, for: tenant)
        let channels = tenant.rules.smartChannels.filter(carries)
        wanted.channels = channels.isEmpty ? nil : channels
        wanted.checks = [.mobileAuth, .code]
        wanted.window.lifetimeSeconds = order.lifetimeSeconds
        do throws(SendRefusal) { return try await backend.create(wanted, for: tenant) } catch {
            throw OtplessError(error)
        }
    }

    /// A stored request that an app has not begun yet.
    /// - Parameter text: the id that the backend got from `create`.
    /// - Throws: `.field`, `.unknownRequest`: also if the request has begun.
    func created(_ text: String, for tenant: Tenant) async throws(OtplessError) -> Session {
        let name = RequestName(field: "requestId", text: text)
        guard let id = name.id else { throw name.unknown }
        let session = try await find(.correlation(id), for: tenant)
        guard session.phase == .created else { throw .unknownRequest }
        return session
    }
}
