internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /v3/domain/unlink`: ends a link, declines a request or takes one back; either side may. `pcidFrom` asked for it;
/// the side that is left out is the caller.
///
///     {"pcidFrom":"0193..."}  ->  200 {"success":true}
struct RemoveDomainLink: Sendable {
    let domains: Domains

    /// - Throws: `.body`, `.field`, `.notFound`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.single.reader(of: request)
        let from: DomainID?
        let to: DomainID?
        do throws(FieldDefect) {
            from = try fields.identifier("pcidFrom", DomainID.self)
            to = try fields.identifier("pcidTo", DomainID.self)
            if from == nil && to == nil { throw .missing("pcidFrom") }
        } catch {
            throw .field(error)
        }
        do throws(PlatformRefusal) { try await domains.removeLink(from: from, to: to, for: tenant) } catch {
            throw PlatformError(error)
        }
        return IdentityView.done
    }
}
