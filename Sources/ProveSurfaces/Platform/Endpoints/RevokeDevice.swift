internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /v3/device/revoke`: revokes a device key. Revoking it twice is not an error.
///
///     {"deviceId":"0193...","clientRequestId":"r-1"}  ->  200 {"success":true}
struct RevokeDevice: PlatformEndpoint {
    let service: PlatformService

    static let call = Call(
        .post, "/v3/device/revoke", id: "revokeDevice", "Revoke a device key",
        "The key is no longer good. Revoking it twice is no error.",
        body: .json(#"{"deviceId":"019b7907-8d58-7500-8000-000000000003"}"#))
    static let refusals: [PlatformError] = [.notFound(what: "device")]
    static let body = Shape(DeviceID(high: 0, low: 0)) {
        Member.required("deviceId", .identifier(DeviceID.self), "The device key, as an outcome names it.") { $0 = $1 }
        Member.ignored("clientRequestId", .reference, "Any text of yours. The answer repeats it.")
    }
    static let isAudited = true
    static let reply = Reply.done

    func respond(to id: DeviceID, of request: Request, from tenant: Tenant) async throws(PlatformRefusal) -> Nothing {
        try await service.revokeDevice(id, for: tenant.id)
        return Nothing()
    }
}
