internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The client surface in the API description.
enum ClientDescription {
    static let operations: [Operation] =
        [start, read, stream, device, beginMobileAuth, finishMobileAuth]
        + messages("otp", "code", "SMS code") + [verify] + messages("link", "link", "instant link") + [cancel]
        + preflights

    private static let path = "/client/v1/session"

    /// What every call with an auth token may answer.
    private static let common: [ClientError] = [
        .invalidRequest("field 'requestId' must be a string"), .invalidToken(wasSent: true),
        .refused(.invalidDPoPProof), .refused(.tokenAlreadyUsed), .refused(.invalidState), .originNotAllowed,
        .refused(.rateLimited(.init(.polls, retryAfterSeconds: 1))), .overloaded, .internalFault(""),
    ]
    /// What a call that changes the session may answer besides.
    private static let changing: [ClientError] = [
        .unsupportedMediaType("the Content-Type must be application/json"),
        .bodyTooLarge(BodyDefect.tooLarge(.short).message), .refused(.requestIDReused),
        .refused(.sessionDone),
    ]

    private static let requestID = may(
        "requestId", Schema.text(least: 1, most: 36).orNull, "A retry with the same one gets the same answer.")
    private static let state = Answer(status: 200, about: "The state after the call.", content: .json(.named("State")))
    private static let correlator = Parameter.header(
        may("x-correlator", .text(), "Comes back with the answer if it is 1 to 128 of [A-Za-z0-9._:-]."))

    private static func post(
        _ id: String, _ call: String, _ summary: String, _ detail: String, _ fields: [Field], isOptional: Bool = false,
        example: StaticString? = nil, answer: Answer = state, errors: [ClientError] = []
    ) -> Operation {
        Operation(
            id: id, method: .post, path: path + call, surface: .client, summary: summary, detail: detail,
            caller: .authToken, parameters: [correlator], body: .json(.record(fields + [requestID]), example),
            isBodyRequired: !isOptional, answers: [answer],
            errors: (common + changing + errors).map(\.response), errorShape: .client, bound: .short)
    }

    private static func get(
        _ id: String, _ call: String, _ summary: String, _ detail: String, _ parameters: [Parameter], _ answer: Answer
    ) -> Operation {
        Operation(
            id: id, method: .get, path: path + call, surface: .client, summary: summary, detail: detail,
            caller: .authToken, parameters: parameters + [correlator], answers: [answer],
            errors: common.map(\.response), errorShape: .client)
    }

    private static let start = post(
        "startSession", "", "Redeem the token",
        "The key of the DPoP proof becomes the session's. A repeat by the same key changes nothing.",
        [
            must("platform", .choice(["web", "android", "ios"])),
            may("sdk", Schema.text(most: 128).orNull, "Name and version."),
            may("fallback", Schema.choice(["otp", "link"]).orNull, "What follows where nothing else passes."),
            may("deviceKey", Schema.flag.orNull, "The proof's key is kept on the device."),
            may("cellular", Schema.choice(["yes", "no", "unknown"]).orNull, "Whether a cellular connection is there."),
            may("testMode", Schema.flag.orNull),
            may("appHash", Schema.text(pattern: "^[A-Za-z0-9+/]{11}$").orNull, "Of the Android app (SMS Retriever)."),
            may(
                "mobileAuthReturnUrl", Schema.text(least: 1, most: FinalTargetURL.maxCharacters).orNull,
                "Web: the page that Mobile Auth comes back to."),
        ], example: #"{"platform":"web","sdk":"web/1.0","fallback":"otp"}"#)

    private static let read = get(
        "readSession", "", "Read the state",
        "With after and wait a long poll: answers as soon as rev is over after. A newer poll releases the older one.",
        [
            .query(may("after", .integer(0...Int.max), "The rev that is known.")),
            .query(may("wait", .integer(0...25), "Seconds.")),
        ], Answer(status: 200, about: "The state.", content: .json(.named("State"))))

    private static let stream = get(
        "streamSession", "/events", "Follow the state",
        """
        Server-sent events: after each change one named state whose data is the state and whose id is its rev, until \
        the session is done. A comment every 15 s keeps the connection alive.
        """,
        [.header(may("Last-Event-ID", .integer(0...Int.max), "The last event that was seen."))],
        Answer(
            status: 200, about: "The stream.", content: Content(type: "text/event-stream", schema: .anything)))

    private static let device = post(
        "proveDevice", "/device", "Answer the device challenge", "The device key signs state.device.challenge.",
        [
            must("proof", .text(least: 1, most: 2048), "A JWT of the device key."),
            may("attestation", Schema.map(of: .anything).orNull, "Not looked at so far."),
            may("deviceName", Schema.text(most: 64).orNull),
        ], errors: [.refused(.deviceProofInvalid), .refused(.deviceNumberMismatch)])

    private static let beginMobileAuth = post(
        "beginMobileAuth", "/mobile-auth", "Begin Mobile Auth",
        "Opens an attempt; an older one is void. The answer's authUrl is to be opened over cellular.", [],
        isOptional: true,
        answer: Answer(status: 200, about: "The attempt.", content: .json(.named("MobileAuthAttempt"))))

    private static let finishMobileAuth = post(
        "finishMobileAuth", "/mobile-auth/finish", "Finish Mobile Auth",
        "Hands in what the chain gave, or says that it gave nothing: exactly one of vfp and error.",
        [
            must("attemptId", .text(least: 1)),
            may("vfp", Schema.text(least: 1, most: 1024).orNull, "The fingerprint at the end of the chain."),
            may("error", Schema.text(least: 1, most: 64).orNull, "Why there is none."),
        ], errors: [.refused(.fingerprintInvalid), .refused(.fingerprintExpired)])

    private static let verify = post(
        "verifyCode", "/otp/verify", "Verify the code", "What is no code at all costs no try.",
        [must("code", .text(pattern: #"^[0-9]{4,10}$"#), "4 to 10 digits.")],
        example: #"{"code":"1234","requestId":"r-4"}"#,
        errors: [.refused(.otpMismatch), .refused(.otpExpired)])

    private static let cancel = post(
        "cancelSession", "/cancel", "Give up", "A finished session stays as it is.",
        [may("reason", Schema.text(most: 128).orNull)], isOptional: true, example: #"{"reason":"user"}"#)

    private static let phoneNumber = Schema.text(most: TextRule.phoneNumber.maxCharacters, pattern: nil)
    private static let sending: [ClientError] = [
        .refused(.sendsExhausted), .refused(.messageFailed), .refused(.phoneNumberRequired),
        .refused(.phoneNumberInvalid), .refused(.phoneNumberNotAllowed(reason: "...")),
        .refused(.phoneNumberNotAccepted),
    ]

    private static func messages(_ kind: String, _ word: String, _ name: String) -> [Operation] {
        let suffix = kind == "otp" ? "Code" : "Link"
        return [
            post(
                "send\(suffix)", "/\(kind)", "Send the \(word)", "The first \(name) goes out.",
                [may("phoneNumber", phoneNumber.orNull, "Only where the state says phone.needed.")], isOptional: true,
                example: #"{"requestId":"r-1"}"#, errors: sending),
            post(
                "resend\(suffix)", "/\(kind)/resend", "Send another \(word)",
                "To the same number; the older \(word) is void.", [], isOptional: true,
                example: #"{"requestId":"r-2"}"#, errors: sending),
            post(
                "send\(suffix)ToOtherNumber", "/\(kind)/phone", "Name another number",
                "The \(word) goes to it. Where the API client allows it.",
                [must("phoneNumber", phoneNumber.with("minLength", 1))],
                example: #"{"phoneNumber":"+12065550100","requestId":"r-3"}"#,
                errors: sending + [.refused(.phoneChangeNotAllowed), .refused(.phoneEntriesExhausted)]),
        ]
    }

    /// The preflights of web pages (Fetch standard), one a path.
    private static let preflights: [Operation] = [
        "", "/events", "/device", "/mobile-auth", "/mobile-auth/finish", "/otp", "/otp/resend", "/otp/phone",
        "/otp/verify", "/link", "/link/resend", "/link/phone", "/cancel",
    ].map { call in
        Operation(
            id: "preflightSession"
                + call.split { "/-".contains($0) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(),
            method: .options, path: path + call, surface: .client, summary: "Preflight",
            detail: "Whether a web page may call (CORS): exact origins of the API client, no cookies.",
            parameters: [.header(may("Origin", .text(), "Set by the browser."))],
            answers: [Answer(status: 204, about: "It may, or nobody asked.", headers: ["Vary"])],
            errors: [ClientError.originNotAllowed.response], errorShape: .client)
    }
}
