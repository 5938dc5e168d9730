import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import ServerDescription
@testable import SurfaceKit
@testable import TwilioVerifySurface

/// The document of this surface.
enum TwilioDescription {
    static let document = APIDocument(
        TwilioSurface.info, version: World.version, publicURL: World.publicURL, surfaces: [TwilioSurface.description],
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
@Suite(.timeLimit(.minutes(10))) struct TwilioDescriptionTests {
    private static let operations = TwilioSurface.description.operations

    @Test func `every call is described, and what is absent is not`() async throws {
        let twilio = try await TwilioWorld()
        let described = Set(Self.operations.map { "\($0.method.text) \($0.path)" })
        let there = Set(twilio.client.routes.map { "\($0.method.text) \($0.pattern)" })
        #expect(described.count == 26 && described.isSubset(of: there))
        #expect(Set(Self.operations.map(\.id)).count == 26)
    }

    @Test func `every error is described by one of the calls`() {
        let errors: [TwilioError] = [
            .body(.tooLarge(.session)), .body(.mediaType(expected: RequestBody.form)), .body(.repeated("To")),
            .parameter(.missing("To")), .unauthorized, .notFound, .featureOff("PSD2"), .channelDisabled, .countryClosed,
            .landline, .noTarget, .checksUsedUp(retryAfterSeconds: 1), .sendsUsedUp(retryAfterSeconds: 1),
            .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)),
            .rateLimited(.init(.sendsPerNumber, retryAfterSeconds: 1)),
            .servicesFull, .rateLimitsFull, .rateLimitTaken, .rateLimitName, .bucketsFull, .intervalTaken, .blocked,
            .overtaken, .notSent, .overloaded, .internalFault(""),
        ]
        for error in errors {
            let isDescribed = Self.operations.contains {
                TwilioDescription.answers.defects(of: error.response, method: $0.method, pattern: $0.path).isEmpty
            }
            #expect(isDescribed, "\(error)")
        }
    }

    @Test func `examples are valid`() throws {
        let check = OpenAPISchemaCheck(TwilioDescription.document)
        var count = 0
        for content in Self.operations.flatMap({ $0.answers.compactMap(\.content) + [$0.body].compactMap { $0 } }) {
            guard let example = content.example else { continue }
            count += 1
            #expect(check.defects(of: example, content.schema.object) == [])
        }
        #expect(count >= 8)
    }

    @Test func `every parameter of the vendor is named`() throws {
        let create = try #require(Self.operations.first { $0.id == "CreateVerification" })
        let names = try #require(create.body?.schema.object["properties"]?.object?.names)
        let vendor = [
            "To", "Channel", "CustomFriendlyName", "CustomMessage", "SendDigits", "Locale", "CustomCode", "Amount",
            "Payee",
            "RateLimits", "ChannelConfiguration", "AppHash", "TemplateSid", "TemplateCustomSubstitutions", "DeviceIp",
            "EnableSnaClientToken", "RiskCheck", "Tags",
        ]
        #expect(Set(names) == Set(vendor))
    }
}
