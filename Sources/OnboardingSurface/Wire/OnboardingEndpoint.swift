internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// An app that calls, and its API client.
struct OnboardingCaller: Sendable {
    /// An app whose call came encrypted.
    struct App: Sendable {
        let keys: ApplicationKeys
        let version: DeviceProtocolVersion
    }

    let tenant: Tenant
    /// The app's; `nil`: it is not known.
    let address: IPAddress?
    /// The person reads them.
    let languages: Languages?
    /// `nil`: the call is plain.
    let app: App?
}

/// An activation that has signed a call, as it is after that.
struct Signer: Sendable {
    let activation: DeviceActivation
    let caller: DeviceCaller
    let version: DeviceProtocolVersion
    /// It has signed with them.
    let factors: SignatureFactors
}

/// A call of the surface, whoever makes it.
protocol OnboardingCall: Endpoint
where Failure == OnboardingError, Refusal == OnboardingError, Replied == Reply<Answered> {
    /// Refusals of every call of its kind.
    static var commonRefusals: [OnboardingError] { get }
    /// How callers say who they are; `nil`: as docs/onboarding.md has it for apps.
    static var scheme: CallerScheme? { get }
    /// The call takes a code of a process. The SDKs forget the process by a refusal that tells no tries (the vendor's
    /// `allowOnboardingOtpRetry`), so each one tells some.
    static var takesCode: Bool { get }
}

/// A call of an operator's own backend about what its apps have signed, as the vendor's server for backends has it.
protocol BackendEndpoint: OnboardingCall where Caller == Tenant {}

/// A call of an app. Its members stand in `requestObject`, those of its answer in `responseObject`.
protocol OnboardingEndpoint: OnboardingCall where Caller == OnboardingCaller {}

/// A call that needs no keys.
protocol OpenEndpoint: OnboardingCall where Caller == Nothing {}

/// A call that an activation has signed.
protocol SignedEndpoint: OnboardingCall where Caller == Signer {
    /// Names the call in the signature: its path without the version.
    static var resource: String { get }
    /// Factors that the call may be signed with. Others are refused before the signature is looked at.
    static var factors: Set<SignatureFactors> { get }
    /// Done to the activation in the change that takes the signature.
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

    /// That a refusal tells where it knows nothing of the process.
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
    /// Stands in every answer but an error.
    static var ok: Output { .text(Schema(["type": "string", "enum": ["OK"]])) }
}
