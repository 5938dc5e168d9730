internal import HTTPServer
internal import SurfaceKit

extension PageMeta.Place {
    /// The place of a list that always fits on one page.
    static func only(of request: Request, publicURL: String) -> PageMeta.Place {
        PageMeta.Place(url: publicURL + request.path)
    }
}

extension ParameterMember where Refusal == TwilioError {
    /// Parameters of a list that always has one page.
    @ParameterBuilder<Body, TwilioError>
    static var onePage: [ParameterMember] {
        ParameterMember.ignoredQuery("PageSize", .wholeNumber(in: 1...1000), "No effect: there is one page.")
        ParameterMember.ignoredQuery("Page", .wholeNumber(upTo: 1000), "No effect.")
        ParameterMember.ignoredQuery("PageToken", .text(.reference), "No effect.")
    }
}
