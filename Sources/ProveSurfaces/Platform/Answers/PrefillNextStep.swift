internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The next step of a Pre-Fill run: the member `next`, which callers must follow (Prove section 6).
enum PrefillNextStep: String, Sendable, CaseIterable {
    case validate = "v3-validate"
    case challenge = "v3-challenge"
    case complete = "v3-complete"
    /// No call is left, after success or failure.
    case done

    init(_ step: PlatformRefusal.Step) {
        switch step {
        case .validate: self = .validate
        case .challenge: self = .challenge
        case .complete: self = .complete
        }
    }

    var path: String {
        switch self {
        case .validate: "/v3/validate"
        case .challenge: "/v3/challenge"
        case .complete: "/v3/complete"
        case .done: "done"
        }
    }

    var object: JSONObject {
        var object = JSONObject()
        object.set(rawValue, path)
        return object
    }

    /// The member `next` of an answer.
    static func member<Value>(_ step: @escaping @Sendable (Value) -> PrefillNextStep) -> ReplyMember<Value> {
        .always(
            "next", .object(.map(of: .text()).called("NextStep")), "The one step that may follow, and its path."
        ) { step($0).object }
    }
}
