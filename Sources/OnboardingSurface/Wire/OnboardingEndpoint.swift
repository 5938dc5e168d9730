internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// A calling app and its API client.
struct OnboardingCaller: Sendable {
    /// The keys and version of an encrypted call.
    struct App: Sendable {
        let keys: ApplicationKeys
        let version: DeviceProtocolVersion
    }

    let tenant: Tenant
    /// The app's address; `nil`: unknown.
    let address: IPAddress?
    /// The person's languages.
    let languages: Languages?
    /// `nil`: the call is plain.
    let app: App?
}

/// An activation that has signed a call, in its state after the signature was accepted.
struct Signer: Sendable {
    let activation: DeviceActivation
    let caller: DeviceCaller
    let version: DeviceProtocolVersion
    /// The factors that signed the call.
    let factors: SignatureFactors
}

/// A call of the surface, by any kind of caller.
protocol OnboardingCall: Endpoint
where Failure == OnboardingError, Refusal == OnboardingError, Replied == Reply<Answered> {
    /// Refusals that every call of this kind may return.
    static var commonRefusals: [OnboardingError] { get }
    /// The credentials of callers in the API description; `nil`: those of apps, which docs/onboarding.md describes.
    static var scheme: CallerScheme? { get }
    /// Whether the call takes a code of a process. An SDK gives up the process if a refusal does not name the tries
    /// left (the vendor's `allowOnboardingOtpRetry`), so every refusal of such a call names them.
    static var takesCode: Bool { get }
}

/// A call in which an operator's own backend asks about signatures of its apps, as in the vendor's server for backends.
protocol BackendEndpoint: OnboardingCall where Caller == Tenant {}

/// A call of an app. Its members are in `requestObject`, those of its answer in `responseObject`.
protocol OnboardingEndpoint: OnboardingCall where Caller == OnboardingCaller {}

/// A call that needs no keys.
protocol OpenEndpoint: OnboardingCall where Caller == Nothing {}

/// A call that an activation has signed.
protocol SignedEndpoint: OnboardingCall where Caller == Signer {
    /// The name of the call in the signature: its path without the version.
    static var resource: String { get }
    /// Factors that may sign the call. Others are refused before the signature is checked.
    static var factors: Set<SignatureFactors> { get }
    /// Changes the activation in the same change that accepts the signature.
    @Sendable static func act(on activation: inout DeviceActivation, at now: Timestamp)
}

extension OnboardingEndpoint {
    static var commonRefusals: [OnboardingError] {
        [.encryption, .unservedVersion(isSigned: false), .temporaryKey, .notSetUp]
    }
}

extension OpenEndpoint {
    static var commonRefusals: [OnboardingError] { [] }
}

extension BackendEndpoint {
    static var scheme: CallerScheme? { .clientIDAndSecret }
    static var commonRefusals: [OnboardingError] { [.unauthorized, .certificateMissing] }
}

extension SignedEndpoint {
    static var factors: Set<SignatureFactors> { SignatureFactors.withPossession }

    static var commonRefusals: [OnboardingError] { [.signature, .unservedVersion(isSigned: true)] }

    @Sendable static func act(on activation: inout DeviceActivation, at now: Timestamp) {}
}

extension OnboardingCall {
    static var scheme: CallerScheme? { nil }
    static var takesCode: Bool { false }

    /// The tries that a refusal names if the server has not read the process.
    static var leastTries: Int? { takesCode ? 1 : nil }

    /// The endpoint in the API description.
    static var operations: [Operation] {
        let busy: [OnboardingError] = [
            .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)), .overloaded, .internalFault(""),
        ]
        return operations(
            .onboarding, caller: scheme,
            common: (exampleDefect.map { [.field($0)] } ?? []) + commonRefusals + busy, shape: .onboarding)
    }
}

extension Shape {
    /// The members of a call, in its `requestObject`.
    /// - Parameter inner: the shape of the members, with its own empty value.
    static func wrapping(_ inner: Shape<Body>, _ empty: Body) -> Shape<Body> {
        Shape(empty) {
            Member.required("requestObject", .object(inner), "The call.") { $0 = $1 }
        }
    }
}

extension Reply {
    /// An answer that only says that the call succeeded.
    static var done: Reply {
        Reply(example: #"{"status":"OK"}"#) { ReplyMember.always("status", .ok, "Always OK.") { _ in "OK" } }
    }

    /// The members of an answer, in its `responseObject`.
    static func wrapping(
        example: StaticString, @ReplyBuilder<Value> _ members: () -> [ReplyMember<Value>]
    ) -> Reply {
        wrapping(Reply(nil, members), example: example)
    }

    static func wrapping(_ inner: Reply, example: StaticString) -> Reply {
        Reply(example: example) {
            ReplyMember.always("status", .ok, "Always OK.") { _ in "OK" }
            ReplyMember.always("responseObject", .object(inner), "The result of the call.") { $0 }
        }
    }

    private init(_ name: String?, @ReplyBuilder<Value> _ members: () -> [ReplyMember<Value>]) {
        self.init(name: name, members)
    }
}

extension Output where Value == String {
    /// The `status` of every answer that is not an error.
    static var ok: Output { .text(Schema(["type": "string", "enum": ["OK"]])) }
}
