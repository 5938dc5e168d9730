internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `DELETE /v3/identity/{proveId}`: removes a number, enrolled or only proven, with all its data: no device key proves
/// it any more, and all its sessions are removed, including open ones (DAT-10). Enrolled again, it gets a new
/// `proveId`.
///
///     ->  200 {"success":true,"erased":{"identities":1,"deviceKeys":1,"sessions":2}}
struct RemoveIdentity: PlatformEndpoint {
    let manager: IdentityManager
    let erasure: Erasure

    static let call = Call(
        .delete, "/v3/identity/{proveId}", id: "removeIdentity", "Remove an identity",
        """
        Erases all that the client keeps of the number, enrolled or only proven: the identity with its attributes, device \
        keys and sessions. Open sessions end, and no device key proves the number any more. Proven or enrolled again, the \
        number gets a new proveId. What limits count by number over all clients stays until its time is over.
        """)
    static let body = ReadIdentity.body
    static let parameters = ReadIdentity.parameters
    static let isAudited = true
    static let reply = Reply<ErasedData> {
        ReplyMember.always("success", .flag, "Always true: a failure is answered with an error.") { _ in true }
        ReplyMember.always("erased", .object(counts), "The number of erased entries, by kind.") { $0 }
    }

    /// The kinds of data that a tenant has. Messages are left out, because only the sandbox stores them.
    private static let counts = Reply<ErasedData>(name: "ErasedData") {
        ReplyMember.always("identities", .integer(1...Int.max), "Identities, with their attributes.") { $0.identities }
        ReplyMember.always("deviceKeys", .integer(0...Int.max), "Device keys that were bound to the number.") {
            $0.deviceKeys
        }
        ReplyMember.always("sessions", .integer(0...Int.max), "Sessions of the number, with their events and links.") {
            $0.sessions
        }
    }

    func respond(
        to id: HolderID, of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> ErasedData {
        try await manager.erase(id, by: erasure, for: tenant)
    }
}
