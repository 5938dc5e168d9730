internal import StrictJSON
internal import SurfaceKit

/// Where a Pre-Fill run goes on: the member `next`, which callers must follow (Prove section 6).
enum PrefillNextStep: String, Sendable, CaseIterable {
    case validate = "v3-validate"
    case challenge = "v3-challenge"
    case complete = "v3-complete"
    /// Nothing is left to call, be it for success or for failure.
    case done

    private var path: String {
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
}
