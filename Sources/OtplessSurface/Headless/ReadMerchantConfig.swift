internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /otpless/v2/lp/merchant/config/{state}`: the ways to verify a person that the app's API client has.
///
///     ->  200 {"channelConfig":[{"identifierType":"MOBILE","channel":[{"name":"OTP","type":"INPUT",...}],...}],...}
struct ReadMerchantConfig: HeadlessEndpoint {
    struct Order: Sendable {
        var state = ""
        var app: String?
    }

    struct Found: Sendable {
        let client: ClientID
        let asksOperator: Bool
        let identifiers: [Identifier]
    }

    /// A kind of identifier, and the first channel for its code.
    struct Identifier: Sendable {
        let kind: IdentityReply.Kind
        let channel: OtplessChannel
    }

    let gate: HeadlessGate
    /// Whether a message can leave by a channel.
    let carries: @Sendable (OutgoingMessage.Channel) -> Bool

    static let call = Call(
        .get, OtplessPath.base + "/v2/lp/merchant/config/{state}", id: "ReadMerchantConfig", "What an app may do", "",
        answer: "What the API client of the app has.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, OtplessError> {
        ParameterMember.path("state", .appState, "Of the app.") { $0.state = $1 }
        ParameterMember.optionalQuery("appId", .anyText, "The API client's id.") { $0.app = $1 }
    }
    static let reply = Reply<Found> {
        ReplyMember.always("authType", .choice([AuthType.code]), "How people are verified.") { _ in .code }
        ReplyMember.always("isMFAEnabled", .flag, "Always false.") { _ in false }
        ReplyMember.always("channelConfig", .list(of: .object(identifier)), "By what.") { $0.identifiers }
        ReplyMember.always("merchant", .object(merchant), "The API client.") { $0 }
    }
    static let refusals: [OtplessError] = [.stateInvalid]

    private enum InputKind: String { case input = "INPUT" }

    private static let identifier = Reply<Identifier>(name: "MerchantIdentifier") {
        ReplyMember.always(
            "identifierType", .choice(IdentityReply.Kind.allCases), "MOBILE: by a number. EMAIL: by an address."
        ) { $0.kind }
        ReplyMember.always("mandatory", .flag, "true for MOBILE, false for EMAIL.") { $0.kind == .mobile }
        ReplyMember.always("verified", .flag, "Always true.") { _ in true }
        ReplyMember.always("channel", .list(of: .object(channel)), "Always one.") { [$0.channel] }
    }

    private static let channel = Reply<OtplessChannel>(name: "MerchantChannel") {
        ReplyMember.always("name", .choice([AuthType.code]), "Always OTP.") { _ in .code }
        ReplyMember.always("type", .choice([InputKind.input]), "Always INPUT: a code to type.") { _ in .input }
        ReplyMember.always("communicationMode", .choice(OtplessChannel.allCases), "The first one.") { $0 }
        ReplyMember.always(
            "otpLength", .integer(4...6), "The number of digits in a code, unless the app asks for another."
        ) { _ in OtplessRules.codeLength }
    }

    private static let merchant = Reply<Found>(name: "Merchant") {
        ReplyMember.always("otplessId", .text, "The API client's id.") { $0.client.text }
        ReplyMember.always(
            "loginURI", .text, "The address that the SDK uses for the app. This server does not answer it."
        ) { "https://otpless.com/rc5/appid/" + $0.client.text }
        ReplyMember.always("config", .object(flags), "Ways to verify a person besides a code.") { $0.asksOperator }
    }

    private static let flags = Reply<Bool>(name: "MerchantFlags") {
        ReplyMember.always("isSilentAuthEnabled", .flag, "The operator of the phone is asked first.") { $0 }
        ReplyMember.always("isWebauthnEnabled", .flag, "Always false.") { _ in false }
        ReplyMember.always("isWebauthnRegistered", .flag, "Always false.") { _ in false }
        ReplyMember.always("isSecureSdkEnabled", .flag, "Always false.") { _ in false }
    }

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Found {
        let app = try await gate.app(order.state, id: order.app, of: request)
        let rules = app.tenant.rules
        var identifiers = [
            Identifier(kind: .mobile, channel: OtplessChannel(app.channels.first ?? .sms))
        ]
        if carries(.email) { identifiers.append(Identifier(kind: .email, channel: .email)) }
        return Found(
            client: app.tenant.id, asksOperator: rules.mobileAuth && gate.engine.rules.capabilities.mobileAuth,
            identifiers: identifiers)
    }
}
