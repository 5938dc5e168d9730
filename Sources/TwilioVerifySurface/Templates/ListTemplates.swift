internal import HTTPServer
internal import SurfaceKit
internal import Text

/// `GET /twilio-verify/v2/Templates`: the texts that a call may name by TemplateSid.
struct ListTemplates: TwilioEndpoint {
    let templates: Templates
    let publicURL: String

    static let call = Call(
        .get, TwilioPath.templates, id: "ListVerificationTemplate", "List the texts that a message may have",
        "They are the operator's: templates of the file of texts.", answer: "The texts.")
    static let body = Shape(String?.none)
    static let parameters = Parameters<String?, TwilioError> {
        ParameterMember.optionalQuery("FriendlyName", .text(.reference), "Only the one with this id.") { $0 = $1 }
        ParameterMember.onePage
    }
    static let reply = TemplatePage.reply

    func respond(
        to name: String?, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> TemplatePage {
        let all = templates.all(for: caller)
        return TemplatePage(
            templates: name.map { name in all.filter { $0.name.isSame(as: name) } } ?? all,
            place: .only(of: request, publicURL: publicURL))
    }
}
