import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import HookSurface
@testable import ServerDescription
@testable import SurfaceKit

/// The document of this surface.
enum HookDescription {
    static let document = APIDocument(
        HookSurface.info, version: World.version, publicURL: World.publicURL, surfaces: [HookSurface.description],
        example: { _ in nil }
    ).object
    static let answers = DocumentAnswers(document)

    @Sendable static func check(_ response: Response, to request: Request) {
        guard request.routePattern != nil else { return }
        answers.check(response, to: request)
    }
}

/// The document against the hooks that there are.
@Suite(.timeLimit(.minutes(10))) struct HookDescriptionTests {
    private static let operations = HookSurface.description.operations

    @Test func `every hook is described`() async throws {
        let hooks = try await HookWorld()
        let described = Set(Self.operations.map { "\($0.method.text) \($0.path)" })
        #expect(described == Set(hooks.client.routes.map { "\($0.method.text) \($0.pattern)" }))
        #expect(described.count == 5)
    }

    @Test func `examples are valid`() throws {
        let check = OpenAPISchemaCheck(HookDescription.document)
        for content in Self.operations.flatMap({ $0.answers.compactMap(\.content) + [$0.body].compactMap { $0 } }) {
            guard let example = content.example else { continue }
            #expect(check.defects(of: example, content.schema.object) == [])
        }
    }
}
