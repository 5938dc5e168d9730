@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
import Foundation
import StrictJSON
import Testing

/// The members of a request as described, against those that the endpoint reads: what its own source asks for.
struct OpenAPIMembersTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Sources")

    /// The file of each operation with a body whose members are not declared once (`Shape`).
    private static let endpoints: [(id: String, file: String)] = []

    @Test(arguments: endpoints)
    func `are the same`(id: String, file: String) throws {
        let text = try String(contentsOf: Self.sources.appending(path: file), encoding: .utf8)
        let operation = try #require(APIDescription.operations(isSandbox: true).first { $0.id == id })
        let schema = try #require(operation.body?.schema.object)
        #expect(Set(schema["properties"]?.object?.names ?? []) == Self.membersRead(text))
    }

    @Test func `every operation with a body is looked at`() {
        let withBody = APIDescription.operations(isSandbox: true).filter { $0.body != nil }.map(\.id)
        let aliases = withBody.filter { $0.hasSuffix("Alias") }
        let declared = [
            PlatformSurface.description, IdentitySurface.description, AuthSurface.description, AppSurface.description,
            ClientSurface.description, LinkSurface.description, SimulatedOperator.description,
            SandboxSurface.description,
        ]
        .flatMap { $0.operations.map(\.id) }
        #expect(Set(withBody).subtracting(aliases).subtracting(declared) == Set(Self.endpoints.map(\.id)))
    }

    private static func membersRead(_ text: String) -> Set<String> {
        let reads = text.matches(of: /(?:fields\.\w+\(|form\[|form\.says\(|object\[)"(\w+)"/).map { String($0.1) }
        let constants = text.matches(of: /let \w+ = "([a-z]\w*)"/).map { String($0.1) }
        return Set(reads + constants)
    }
}
