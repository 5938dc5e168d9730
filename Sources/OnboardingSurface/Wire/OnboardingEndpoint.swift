internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// An app that calls, and its API client.
struct OnboardingCaller: Sendable {
    let tenant: Tenant
    /// The app's; `nil`: it is not known.
    let address: IPAddress?
    /// The person reads them.
    let languages: Languages?
}

/// A call of an app. Its members stand in `requestObject`, those of its answer in `responseObject`.
protocol OnboardingEndpoint: Endpoint
where Caller == OnboardingCaller, Failure == OnboardingError, Refusal == OnboardingError, Replied == Reply<Answered> {}

extension OnboardingEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(
            .onboarding, caller: nil, common: (exampleDefect.map { [.field($0)] } ?? []) + OnboardingGate.refusals,
            shape: .onboarding)
    }
}

extension Shape {
    /// The members of a call, in its `requestObject`.
    /// - Parameter inner: with its own empty value.
    static func wrapping(_ inner: Shape<Body>, _ empty: Body) -> Shape<Body> {
        Shape(empty) {
            Member.required("requestObject", .object(inner), "The call.") { $0 = $1 }
        }
    }
}

extension Reply {
    /// An answer that says no more than that it was done.
    static var done: Reply {
        Reply(example: #"{"status":"OK"}"#) { ReplyMember.always("status", .ok) { _ in "OK" } }
    }

    /// The members of an answer, in its `responseObject`.
    static func wrapping(
        example: StaticString, @ReplyBuilder<Value> _ members: () -> [ReplyMember<Value>]
    ) -> Reply {
        let inner = Reply(nil, members)
        return Reply(example: example) {
            ReplyMember.always("status", .ok) { _ in "OK" }
            ReplyMember.always("responseObject", .object(inner)) { $0 }
        }
    }

    private init(_ name: String?, @ReplyBuilder<Value> _ members: () -> [ReplyMember<Value>]) {
        self.init(name: name, members)
    }
}

extension Output where Value == String {
    /// Stands in every answer but an error.
    static var ok: Output { .text(Schema(["type": "string", "enum": ["OK"]])) }
}
