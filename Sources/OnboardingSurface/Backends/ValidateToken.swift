internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /powerauth/rest/v3/token/validate`: checks whether an app signed a call to its own backend with a token (the
/// vendor's WebServices-Methods-V3, `validateToken`).
///
///     {"requestObject":{"tokenId":"7d1b...","tokenDigest":"Q5Qz...","nonce":"C48N...","timestamp":1767265200000,
///      "protocolVersion":"3.3"}}
///     ->  200 {"status":"OK","responseObject":{"tokenValid":true,"activationStatus":"ACTIVE",...}}
struct ValidateToken: BackendEndpoint {
    let activations: DeviceActivations
    /// The machine's clock.
    let systemNow: Now

    struct Question: Sendable {
        var token = ""
        var digest = ""
        var nonce = ""
        var timestamp: Int64 = 0
        var version = DeviceProtocolVersion.v33
    }

    static let call = Call(
        .post, OnboardingPath.backends3 + "/token/validate", id: "ValidateDeviceToken", "Check an app's token",
        """
        Of a call that an app has made to its own backend with X-PowerAuth-Token. Its time may be two hours old, or 30 minutes ahead, \
        and the same header is good again until then. A token of another API client is answered as one that is not there.
        """,
        body: .json(
            """
            {"requestObject":{"tokenId":"7d1b7907-8d58-4500-8000-000000000003","tokenDigest":\
            "Q5Qzf5y1Kfw0UklQY60dHJLnY4TELSR+E8kD6iuEjwQ=","nonce":"C48N0ekaenicTtsb6LEf1g==\
            ","timestamp":1767265200000,"protocolVersion":"3.3"}}
            """, upTo: .short), demand: .reads, answer: "The judgement.")
    static let body = Shape.wrapping(
        Shape(Question()) {
            Member.required("tokenId", .filledText(.any), "token_id of the header.") { $0.token = $1 }
            Member.required("tokenDigest", .filledText(.any), "token_digest of the header.") { $0.digest = $1 }
            Member.required("nonce", .filledText(.any), "nonce of the header.") { $0.nonce = $1 }
            Member.required("timestamp", .integer(0...Int.max), "timestamp of the header, as a number.") {
                $0.timestamp = $1
            }
            Member.required("protocolVersion", .choice(DeviceProtocolVersion.allCases), "version of the header.") {
                $0.version = $1
            }
        }, Question())
    static let reply = JudgedActivation.reply(
        valid: "tokenValid", "The token has signed the call, and its activation is active.", tellsAttempts: false,
        example: """
            {"status":"OK","responseObject":{"tokenValid":true,"activationStatus":"ACTIVE","activationId":\
            "019b7907-8d58-7500-8000-000000000002","userId":"+12001004014","applicationId":"sandbox","signatureType":\
            "POSSESSION","applicationRoles":[],"activationFlags":[]}}
            """)

    func respond(
        to question: Question, of request: Request, from tenant: Tenant
    ) async throws(OnboardingError) -> JudgedActivation {
        let proof = TokenProof(
            version: question.version, nonce: Base64.decode(question.nonce.utf8) ?? [], timestamp: question.timestamp,
            digest: Base64.decode(question.digest.utf8) ?? [])
        do throws(EngineFault) {
            let judged = try await activations.judge(proof, token: question.token, of: tenant.id, at: systemNow())
            return JudgedActivation(judged, of: request)
        } catch { throw OnboardingError(error) }
    }
}
