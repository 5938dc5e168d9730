import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import ServerDescription
@testable import SurfaceKit

/// The document of this surface.
enum OtplessDescription {
    static let document = APIDocument(
        OtplessSurface.info, version: World.version, publicURL: World.publicURL, surfaces: [OtplessSurface.description],
        example: { _ in nil }
    ).object
    static let answers = DocumentAnswers(document)

    /// Checks the answer of a call that is described; absent calls are not.
    @Sendable static func check(_ response: Response, to request: Request) {
        guard let pattern = request.routePattern, answers.operation(request.method, pattern) != nil else { return }
        answers.check(response, to: request)
    }
}

/// The document against the calls that there are.
@Suite(.timeLimit(.minutes(10))) struct OtplessDescriptionTests {
    private static let operations = OtplessSurface.description.operations

    @Test func `describes every call once`() async throws {
        let otpless = try await OtplessWorld()
        let described = Set(Self.operations.map { "\($0.method.text) \($0.path)" })
        let there = Set(otpless.client.routes.map { "\($0.method.text) \($0.pattern)" })
        #expect(described.count == Self.operations.count && described.isSubset(of: there))
        #expect(Set(Self.operations.map(\.id)).count == Self.operations.count)
    }

    @Test func `describes every error by one of the calls`() {
        let errors: [OtplessError] = [
            .body(.tooLarge(.session)), .body(.mediaType(expected: RequestBody.json)), .body(.empty),
            .field(.missing("otp")), .noTarget, .noEmail, .credentialsMissing, .unauthorized, .tokenInvalid,
            .unknownRequest, .channelNotEnabled(field: "channels"), .countryClosed, .wrongCode, .checksUsedUp,
            .codeExpired, .codeInvalid, .socialNotEnabled,
            .alreadyVerified, .sendsUsedUp, .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)),
            .rateLimited(.init(.sendsPerNumber, retryAfterSeconds: 1)), .notSent, .overloaded, .internalFault(""),
        ]
        for error in errors {
            let isDescribed = Self.operations.contains {
                OtplessDescription.answers.defects(of: error.response, method: $0.method, pattern: $0.path).isEmpty
            }
            #expect(isDescribed, "\(error)")
        }
    }

    @Test func `has valid examples`() throws {
        let check = OpenAPISchemaCheck(OtplessDescription.document)
        var count = 0
        for content in Self.operations.flatMap({ $0.answers.compactMap(\.content) + [$0.body].compactMap { $0 } }) {
            guard let example = content.example else { continue }
            count += 1
            #expect(check.defects(of: example, content.schema.object) == [])
        }
        #expect(count >= 14)
    }
}
