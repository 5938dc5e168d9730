@testable import CamaraSurface
@testable import ClientSurfaces
@testable import HookSurface
@testable import MessageSurfaces
@testable import OnboardingSurface
@testable import OperationsSurfaces
@testable import OtplessSurface
@testable import PreludeSurface
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport
import HTTPServer
import Possession
import StrictJSON

/// The surfaces of one document of the API description, with one of each case of their errors.
enum DescribedSurface: String, CaseIterable, Sendable {
    case own, prelude, otpless, onboarding, twilioVerify, camara, smsHooks

    /// The names of its pages in docs/errors, without the ending.
    var pages: [String] {
        switch self {
        case .own: ["prove", "client-protocol"]
        case .prelude: ["prelude"]
        case .otpless: ["otpless"]
        case .onboarding: ["onboarding"]
        case .twilioVerify: ["twilio-verify"]
        case .camara: ["camara"]
        case .smsHooks: ["sms-hooks"]
        }
    }

    var description: APIDocument { vendor?.document ?? OpenAPIAnswers.description }
    var answers: DocumentAnswers { vendor?.answers ?? OpenAPIAnswers.answers }
    var document: JSONObject { answers.document }
    var operations: [Operation] { description.surfaces.flatMap(\.operations) }

    private var vendor: VendorDescription? {
        switch self {
        case .own: nil
        case .prelude: PreludeWorld.description
        case .otpless: OtplessWorld.description
        case .onboarding: OnboardingWorld.description
        case .twilioVerify: TwilioWorld.description
        case .camara: CamaraWorld.description
        case .smsHooks: HookWorld.description
        }
    }

    /// The number of routes without a description: calls of the vendor that the surface does not offer.
    var undescribedRoutes: Int {
        switch self {
        case .prelude, .otpless: 2
        case .twilioVerify: 31
        case .own, .onboarding, .camara, .smsHooks: 0
        }
    }

    var fewestExamples: Int {
        switch self {
        case .own: 47
        case .prelude: 12
        case .otpless: 36
        case .onboarding: 31
        case .twilioVerify: 27
        case .camara: 21
        case .smsHooks: 10
        }
    }

    func routes() async throws -> [Route] {
        switch self {
        case .own:
            let world = try await World()
            return world.client.routes + OpenAPITests.ownRoutes(world)
        case .prelude: return try await PreludeWorld().client.routes
        case .otpless: return try await OtplessWorld().client.routes
        case .onboarding: return try await OnboardingWorld().client.routes
        case .twilioVerify: return try await TwilioWorld().client.routes
        case .camara: return try await CamaraWorld().client.routes
        case .smsHooks: return try await HookWorld().client.routes
        }
    }

    /// One of each case of the errors of its calls. A document of several surfaces has a group of calls for each.
    var errors: [(group: SurfaceName?, response: Response, name: String)] {
        guard self != .own else { return OpenAPIErrorCases.all.map { ($0.surface, $0.response, $0.name) } }
        return vendorErrors.map { (nil, $0.response, "\($0)") }
    }

    /// With those of paths and methods that no call takes, which the document leaves out.
    var responses: [Response] { errors.map(\.response) + absent }

    /// Codes that stand in an answer with status 200.
    var results: [String] {
        switch self {
        case .own: Self.ofChecks.flatMap { [$0.name, String($0.code)] }
        case .otpless: SilentFailure.allCases.map(\.rawValue)
        case .prelude, .onboarding, .twilioVerify, .camara, .smsHooks: []
        }
    }

    // MARK: Parts of errors

    private static let bodies: [BodyDefect] = [
        .mediaType(expected: "x"), .tooLarge(.session), .empty, .malformed(reason: "x"), .repeated("x"),
    ]
    private static let field = FieldDefect("x", "y")
    /// What a surface answers at a path or with a method that none of its calls takes.
    private static let absences: [HTTPFailure] = [.notFound, .methodNotAllowed(.get, allow: [.post]), .notImplemented]
    private static let failures: [HTTPFailure] =
        absences + [
            .badRequest(reason: "x"), .doubleSlash, .misdirected, .requestTimeout, .contentTooLarge, .uriTooLong,
            .headerFieldsTooLarge, .expectationFailed, .versionNotSupported, .overloaded, .internalFault,
        ]

    private static func hit(_ limit: LimitName) -> LimitHit { LimitHit(limit, retryAfterSeconds: 1) }

    // MARK: Errors of each surface

    private var vendorErrors: [any SurfaceError] {
        switch self {
        case .own: []
        case .prelude: Self.ofPrelude
        case .otpless: Self.ofOtpless
        case .onboarding: Self.ofOnboarding
        case .twilioVerify: Self.ofTwilio
        case .camara: Self.ofCamara + Self.ofCamaraTokens
        case .smsHooks: Self.ofHooks
        }
    }

    private var absent: [Response] {
        switch self {
        case .own: Self.besidesCalls
        case .prelude: Self.absences.map { PreludeError.absent($0).response }
        case .otpless: Self.absences.map { OtplessError.absent($0).response }
        case .onboarding: Self.absences.map { OnboardingError.absent($0, isOfOtherVersion: false).response }
        case .twilioVerify: Self.absences.map { TwilioError.absent($0).response }
        case .camara: Self.absences.map { CamaraError.absent($0).response }
        case .smsHooks:
            Self.ofHooks.map(\.responseToAuthgear) + Self.absences.map { HookError.absent($0).response }
        }
    }

    private static var besidesCalls: [Response] {
        let operations: [OperationsError] = [
            .notReady("x"), .nothingHere(hasDocs: true), .noSuchFile, .unreadable("x"),
        ]
        // They go back by redirect alone.
        let redirects: [OAuthError] = [.unsupportedResponseType, .invalidScope]
        var responses = failures.map { failureResponse($0) }
        responses += absences.map { ClientError.absent($0).response }
        responses += operations.map { $0.response }
        responses += redirects.map { $0.response }
        responses += TakeReceipt.operations.flatMap(\.errors)
        responses.append(AppError.notSetUp.response)
        return responses
    }

    private static var ofChecks: [CheckError] {
        let links = LinkCheck.Failure.allCases.map { LinkCheck(state: .failed($0)) } + [LinkCheck(state: .expired)]
        let proofs = MobileAuthCheck.Failure.allCases.map { MobileAuthCheck(state: .ended($0), attemptsLeft: 1) }
        return links.compactMap { CheckError($0) } + proofs.compactMap { CheckError($0) }
    }

    private static var ofPrelude: [PreludeError] {
        let errors: [PreludeError] = [
            .field(field), .field(.missing("target.value")), .missingKey, .wrongKey, .certificateMissing, .wrongSDKKey,
            .emailNotAllowed, .addressInvalid(reason: "x"), .customSizeConflict,
            .channelNotEnabled(param: "options.channels"), .countryNotOpen, .idempotencyKeyReused, .numberNotServed,
            .impossibleCode, .tooManyAttempts(retryAfterSeconds: 1), .tooManyChecks(retryAfterSeconds: 1),
            .spendingLimit, .rateLimited(hit(.tenantRate)), .notFound(what: "x"), .listFull(what: "x"), .numberTaken,
            .notOffered(what: "x"), .originNotAllowed, .notSetUp, .messageFailed, .overloaded, .internalFault("x"),
        ]
        return errors + bodies.map { PreludeError.body($0) }
    }

    /// With each field that has a code of its own.
    private static var ofOtpless: [OtplessError] {
        let errors: [OtplessError] = [
            .field(field), .numberRefused("x", field: "phoneNumber"), .noTarget, .noEmail, .credentialsMissing,
            .unauthorized, .tokenInvalid, .unknownRequest, .silentUnavailable, .channelNotEnabled(field: "channels"),
            .socialNotEnabled, .countryClosed, .appUnknown, .stateInvalid, .originNotAllowed, .everythingFailed,
            .wrongCode, .checksUsedUp, .codeExpired, .codeInvalid, .alreadyVerified, .sendsUsedUp, .notSent,
            .overloaded, .internalFault("x"),
        ]
        let limits: [LimitName] = [.tenantRate, .callsPerAddress, .sendsPerNumber, .budget]
        let fields = ["channels", "email", "expiry", "phoneNumber", "requestId", "otpLength", "appHash", "otp"]
        let defects = fields.flatMap { [FieldDefect($0, "y"), FieldDefect.missing($0)] }
        let refusals = limits.map { OtplessError.rateLimited(hit($0)) } + defects.map { OtplessError.field($0) }
        return errors + refusals + bodies.map { OtplessError.body($0) }
    }

    private static var ofOnboarding: [OnboardingError] {
        let errors: [OnboardingError] = [
            .field(field), .encryption, .unservedVersion(isSigned: false), .unservedVersion(isSigned: true),
            .temporaryKey, .activationRefused(triesLeft: 1), .codeMalformed(triesLeft: 1),
            .orderBroken(triesLeft: 1, isEncrypted: true), .orderBroken(triesLeft: 1, isEncrypted: false), .signature,
            .processFailed("x"), .codeNotSent("x", retryAfterSeconds: nil), .tooManyProcesses(retryAfterSeconds: 1),
            .rateLimited(hit(.callsPerAddress)), .notSetUp, .unauthorized, .certificateMissing, .overloaded,
            .internalFault("x"),
        ]
        return errors + bodies.map { OnboardingError.body($0) }
    }

    private static var ofTwilio: [TwilioError] {
        let errors: [TwilioError] = [
            .parameter(field), .unauthorized, .notFound, .featureOff("x"), .channelDisabled, .countryClosed, .landline,
            .noTarget, .checksUsedUp(retryAfterSeconds: 1), .sendsUsedUp(retryAfterSeconds: 1),
            .rateLimited(hit(.tenantRate)), .servicesFull, .rateLimitsFull, .rateLimitTaken, .rateLimitName,
            .bucketsFull, .intervalTaken, .blocked, .overtaken, .notSent, .overloaded, .internalFault("x"),
        ]
        return errors + bodies.map { TwilioError.body($0) }
    }

    private static var ofCamara: [CamaraError] {
        let errors: [CamaraError] = [
            .field(field), .unauthorized, .certificateMissing, .scopeMissing(.codes), .notByNetwork, .numberNotServed,
            .numberNotAllowed(reason: "x"), .numberBlocked, .notSent, .codesExceeded(retryAfterSeconds: 1),
            .unknownVerification, .wrongCode(triesLeft: 1), .verificationFailed, .verificationExpired, .unknownNumber,
            .notApplicable, .numberMissing, .numberUnnecessary, .outOfRange(field), .operatorUnavailable,
            .rateLimited(hit(.tenantRate)), .overloaded, .internalFault("x"),
        ]
        return errors + bodies.map { CamaraError.body($0) }
    }

    private static var ofCamaraTokens: [TokenRefusal] {
        let errors: [TokenRefusal] = [
            .field(field), .unsupportedGrantType, .noAuthorizationFlow, .unauthorized, .assertion(.missing),
            .certificateMissing, .invalidScope("x"), .invalidGrant("x"), .rateLimited(hit(.tenantRate)), .overloaded,
            .internalFault("x"),
        ]
        return errors + bodies.map { TokenRefusal.body($0) }
    }

    private static var ofHooks: [HookError] {
        let errors: [HookError] = [
            .field(field), .field(.missing("to")), .unauthorized, .certificateMissing, .countryClosed,
            .sendsUsedUp(retryAfterSeconds: 1), .rateLimited(hit(.tenantRate)), .notSent, .overloaded,
            .internalFault("x"),
        ]
        return errors + bodies.map { HookError.body($0) }
    }
}

/// No code calls these. A new case makes one of them incomplete: put it into the list of its surface, and here.
extension DescribedSurface {
    static func isListed(_ error: PreludeError) -> Bool {
        switch error {
        case .body, .field, .missingKey, .wrongKey, .certificateMissing, .wrongSDKKey, .emailNotAllowed,
            .addressInvalid, .customSizeConflict, .channelNotEnabled, .countryNotOpen, .idempotencyKeyReused,
            .numberNotServed, .impossibleCode, .tooManyAttempts, .tooManyChecks, .spendingLimit, .rateLimited,
            .notFound, .absent, .listFull, .numberTaken, .notOffered, .originNotAllowed, .notSetUp, .messageFailed,
            .overloaded, .internalFault:
            true
        }
    }

    static func isListed(_ error: OtplessError) -> Bool {
        switch error {
        case .body, .field, .numberRefused, .noTarget, .noEmail, .credentialsMissing, .unauthorized, .tokenInvalid,
            .unknownRequest, .silentUnavailable, .channelNotEnabled, .socialNotEnabled, .countryClosed, .appUnknown,
            .stateInvalid, .originNotAllowed, .everythingFailed, .wrongCode, .checksUsedUp, .codeExpired, .codeInvalid,
            .alreadyVerified, .sendsUsedUp, .absent, .rateLimited, .notSent, .overloaded, .internalFault:
            true
        }
    }

    static func isListed(_ error: OnboardingError) -> Bool {
        switch error {
        case .body, .field, .encryption, .unservedVersion, .absent, .temporaryKey, .activationRefused, .codeMalformed,
            .orderBroken, .signature, .processFailed, .codeNotSent, .tooManyProcesses, .rateLimited, .notSetUp,
            .unauthorized, .certificateMissing, .overloaded, .internalFault:
            true
        }
    }

    static func isListed(_ error: TwilioError) -> Bool {
        switch error {
        case .body, .parameter, .unauthorized, .notFound, .absent, .featureOff, .channelDisabled, .countryClosed,
            .landline, .noTarget, .checksUsedUp, .sendsUsedUp, .rateLimited, .servicesFull, .rateLimitsFull,
            .rateLimitTaken, .rateLimitName, .bucketsFull, .intervalTaken, .blocked, .overtaken, .notSent, .overloaded,
            .internalFault:
            true
        }
    }

    static func isListed(_ error: CamaraError) -> Bool {
        switch error {
        case .body, .field, .unauthorized, .certificateMissing, .scopeMissing, .notByNetwork, .numberNotServed,
            .numberNotAllowed, .numberBlocked, .notSent, .codesExceeded, .unknownVerification, .wrongCode,
            .verificationFailed, .verificationExpired, .absent, .unknownNumber, .notApplicable, .numberMissing,
            .numberUnnecessary, .outOfRange, .operatorUnavailable, .rateLimited, .overloaded, .internalFault:
            true
        }
    }

    static func isListed(_ error: TokenRefusal) -> Bool {
        switch error {
        case .body, .field, .unsupportedGrantType, .noAuthorizationFlow, .unauthorized, .assertion,
            .certificateMissing, .invalidScope, .invalidGrant, .rateLimited, .overloaded, .internalFault:
            true
        }
    }

    static func isListed(_ error: HookError) -> Bool {
        switch error {
        case .body, .field, .unauthorized, .certificateMissing, .countryClosed, .sendsUsedUp, .absent, .rateLimited,
            .notSent, .overloaded, .internalFault:
            true
        }
    }
}
