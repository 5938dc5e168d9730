internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /prelude/v2/lookup/{phone_number}`: facts about a number from the numbering plan.
///
///     ->  200 {"phone_number":"+12065550100","country_code":"US","line_type":"unknown"}
struct LookUpNumber: PreludeEndpoint {
    struct Order: Sendable {
        var number = ""
    }

    /// The types that the numbering plan knows.
    enum LineType: String, CaseIterable, Sendable {
        case fixedLine = "fixed_line"
        case mobile, pager, other, unknown, voip
        case premiumRate = "premium_rate"
        case sharedCost = "shared_cost"
        case tollFree = "toll_free"
        case universalAccess = "universal_access"
        case voiceMail = "voice_mail"

        init(_ kind: NumberKind?) {
            self =
                switch kind {
                case .fixedLine: .fixedLine
                case .mobile: .mobile
                case .tollFree: .tollFree
                case .premiumRate: .premiumRate
                case .sharedCost: .sharedCost
                case .voiceOverIP: .voip
                case .personal: .other
                case .pager: .pager
                case .company: .universalAccess
                case .voicemail: .voiceMail
                case .fixedLineOrMobile, nil: .unknown
                }
        }
    }

    struct Found: Sendable {
        let number: PhoneNumber
        let country: String?
        let line: LineType
    }

    let engine: Engine

    static let call = Call(
        .get, "/prelude/v2/lookup/{phone_number}", id: "preludeLookUpNumber", "Look a number up",
        """
        Country and line by the numbering plan. This server does not know who holds a number or which network serves it: type \
        is accepted and has no effect.
        """,
        answer: "What is known.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PreludeError> {
        ParameterMember.path("phone_number", .filledText(.phoneNumber), "With + and country code.") { $0.number = $1 }
        ParameterMember.ignoredQuery("type", .text(.freeText(64)), "cnam: no effect.")
    }
    static let reply = Reply<Found> {
        ReplyMember.always("phone_number", .text, "The number in E.164, with +.") { $0.number.e164 }
        ReplyMember.whenThere("country_code", .text, "ISO 3166-1.") { $0.country }
        ReplyMember.always("line_type", .choice(LineType.allCases), "unknown: the plan does not tell.") { $0.line }
    }
    static let refusals: [PreludeError] = [.field(FieldDefect("phone_number", "is not valid"))]

    func respond(to order: Order, of request: Request, from tenant: Tenant) async throws(PreludeError) -> Found {
        let number = try Target.number(order.number, "phone_number")
        return Found(
            number: number, country: engine.network.numbers.region(of: number),
            line: LineType(engine.network.numbers.kind(of: number)))
    }
}
