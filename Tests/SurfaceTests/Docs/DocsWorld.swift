@testable import CamaraSurface
@testable import DocsSurface
@testable import HookSurface
@testable import OnboardingSurface
@testable import OtplessSurface
@testable import PreludeSurface
@testable import ServerDescription
@testable import SurfaceKit
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
import HTTPServer
import StrictJSON

/// The documentation as a sandbox server has it.
enum DocsWorld {
    static let documents: [DocsSurface.Document] = {
        let own = DocsSurface.Document(
            "holdfast", heading: "Holdfast and Prove", path: "/openapi.json", errors: "errors/prove"
        ) {
            APIDescription(version: World.version, publicURL: World.publicURL, isSandbox: true, sha256: { $0 })
        }
        return [
            own,
            document("prelude", PreludeSurface.documentPath, PreludeSurface.description, PreludeSurface.info),
            document("otpless", OtplessSurface.documentPath, OtplessSurface.description, OtplessSurface.info),
            document(
                "onboarding", OnboardingSurface.documentPath, OnboardingSurface.description, OnboardingSurface.info),
            document("twilio-verify", TwilioSurface.documentPath, TwilioSurface.description, TwilioSurface.info),
            document("camara", CamaraSurface.documentPath, CamaraSurface.description, CamaraSurface.info),
            document("sms-hooks", HookSurface.documentPath, HookSurface.description, HookSurface.info),
        ]
    }()

    private static func document(
        _ name: String, _ path: String, _ surface: SurfaceDescription, _ info: APIDocument.Info
    ) -> DocsSurface.Document {
        DocsSurface.Document(name, heading: name, path: path, errors: "errors/" + name) {
            APIDescription(
                of: surface, info, version: World.version, publicURL: World.publicURL, sha256: { $0 })
        }
    }

    static let content = SiteContent(
        guides: Guide.all(), documents: documents.map(ReferenceDocument.init), isSandbox: true)

    static func surface(isSandbox: Bool = true) -> DocsSurface {
        DocsSurface(documents, isSandbox: isSandbox, sha256: { Array($0.prefix(16)) + [UInt8($0.count % 251)] })
    }
}
