internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Silent proofs, and requests that an app begins.
extension OtplessRequests {
    /// - Throws: `.field`, `.countryClosed`, `.channelNotEnabled`.
    func session(
        of order: SilentOrder, for tenant: Tenant, isAskedByAnyone: Bool
    ) throws(OtplessError) -> PlatformService.SessionOrder {
        var code = order.fallback ?? CodeOrder()
        (code.number, code.metadata) = (order.number, order.metadata)
        let channels = try carriers(of: code, toMailbox: false)
        var session = try self.session(
            of: code, to: nil, by: channels, for: tenant, isAskedByAnyone: isAskedByAnyone)
        session.checks = order.fallback == nil ? .mobileAuth : [.mobileAuth, .code]
        if let seconds = order.lifetimeSeconds { session.lifetimeSeconds = seconds }
        session.references.clientRequestID = order.reference
        return session
    }

    /// Stores a request that an app begins. It can be begun by a code, which takes the channels of apps, and a number's
    /// silently too.
    func create(_ order: CreateRequest.Order, for tenant: Tenant) async throws(OtplessError) -> Session {
        var code = CodeOrder(email: order.email, mayBeEmail: true)
        code.number = try order.wholeNumber()
        let mailbox = code.number == nil ? try mailbox(of: code) : nil
        let channels = tenant.rules.smartChannels.filter(carries)
        var wanted = try session(of: code, to: mailbox, by: channels.isEmpty ? nil : channels, for: tenant)
        wanted.checks = [.mobileAuth, .code]
        wanted.lifetimeSeconds = order.lifetimeSeconds
        do throws(SendRefusal) { return try await backend.create(wanted, for: tenant) } catch {
            throw OtplessError(error)
        }
    }

    /// The request that an app is to begin.
    /// - Parameter text: as `create` has answered it.
    /// - Throws: `.field`, `.unknownRequest`: also for one that has begun.
    func created(_ text: String, for tenant: Tenant) async throws(OtplessError) -> Session {
        let name = RequestName(field: "requestId", text: text)
        guard let id = name.id else { throw name.unknown }
        let session = try await find(.correlation(id), for: tenant)
        guard session.phase == .created else { throw .unknownRequest }
        return session
    }
}
