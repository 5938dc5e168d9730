internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session`: a client redeems its token; the key of its proof becomes the session's key.
///
///     {"platform":"web","sdk":"web/1.0","fallback":"otp","deviceKey":true}  ->  200, the state
///
/// Repeated with the same key, the call returns the state and changes nothing.
struct StartSession: ClientEndpoint {
    struct Order: Sendable {
        var platform = Platform.web
        var fallback: Session.Declaration.Fallback?
        var deviceKey = false
        var cellular = Session.Declaration.Cellular.unknown
        var testMode = false
        var appHash: String?
        var mobileAuthReturnURL: FinalTargetURL?
        var locale: LanguageTag?
    }

    let calls: ClientCalls

    static let call = Call(
        .post, ClientDescription.path, id: "startSession", "Redeem the token",
        "The key of the DPoP proof becomes the session's. A repeat by the same key changes nothing.",
        body: .json(#"{"platform":"web","sdk":"web/1.0","fallback":"otp"}"#, upTo: .short),
        answer: "The state after the call.")

    static let readsLanguages = true

    static let body = Shape(Order()) {
        Member.required("platform", .choice([Platform.web, .android, .ios]), "The platform that the client runs on.") {
            $0.platform = $1
        }
        Member.ignored("sdk", Input.text(.freeText(128)).described(as: .text(most: 128)), "Name and version.")
        Member.optional(
            "fallback", .choice([Session.Declaration.Fallback.otp, .link]),
            "The check that follows when nothing else passes."
        ) { $0.fallback = $1 }
        Member.optional("deviceKey", .flag, "The proof's key is kept on the device.") { $0.deviceKey = $1 }
        Member.optional(
            "cellular", .choice([Session.Declaration.Cellular.yes, .no, .unknown]),
            "Whether a cellular connection is there."
        ) { $0.cellular = $1 }
        Member.optional("testMode", .flag, "Sandbox: Mobile Auth without a mobile network. No effect in live.") {
            $0.testMode = $1
        }
        Member.optional("appHash", .appHash, "The Android app's hash (SMS Retriever).") { $0.appHash = $1 }
        Member.optional("mobileAuthReturnUrl", returnURL, "Web: the page that Mobile Auth comes back to.") {
            $0.mobileAuthReturnURL = $1
        }
        Member.optional("locale", .locale, "The language of messages; without it, that of Accept-Language.") {
            $0.locale = $1
        }
    }

    func respond(
        to order: Order, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        let page = order.mobileAuthReturnURL?.text
        if let page { try await calls.check(mobileAuthReturnURL: page, call.caller) }
        let declaration = Session.Declaration(
            platform: order.platform, fallback: order.fallback, deviceKey: order.deviceKey, cellular: order.cellular,
            testMode: order.testMode, codeReader: order.platform == .android ? order.appHash : nil,
            mobileAuthReturnURL: page)
        let languages = Languages(
            (order.locale.map { [$0] } ?? []) + (request.languages?.tags ?? []),
            by: order.locale == nil ? .settings : .app)
        return try await calls.perform(call) { (commands) throws(EngineFault) in
            try commands.redeem(declaration, languages: languages)
        }
    }

    /// Checks only its form; whether the tenant has registered it is checked next.
    private static let returnURL = Input.anyText
        .map(orFail: "must be an https URL of at most \(FinalTargetURL.maxCharacters) plain characters") {
            try? FinalTargetURL($0)
        }
        .described(as: .text(least: 1, most: FinalTargetURL.maxCharacters))
}
