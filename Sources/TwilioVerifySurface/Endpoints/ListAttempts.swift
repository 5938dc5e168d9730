internal import HTTPServer
internal import SurfaceKit

/// `GET /twilio-verify/v2/Attempts`: the messages of verifications, including finished ones.
struct ListAttempts: TwilioEndpoint {
    let search: AttemptSearch
    let publicURL: String

    static let call = Call(
        .get, TwilioPath.attempts, id: "ListVerificationAttempt", "List the messages of verifications",
        """
        The newest verification first. A verification is kept for a day. A call looks at 200 verifications at most: a page may \
        have fewer attempts than PageSize, and meta.next_page_url leads on.
        """,
        answer: "The attempts.")
    static let body = Shape(AttemptQuery())
    static let parameters = AttemptQuery.parameters
    static let reply = AttemptPage.reply

    func respond(
        to query: AttemptQuery, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> AttemptPage {
        let found = try await search.page(query, for: caller)
        let place = PageMeta.Place(
            url: publicURL + Self.call.path, query: request.rawQuery, page: query.page, pageSize: query.pageSize,
            next: found.last?.text)
        return AttemptPage(attempts: found.attempts, place: place)
    }
}
