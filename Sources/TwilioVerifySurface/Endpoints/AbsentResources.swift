internal import HTTPServer
internal import SurfaceKit

/// Resources of the vendor that this server does not have. They answer 404 in the vendor's form, so that the vendor's
/// libraries raise their usual error. The server stores nothing for them.
enum AbsentResources {
    /// Paths below a service, with the vendor's methods.
    private static let ofService: [(path: String, methods: [Method])] = [
        ("/AccessTokens", [.post]), ("/AccessTokens/{Sid}", [.get]),
        ("/Entities", [.get, .post]), ("/Entities/{Identity}", [.get, .delete]),
        ("/Entities/{Identity}/Factors", [.get, .post]),
        ("/Entities/{Identity}/Factors/{Sid}", [.get, .post, .delete]),
        ("/Entities/{Identity}/Challenges", [.get, .post]), ("/Entities/{Identity}/Challenges/{Sid}", [.get, .post]),
        ("/Entities/{Identity}/Challenges/{Sid}/Notifications", [.post]),
        ("/MessagingConfigurations", [.get, .post]),
        ("/MessagingConfigurations/{Country}", [.get, .post, .delete]),
        ("/Passkeys/Factors", [.post]), ("/Passkeys/VerifyFactor", [.post]), ("/Passkeys/Challenges", [.post]),
        ("/Passkeys/ApproveChallenge", [.post]),
        ("/Webhooks", [.get, .post]), ("/Webhooks/{Sid}", [.get, .post, .delete]),
    ]
    /// Paths below the API version.
    private static let others: [(path: String, methods: [Method])] = [
        ("/Forms/{FormType}", [.get])
    ]

    /// Without credentials the answer is 401, as for every path.
    static func routes(_ gate: TwilioGate) -> [Route] {
        let all =
            ofService.map { (TwilioPath.service + $0.path, $0.methods) }
            + others.map { (TwilioPath.version + $0.path, $0.methods) }
        return all.flatMap { path, methods in methods.map { route(gate, $0, path) } }
    }

    private static func route(_ gate: TwilioGate, _ method: Method, _ path: String) -> Route {
        Route(method, path, body: .ignored, demand: .reads) { request in
            await TwilioError.answer(request, report: gate.report) { () async throws(TwilioError) in
                _ = try await gate.caller(of: request)
                throw .notFound
            }
        }
    }
}
