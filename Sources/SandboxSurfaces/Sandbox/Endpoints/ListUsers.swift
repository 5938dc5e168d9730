internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /sandbox/users`: the test users and what each does.
///
///     ->  200 {"users":[{"phoneNumber":"2001004014","name":"Lorant Nerger","region":"NA","otp":"pass", ...}]}
struct ListUsers: Sendable {
    let users: SandboxUsers

    func respond(to request: Request) async throws(SandboxError) -> Response {
        var object = JSONObject()
        object.set("users", users.all.map(\.view))
        return .json(200, object)
    }
}
