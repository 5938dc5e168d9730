@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
import HTTPServer
import Possession

/// One of each case of the surfaces' errors, as it is answered.
enum OpenAPIErrorCases {
    typealias Case = (surface: SurfaceName, response: Response, name: String)

    static var all: [Case] {
        let body = BodyDefect.empty
        let media = BodyDefect.mediaType(expected: "x")
        let field = FieldDefect("x", "y")
        let platform: [PlatformError] = [
            .body(body), .body(media), .field(field), .certificateMissing, .unauthorized(wasSent: true),
            .unauthorized(wasSent: false),
            .stepNotAllowed, .stepTooEarly(first: "x"), .oldKeysSign(until: Timestamp(seconds: 0)), .numberNotServed,
            .unknownCorrelationID,
            .unknownAuthID, .endedSession,
            .endedAuthSession, .otherProduct, .body(.tooLarge(.session)),
            .notFound(what: "x"),
            .rateLimited(.init(.sendsPerNumber, retryAfterSeconds: 1)), .sourceUnavailable, .overloaded,
            .internalFault("x"), .numberStopped,
        ]
        let token: [TokenError] = [
            .body(body), .body(media), .body(.tooLarge(.short)), .field(field), .unsupportedGrantType, .invalidClient,
            .platform(.overloaded),
        ]
        let refusals: [StepRefusal] = [
            .invalidState, .sessionDone, .otpMismatch, .otpLength(4), .otherPayment(isNamed: true), .otpExpired,
            .sendsExhausted,
            .phoneNumberRequired,
            .phoneNumberInvalid,
            .phoneNumberNotAllowed(reason: "x"), .phoneNumberNotAccepted, .phoneChangeNotAllowed,
            .phoneEntriesExhausted, .messageFailed, .fingerprintInvalid, .fingerprintExpired, .deviceProofInvalid,
            .deviceNumberMismatch, .rateLimited(.init(.sendsPerNumber, retryAfterSeconds: 1)),
        ]
        let admissions: [AdmissionRefusal] = [
            .invalidDPoPProof(.missing), .tokenAlreadyUsed,
            .tooManyProofs(.init(.proofsPerSession, retryAfterSeconds: 1)),
            .retryKeyReused,
        ]
        let client: [ClientError] =
            [
                .invalidRequest("x"), .unsupportedMediaType("x"), .bodyTooLarge("x"), .invalidToken(wasSent: true),
                .originNotAllowed,
                .overloaded, .internalFault("x"),
            ] + refusals.map { .refused($0) } + admissions.map { .notAdmitted($0) }
        let sandbox: [SandboxError] = [
            .body(body), .body(media), .field(field), .unknownSession, .alreadyDone, .succeedsByItsCall(""),
            .noSuchFile,
            .overloaded,
            .internalFault("x"),
            .body(.tooLarge(.short)), .rateLimited(.init(.waitsPerAddress, retryAfterSeconds: 5)),
            .asAsked(.init(status: 410)),
        ]
        let app: [AppError] = [.noFlow, .unknownFlow, .endedFlow, .originNotAllowed, .platform(.stepNotAllowed)]
        let link: [LinkError] = [
            .body(body), .body(media), .body(.tooLarge(.short)), .field(field),
            .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)), .overloaded, .internalFault("x"),
        ]
        let oauth: [OAuthError] = [
            .invalidRequest("x"), .unsupportedGrantType, .invalidClient, .invalidGrant, .serverError,
        ]
        let camara: [OperatorAPIError] = [
            .invalidArgument("x"), .unauthenticated, .permissionDenied, .notOnNetwork, .gatewayTimeout,
        ]
        let hops: [HopError] = [
            .unreadable, .otherAddress, .unknown, .gone, .overloaded, .internalFault("x"),
            .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)),
        ]
        let answers = LinkPages(policy: PagePolicy(sha256: { $0 }), report: { _ in })
        return platform.map { (.platform, $0.response, "\($0)") } + token.map { (.platform, $0.response, "\($0)") }
            + client.map { (.client, $0.response, "\($0)") }
            + app.map { (.app, $0.response, "\($0)") }
            + sandbox.map { (.sandbox, $0.response, "\($0)") }
            + link.map { (.link, answers.response(to: $0), "\($0)") }
            + oauth.map { (.simulatedOperator, $0.response, "\($0)") }
            + camara.map { (.simulatedOperator, $0.response, "\($0)") }
            + hops.map { (.mobileAuth, $0.response, "\($0)") }
    }
}

/// No code calls these. A new case makes one of them incomplete: put it into `all`, and here.
extension OpenAPIErrorCases {
    static func isListed(_ error: PlatformError) -> Bool {
        switch error {
        case .body, .field, .unauthorized, .certificateMissing, .stepNotAllowed, .stepTooEarly, .oldKeysSign,
            .numberNotServed,
            .unknownCorrelationID, .unknownAuthID, .endedSession, .endedAuthSession, .otherProduct, .notFound,
            .rateLimited, .sourceUnavailable, .overloaded, .internalFault, .numberStopped:
            true
        }
    }

    static func isListed(_ error: TokenError) -> Bool {
        switch error {
        case .body, .field, .unsupportedGrantType, .invalidClient, .platform: true
        }
    }

    static func isListed(_ error: ClientError) -> Bool {
        switch error {
        case .invalidRequest, .unsupportedMediaType, .bodyTooLarge, .invalidToken, .originNotAllowed, .overloaded,
            .internalFault, .deviceProof:
            true
        // The description lists no unknown paths.
        case .absent: false
        case .notAdmitted(let refusal, _): isListed(refusal)
        case .refused(let refusal): isListed(refusal)
        }
    }

    static func isListed(_ refusal: AdmissionRefusal) -> Bool {
        switch refusal {
        case .invalidDPoPProof, .tokenAlreadyUsed, .tooManyProofs, .retryKeyReused: true
        }
    }

    static func isListed(_ refusal: StepRefusal) -> Bool {
        switch refusal {
        case .invalidState, .sessionDone, .otpMismatch, .otpLength, .otherPayment, .otpExpired, .sendsExhausted,
            .phoneNumberRequired,
            .phoneNumberInvalid,
            .phoneNumberNotAllowed, .phoneNumberNotAccepted, .phoneChangeNotAllowed, .phoneEntriesExhausted,
            .messageFailed, .fingerprintInvalid, .fingerprintExpired, .deviceProofInvalid, .deviceNumberMismatch,
            .rateLimited:
            true
        }
    }

    static func isListed(_ error: AppError) -> Bool {
        switch error {
        case .platform, .noFlow, .unknownFlow, .endedFlow, .originNotAllowed, .notSetUp: true
        }
    }

    static func isListed(_ error: SandboxError) -> Bool {
        switch error {
        case .body, .field, .unknownSession, .alreadyDone, .succeedsByItsCall, .noSuchFile, .rateLimited, .asAsked,
            .overloaded, .internalFault:
            true
        }
    }

    static func isListed(_ error: LinkError) -> Bool {
        switch error {
        case .body, .field, .rateLimited, .overloaded, .internalFault: true
        }
    }

    /// Two of them go back by redirect alone.
    static func isListed(_ error: OAuthError) -> Bool {
        switch error {
        case .invalidRequest, .unsupportedGrantType, .invalidClient, .invalidGrant, .serverError: true
        case .unsupportedResponseType, .invalidScope: false
        }
    }

    static func isListed(_ error: HopError) -> Bool {
        switch error {
        case .unreadable, .otherAddress, .unknown, .gone, .rateLimited, .overloaded, .internalFault: true
        }
    }

    static func isListed(_ error: OperatorAPIError) -> Bool {
        switch error {
        case .invalidArgument, .unauthenticated, .permissionDenied, .notOnNetwork, .gatewayTimeout: true
        }
    }
}
