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
import HTTPServer
import Possession
import StrictJSON

/// A surface of docs/errors, with its document and one of each case of its errors.
enum IndexedSurface: String, CaseIterable, Sendable {
    case own, prelude, otpless, onboarding, twilioVerify, camara, smsHooks

    /// The names of its pages, without the ending.
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

    var document: JSONObject {
        switch self {
        case .own: OpenAPIAnswers.document
        case .prelude:
            APIDocument(
                PreludeSurface.info, version: World.version, publicURL: World.publicURL,
                surfaces: [PreludeSurface.description], example: { _ in nil }
            ).object
        case .otpless: OtplessDescription.document
        case .onboarding: OnboardingDescription.document
        case .twilioVerify: TwilioDescription.document
        case .camara: CamaraDescription.document
        case .smsHooks: HookDescription.document
        }
    }

    var responses: [Response] {
        switch self {
        case .own: Self.ofOwn
        case .prelude: Self.ofPrelude.map { $0.response }
        case .otpless: Self.ofOtpless.map { $0.response }
        case .onboarding: Self.ofOnboarding.map { $0.response }
        case .twilioVerify: Self.ofTwilio.map { $0.response }
        case .camara: Self.ofCamara.map { $0.response } + Self.ofCamaraTokens.map { $0.response }
        case .smsHooks:
            Self.ofHooks.flatMap { [$0.response, $0.responseToAuthgear] }
                + Self.absences.map { HookError.absent($0).response }
        }
    }

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

    private static var ofOwn: [Response] {
        let operations: [OperationsError] = [
            .notReady("x"), .nothingHere(hasDocs: true), .noSuchFile, .unreadable("x"),
        ]
        // They go back by redirect alone.
        let redirects: [OAuthError] = [.unsupportedResponseType, .invalidScope]
        var responses = OpenAPIErrorCases.all.map { $0.response }
        responses += failures.map { failureResponse($0) }
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
        return errors + bodies.map { PreludeError.body($0) } + absences.map { PreludeError.absent($0) }
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
        return errors + refusals + bodies.map { OtplessError.body($0) } + absences.map { OtplessError.absent($0) }
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
        let absent = absences.map { OnboardingError.absent($0, isOfOtherVersion: false) }
        return errors + bodies.map { OnboardingError.body($0) } + absent
    }

    private static var ofTwilio: [TwilioError] {
        let errors: [TwilioError] = [
            .parameter(field), .unauthorized, .notFound, .featureOff("x"), .channelDisabled, .countryClosed, .landline,
            .noTarget, .checksUsedUp(retryAfterSeconds: 1), .sendsUsedUp(retryAfterSeconds: 1),
            .rateLimited(hit(.tenantRate)), .servicesFull, .rateLimitsFull, .rateLimitTaken, .rateLimitName,
            .bucketsFull, .intervalTaken, .blocked, .overtaken, .notSent, .overloaded, .internalFault("x"),
        ]
        return errors + bodies.map { TwilioError.body($0) } + absences.map { TwilioError.absent($0) }
    }

    private static var ofCamara: [CamaraError] {
        let errors: [CamaraError] = [
            .field(field), .unauthorized, .certificateMissing, .scopeMissing(.codes), .notByNetwork, .numberNotServed,
            .numberNotAllowed(reason: "x"), .numberBlocked, .notSent, .codesExceeded(retryAfterSeconds: 1),
            .unknownVerification, .wrongCode(triesLeft: 1), .verificationFailed, .verificationExpired, .unknownNumber,
            .notApplicable, .numberMissing, .numberUnnecessary, .outOfRange(field), .operatorUnavailable,
            .rateLimited(hit(.tenantRate)), .overloaded, .internalFault("x"),
        ]
        return errors + bodies.map { CamaraError.body($0) } + absences.map { CamaraError.absent($0) }
    }

    private static var ofCamaraTokens: [TokenRefusal] {
        let errors: [TokenRefusal] = [
            .field(field), .unsupportedGrantType, .noAuthorizationFlow, .unauthorized, .assertion(.missing),
            .certificateMissing, .invalidScope("x"), .invalidGrant("x"), .rateLimited(hit(.tenantRate)), .overloaded,
            .internalFault("x"),
        ]
        return errors + bodies.map { TokenRefusal.body($0) }
    }

    /// But absent calls, of which Authgear is no part.
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
extension IndexedSurface {
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
