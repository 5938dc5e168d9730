internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /v3/domain/confirm-link`: agrees to the request of another tenant. From then on each sees the active identities
/// that both have, and the one who asked what the scopes name. Agreeing twice is no error.
///
///     {"pcid":"0193...","scopes":["loyaltyTier"]}  ->  200 {"success":true}
///
/// The vendor's SDKs send `pcid` only; that agrees to the first request, if none was taken back since (`LinkConsent`).
struct ConfirmDomainLink: Sendable {
    let domains: Domains

    /// - Throws: `.body`, `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.single.reader(of: request)
        let domain: DomainID
        let scopes: [String]?
        do throws(FieldDefect) {
            domain = try fields.requiredIdentifier("pcid", DomainID.self)
            scopes = try fields.array("scopes") == nil ? nil : try fields.scopes("scopes")
        } catch {
            throw .field(error)
        }
        do throws(PlatformRefusal) { try await domains.acceptLink(from: domain, scopes: scopes, for: tenant) } catch {
            throw PlatformError(error)
        }
        return IdentityView.done
    }
}
