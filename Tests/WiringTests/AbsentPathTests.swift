import Foundation
import Testing

@testable import Wiring

/// Paths and methods that no call has: each surface answers them in its vendor's shape, all others in the platform's.
@Suite struct AbsentPathTests {
    struct Case: Sendable {
        let call: String
        let status: Int
        /// The member that names the error, with dots between the levels, and its value.
        let member: String
        let value: String
        var headers: [String] = []

        init(_ call: String, _ status: Int, _ member: String, _ value: String, _ headers: [String] = []) {
            (self.call, self.status, self.member, self.value) = (call, status, member, value)
            self.headers = headers
        }
    }

    private static let preludeKey = ["Authorization: Bearer hf_test_sandbox"]
    private static let login = ["Authorization: Basic " + Data("sandbox:sandbox-secret".utf8).base64EncodedString()]

    private static let cases = [
        // Onboarding.
        Case("POST /pa/v4/keystore/create", 404, "responseObject.code", "ERROR_NOT_FOUND"),
        Case("POST /pa/v3/upgrade/start", 404, "responseObject.code", "ERROR_NOT_FOUND"),
        Case("POST /powerauth/rest/v3/activation/init", 404, "responseObject.code", "ERROR_NOT_FOUND"),
        Case("GET /powerauth/rest/v3/signature/verify", 405, "responseObject.code", "ERROR_NOT_FOUND"),
        Case("GET /pa/v3/status", 405, "responseObject.code", "ERROR_NOT_FOUND"),
        Case("GET /pa", 404, "status", "ERROR"),
        Case("POST /api/onboarding", 404, "responseObject.code", "ERROR_NOT_FOUND"),
        Case("GET /api/onboarding/start", 405, "responseObject.code", "ERROR_NOT_FOUND"),
        Case("POST /api/identity/init", 404, "responseObject.code", "ERROR_NOT_FOUND"),
        Case("POST /api/v2/identity/document/submit", 404, "status", "ERROR"),
        Case("GET /api/configuration", 405, "status", "ERROR"),
        // CAMARA.
        Case("POST /camara/sim-swap/v9/check", 404, "code", "NOT_FOUND"),
        Case("PUT /camara/one-time-password-sms/v1/send-code", 405, "code", "METHOD_NOT_ALLOWED"),
        // Prelude.
        Case("POST /prelude/v2/notify", 401, "code", "missing_api_key"),
        Case("POST /prelude/v2/notify", 401, "code", "invalid_api_key", ["Authorization: Bearer none"]),
        Case("POST /prelude/v2/notify", 403, "code", "invalid_integration", preludeKey),
        Case("GET /prelude/v2/notify/management/subscriptions", 403, "code", "invalid_integration", preludeKey),
        Case("POST /prelude/v2/transactional", 403, "code", "invalid_integration", preludeKey),
        Case("POST /prelude/v2/intel/kyc/match/+12015550123", 403, "type", "forbidden", preludeKey),
        Case("POST /prelude/v2/verfication", 404, "code", "not_found", preludeKey),
        Case("POST /prelude/v2/verfication", 401, "type", "unauthorized"),
        Case("GET /prelude/v2/verification", 405, "type", "method_not_allowed"),
        // OTPLESS.
        Case("POST /otpless/auth/v9/x", 404, "errorCode", "404"),
        Case("DELETE /otpless/auth/v1/verify/otp", 405, "message", "Invalid Request"),
        // Twilio Verify.
        Case("GET /twilio-verify/v2/Nothing", 401, "code", "20003"),
        Case("GET /twilio-verify/v2/Nothing", 404, "code", "20404", login),
        Case("PUT /twilio-verify/v2/Services", 405, "code", "20004", login),
        // Hooks.
        Case("POST /hooks/nobody", 404, "error.http_code", "404"),
        Case("GET /hooks/zitadel", 405, "error.http_code", "405"),
        // The client protocol.
        Case("POST /client/v1/nothing", 404, "error", "invalid_request"),
        Case("PUT /client/v1/session", 405, "code", "1001"),
        // The platform, and paths that belong to nobody.
        Case("POST /v3/nothing", 404, "code", "8001"),
        Case("GET /v3/unify", 405, "code", "8001"),
        Case("POST /preludes/v2/notify", 404, "code", "8001"),
        Case("POST /api/nothing", 404, "code", "8001"),
        Case("POST /", 405, "code", "8001"),
    ]

    @Test func `each is answered in the shape of the surface whose path it is`() async throws {
        let directory = ServerFixture.freshDirectory()
        let text = """
            {"mode":"sandbox","server":{"host":"127.0.0.1","port":0,"loops":1},"data":{"directory":"\(directory)",
             "migrations":"\(ServerFixture.repository)/migrations"},
             "sandbox":{"usersFile":"\(ServerFixture.repository)/config/sandbox-users.json",
             "clients":{"sandbox":{"secret":"sandbox-secret","apiKey":"hf_test_sandbox"}}}}
            """
        let configuration = try Configuration(
            ConfigurationSources(environment: [:], file: (path: "/test.json", text: Array(text.utf8))))
        try await ServerFixture.withServer(configuration) { _, port in
            for expected in Self.cases {
                let parts = expected.call.split(separator: " ").map(String.init)
                let answer = try ServerFixture.call(port, parts[0], parts[1], expected.headers)
                #expect(answer.status == expected.status, "\(expected.call): \(answer.text)")
                #expect(
                    Self.member(expected.member, of: answer) == expected.value, "\(expected.call): \(answer.text)")
            }
        }
    }

    private static func member(_ path: String, of answer: ServerFixture.Answer) -> String? {
        var value = try? JSONSerialization.jsonObject(with: Data(answer.body))
        for name in path.split(separator: ".") { value = (value as? [String: Any])?[String(name)] }
        return value.map { "\($0)" }
    }
}
