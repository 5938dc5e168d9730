import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import OnboardingSurface
@testable import ServerDescription
@testable import SurfaceKit

/// The document against the calls that there are.
@Suite(.timeLimit(.minutes(10))) struct OnboardingDescriptionTests {
    private static let operations = OnboardingSurface.description.operations

    @Test func `describes every call once`() async throws {
        let onboarding = try await OnboardingWorld()
        let described = Set(Self.operations.map { "\($0.method.text) \($0.path)" })
        let there = Set(onboarding.client.routes.map { "\($0.method.text) \($0.pattern)" })
        #expect(described == there && described.count == Self.operations.count)
        #expect(Set(Self.operations.map(\.id)).count == Self.operations.count)
    }

    @Test func `gives codes in a sandbox alone`() async throws {
        let live = try await OnboardingWorld.live()
        #expect(!live.client.routes.contains { $0.pattern == ReadCode.call.path })
    }

    @Test func `describes every error by one of the calls`() {
        let errors: [OnboardingError] = [
            .body(.tooLarge(.session)), .body(.mediaType(expected: RequestBody.json)), .body(.empty),
            .field(.missing("requestObject")), .encryption, .unservedVersion(isSigned: false), .temporaryKey,
            .signature,
            .activationRefused(triesLeft: 0), .codeMalformed(triesLeft: 5), .unknownProcess, .messageRefused,
            .codeNotSent("too new", retryAfterSeconds: 30), .tooManyProcesses(retryAfterSeconds: 1), .notSetUp,
            .unauthorized, .certificateMissing, .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)),
            .overloaded, .internalFault(""),
        ]
        for error in errors {
            let isDescribed = Self.operations.contains {
                OnboardingDescription.answers.defects(of: error.response, method: $0.method, pattern: $0.path).isEmpty
            }
            #expect(isDescribed, "\(error)")
        }
    }

    @Test func `has valid examples`() throws {
        let check = OpenAPISchemaCheck(OnboardingDescription.document)
        var count = 0
        for content in Self.operations.flatMap({ $0.answers.compactMap(\.content) + [$0.body].compactMap { $0 } }) {
            guard let example = content.example else { continue }
            count += 1
            #expect(check.defects(of: example, content.schema.object) == [])
        }
        #expect(count >= 15)
    }
}
