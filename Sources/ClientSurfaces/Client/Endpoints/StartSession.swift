internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session`: a client redeems its token; the key of its proof becomes the session's.
///
///     {"platform":"web","sdk":"web/1.0","fallback":"otp","deviceKey":true}  ->  200, the state
///
/// A repeat by the same key answers with the state and changes nothing.
struct StartSession: Sendable {
    let calls: ClientCalls

    private static let members = [
        "platform", "sdk", "fallback", "deviceKey", "cellular", "testMode", "appHash", "mobileAuthReturnUrl",
    ]
    private static let platforms: [Platform] = [.web, .android, .ios]

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (fields, retry) = try calls.fields(of: request, known: Self.members)
        let declaration: Session.Declaration
        do throws(FieldDefect) { declaration = try Self.declaration(fields) } catch { throw ClientError(error) }
        if let page = declaration.mobileAuthReturnURL { try await calls.check(mobileAuthReturnURL: page, caller) }
        return try await calls.perform(caller, retry) { (operations) throws(EngineFault) in
            try operations.redeem(declaration)
        }
    }

    private static func declaration(_ fields: FieldReader) throws(FieldDefect) -> Session.Declaration {
        let platform = try fields.requiredChoice("platform", platforms)
        _ = try fields.text("sdk", .freeText(128))
        let fallback = try fields.choice("fallback", [Session.Declaration.Fallback.otp, .link])
        let deviceKey = try fields.flag("deviceKey") ?? false
        let cellular = try fields.choice("cellular", [Session.Declaration.Cellular.yes, .no, .unknown]) ?? .unknown
        let testMode = try fields.flag("testMode") ?? false
        let appHash = try fields.text("appHash", TextRule(maxCharacters: 11, alphabet: .base64))
        if let appHash, appHash.utf8.count != 11 { throw FieldDefect("appHash", "must have 11 characters") }
        let returnURL = try mobileAuthReturnURL(fields)
        return Session.Declaration(
            platform: platform, fallback: fallback, deviceKey: deviceKey, cellular: cellular, testMode: testMode,
            appHash: appHash, mobileAuthReturnURL: returnURL?.text)
    }

    /// Its form; whether the tenant registered it is looked up next.
    private static func mobileAuthReturnURL(_ fields: FieldReader) throws(FieldDefect) -> FinalTargetURL? {
        let name = "mobileAuthReturnUrl"
        guard let text = try fields.text(name, .any) else { return nil }
        do throws(FinalTargetURL.Defect) { return try FinalTargetURL(text) } catch {
            throw FieldDefect(name, "must be an https URL of at most \(FinalTargetURL.maxCharacters) plain characters")
        }
    }
}
