internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// A list, as a path names it, and a number to put on it or take off.
struct NumberListOrder: Sendable {
    enum Action: String, CaseIterable, Sendable {
        case allow, block

        var list: NumberList {
            switch self {
            case .allow: .allowed
            case .block: .blocked
            }
        }
    }

    var action = Action.allow
    var number = ""

    static let path = "/prelude/v2/verification/management/phone-numbers/{action}"
    static let example: StaticString = #"{"phone_number":"+12001004014"}"#
    static let shape = Shape(NumberListOrder()) {
        Member.required("phone_number", .filledText(.phoneNumber), "With + and country code.") { $0.number = $1 }
    }
    static let parameters = Parameters<NumberListOrder, PreludeError> {
        ParameterMember.path("action", .action, "allow or block.", orRefuse: .notFound(what: "list")) { $0.action = $1 }
    }
    static let refusals: [PreludeError] = [.field(FieldDefect("phone_number", "is not valid"))]
    /// The answer to a change of a list.
    static let reply = Reply<PhoneNumber> {
        ReplyMember.always("phone_number", .text, "The number of the call, in E.164 with +.") { $0.e164 }
    }
}

extension ParameterInput where Value == NumberListOrder.Action {
    fileprivate static var action: ParameterInput {
        ParameterInput(Schema.choice(NumberListOrder.Action.self)) { (text, name) throws(FieldDefect) in
            guard let action = NumberListOrder.Action.spelled(text) else {
                throw FieldDefect(name, "must be allow or block")
            }
            return action
        }
    }
}
