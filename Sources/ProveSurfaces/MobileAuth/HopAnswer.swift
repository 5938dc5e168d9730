internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Answers of the hops.
enum HopAnswer {
    static let unavailable = "mobile_auth_unavailable"

    static func response(_ hop: MobileAuthService.Hop) -> Response {
        switch hop {
        case .redirect(let url): .hop(302, to: url)
        case .arrived(let fingerprint, let page?):
            .hop(303, to: page + (fingerprint.map { "#vfp=\($0)" } ?? "#error=\(unavailable)"))
        case .handedOver(let fingerprint, let page):
            .hop(303, to: MobileAuthService.Hop.address(page, fingerprint))
        case .arrived(let fingerprint?, nil): json(200, ["vfp": .string(fingerprint)])
        case .arrived(nil, nil): failed(200)
        case .refused(let refusal): HopError(refusal).response
        }
    }

    /// The API description of a chain's end.
    static let arrivals = [
        Answer(
            status: 200, about: "The fingerprint, or that there is none.",
            content: .json(
                .any(of: [
                    Schema.record([must("vfp", .text(), "The result, to hand in at finish.")]).called("Fingerprint"),
                    .named(ErrorShape.hop.name),
                ]))),
        Answer(status: 303, about: "To the web page, with #vfp= or #error=.", headers: ["Location"]),
    ]

    static func failed(_ status: Int, message: String? = nil) -> Response {
        var object: JSONObject = ["error": .string(unavailable)]
        object.set("message", message)
        var response = json(status, object)
        response.error = unavailable
        return response
    }

    private static func json(_ status: Int, _ object: JSONObject) -> Response {
        Response.json(status, object).asHopEnd
    }
}
