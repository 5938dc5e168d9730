internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /powerauth/rest/v3/signature/verify`: checks whether an app signed a call to its own backend (the vendor's
/// WebServices-Methods-V3, `verifySignature`).
///
///     {"requestObject":{"activationId":"019b...","applicationKey":"aG9s...","data":"POST&L2xvZ2lu&bm9u...&e30=",
///      "signature":"Q5Qz...","signatureType":"POSSESSION_KNOWLEDGE","signatureVersion":"3.3"}}
///     ->  200 {"status":"OK","responseObject":{"signatureValid":true,"activationStatus":"ACTIVE",...}}
struct VerifySignature: BackendEndpoint {
    let activations: DeviceActivations

    struct Question: Sendable {
        var activation = ""
        var applicationKey = ""
        var data = ""
        var signature = ""
        var factors = SignatureFactors.possession
    }

    static let call = Call(
        .post, OnboardingPath.backends3 + "/signature/verify", id: "VerifyDeviceSignature", "Check an app's signature",
        """
        Of a call that an app has made to its own backend with X-PowerAuth-Authorization. The backend says first which factors a call \
        of it takes. data is the method, Base64 of the resource, the nonce as the header has it and Base64 of the body, with & between \
        them. A signature is good once. Five in a row that are not good block the activation, unless they are of possession alone. An \
        activation of another API client is answered as one that is not there: REMOVED.
        """,
        body: .json(
            """
            {"requestObject":{"activationId":"019b7907-8d58-7500-8000-000000000002","applicationKey":"aG9sZGZhc3Qtc2FuZGJveA==\
            ","data":"POST&L2xvZ2lu&C48N0ekaenicTtsb6LEf1g==&e30=","signature":\
            "Q5Qzf5y1Kfw0UklQY60dHJLnY4TELSR+E8kD6iuEjwQ=","signatureType":"POSSESSION_KNOWLEDGE","signatureVersion":"3.3"}}
            """, upTo: .passedOn), answer: "The judgement.")
    static let body = Shape.wrapping(
        Shape(Question()) {
            Member.required("activationId", .filledText(.any), "pa_activation_id of the header.") { $0.activation = $1 }
            Member.required("applicationKey", .filledText(.any), "pa_application_key of the header.") {
                $0.applicationKey = $1
            }
            Member.required(
                "data", .filledText(.signedData), "The text that was signed, without the application's secret."
            ) {
                $0.data = $1
            }
            Member.required("signature", .filledText(.any), "pa_signature of the header.") { $0.signature = $1 }
            Member.required("signatureType", .factors, "pa_signature_type of the header, in small letters or capitals.")
            {
                $0.factors = $1
            }
            Member.required("signatureVersion", .choice(DeviceProtocolVersion.allCases), "pa_version of the header.") {
                _, _ in
            }
            Member.ignored("forcedSignatureVersion", .integer(0...Int.max), "Is not looked at.")
        }, Question())
    static let reply = JudgedActivation.reply(
        valid: "signatureValid", "The signature is the activation's, and the activation is active.",
        tellsAttempts: true,
        example: """
            {"status":"OK","responseObject":{"signatureValid":true,"activationStatus":"ACTIVE","activationId":\
            "019b7907-8d58-7500-8000-000000000002","userId":"+12001004014","applicationId":"sandbox","signatureType":\
            "POSSESSION_KNOWLEDGE","remainingAttempts":5,"applicationRoles":[],"activationFlags":[]}}
            """)

    func respond(
        to question: Question, of request: Request, from tenant: Tenant
    ) async throws(OnboardingError) -> JudgedActivation {
        let call = SignedCall(
            data: Array(question.data.utf8), factors: question.factors,
            signature: Base64.decode(question.signature.utf8) ?? [])
        do throws(EngineFault) {
            let judged = try await activations.judge(
                call, by: question.activation, ofApplication: question.applicationKey, of: tenant.id)
            return JudgedActivation(judged, of: request)
        } catch { throw OnboardingError(error) }
    }
}

extension TextRule {
    /// The limit is that of the body.
    fileprivate static let signedData = TextRule(maxCharacters: 65_536, alphabet: .any)
}

extension Input where Value == SignatureFactors {
    /// As a phone's header spells them, or in capitals.
    fileprivate static var factors: Input {
        let names = SignatureFactors.allCases.map(\.capitals)
        return Input<String>.anyText.map(orFail: "must be one of \(names.joined(separator: ", "))") { text in
            SignatureFactors.allCases.first { $0.rawValue.isSame(as: text) || $0.capitals.isSame(as: text) }
        }.described(as: .choice(names + SignatureFactors.allCases.map(\.rawValue)))
    }
}
