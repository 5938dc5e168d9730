internal import HTTPServer
internal import Possession

/// `POST /v3/domain/confirm-link`: agrees to the request of another tenant. From then on each sees the active identities
/// that both have. Agreeing twice is no error.
///
///     {"pcid":"0193..."}  ->  200 {"success":true}
struct ConfirmDomainLink: Sendable {
    let domains: Domains

    /// - Throws: `.body`, `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.single.reader(of: request)
        let domain: DomainID
        do throws(FieldDefect) { domain = try fields.requiredIdentifier("pcid", DomainID.self) } catch {
            throw .field(error)
        }
        do throws(PlatformRefusal) { try await domains.acceptLink(from: domain, for: tenant) } catch {
            throw PlatformError(error)
        }
        return IdentityView.done
    }
}
