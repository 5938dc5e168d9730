internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /pa/v3/keystore/create`: gives out a key to encrypt for, for apps of version 3.3. It is valid for five
/// minutes.
///
///     {"requestObject":{"jwt":"..."}}  ->  200 {"status":"OK","responseObject":{"jwt":"..."}}
struct CreateTemporaryKey: OpenEndpoint {
    let gate: OnboardingGate
    let devices: any DeviceProtocol

    static let call = Call(
        .post, OnboardingPath.protocol3 + "/keystore/create", id: "CreateTemporaryKey", "A key to encrypt for",
        """
        The call is a JWT with HS256 under the application secret, or under a key of the activation that its claim \
        activationId names; the answer one with ES256 under the server's key of the same. The key lives for 300 seconds, \
        also over a restart of the server.
        """,
        body: .json(
            """
            {"requestObject":{"jwt":"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhcHBsaWNhdGlvbktleSI6Ii4uLiJ9.c2lnbmF0dXJl"}}
            """, upTo: .short),
        demand: .changes, answer: "The key.")
    static let body = Shape.wrapping(
        Shape("") {
            Member.required(
                "jwt", .filledText(.any), "Claims applicationKey, challenge, and activationId if there is one."
            ) {
                $0 = $1
            }
        }, "")
    static let reply = Reply<String>.wrapping(
        example: """
            {"status":"OK","responseObject":{"jwt":\
            "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl"}}
            """
    ) {
        ReplyMember.always(
            "jwt", .text,
            "Claims sub (the key's id), publicKey, challenge and applicationKey as sent, iat, exp, iat_ms and exp_ms."
        ) { $0 }
    }
    static let refusals: [OnboardingError] = [.temporaryKey]

    func respond(
        to request: String, of call: Request, from caller: Nothing
    ) async throws(OnboardingError) -> String {
        guard let claims = devices.claimedCaller(of: request) else { throw .temporaryKey }
        let (tenant, keys) = try await gate.application(claims.applicationKey, call, orElse: .temporaryKey)
        var caller = DeviceCaller(keys)
        if let id = claims.activationID {
            let named: (caller: DeviceCaller, activation: DeviceActivation)?
            do throws(EngineFault) { named = try await gate.activations.caller(id, with: keys, of: tenant.id) } catch {
                throw OnboardingError(error)
            }
            guard let named, named.activation.standing.status != .removed else { throw .temporaryKey }
            caller = named.caller
        }
        let made: String
        do throws(DeviceProtocolError) {
            made = try await devices.temporaryKey(for: request, from: caller, at: gate.systemNow())
        } catch {
            switch error {
            case .refused, .unknownTemporaryKey: throw .temporaryKey
            case .fault: throw OnboardingError(error)
            }
        }
        try gate.takeOne(of: tenant, call, isUnderWay: claims.activationID != nil)
        return made
    }
}
