internal import Possession
internal import SurfaceKit

/// The page that asks: who wants to know, from which browser, since when; the match code where one is needed; approve
/// and deny. Where the person goes on in this browser, approve is called continue.
struct InvitationPage: Sendable {
    private static let codeField = DecideLink.matchCode
    private static let help = "matchCode-help"
    private static let error = "matchCode-error"

    private let invitation: LinkInvitation
    private let asksAgain: Bool
    private let requester: String

    /// - Parameter asksAgain: the match code was missing or had another form.
    init(_ invitation: LinkInvitation, asksAgain: Bool = false) {
        self.invitation = invitation
        self.asksAgain = asksAgain && invitation.needsMatchCode
        requester = SanitizedDisplayName(invitation.requester, orElse: "An app").text
    }

    var document: HTML {
        PageFrame(
            title: "\(asksAgain ? "Error: " : "")\(requester) asks you to confirm",
            mark: .question,
            heading: "<bdi>\(requester)</bdi> asks you to confirm that it’s you",
            content: """
                <dl>
                \(waiting)<div><dt>Asked</dt><dd>\(ReadableTime(invitation.requestedAt).dayAndTime)</dd></div>
                <div><dt>Answer by</dt><dd>\(ReadableTime(invitation.expiresAt).time)</dd></div>
                </dl>
                <p class="warning" id="warning"><strong>Did not start this?</strong> Choose Deny. \(consequence)</p>
                <form method="post">
                \(invitation.needsMatchCode ? codeInput : .empty)\(invitation.people.isEmpty ? .empty : picker)
                <button class="approve" type="submit" name="\(DecideLink.decision)" \
                value="\(DecideLink.Choice.approve.rawValue)" aria-describedby="warning">\
                \(invitation.goesOnHere ? "Continue" : "Approve")</button>
                <button class="deny" type="submit" name="\(DecideLink.decision)" \
                value="\(DecideLink.Choice.deny.rawValue)" formnovalidate>Deny</button>
                </form>
                """
        ).document
    }

    /// Nobody waits elsewhere where the person goes on in this browser.
    private var waiting: HTML {
        invitation.goesOnHere ? .empty : "<div><dt>Started in</dt><dd>\(browser)</dd></div>\n"
    }

    private var consequence: String {
        invitation.goesOnHere
            ? "If you continue, the person at this browser is signed in as you."
            : "If you approve, that person is signed in as you."
    }

    private var browser: HTML {
        invitation.browser.map { "<bdi>\(SanitizedDisplayName($0, orElse: "A browser").text)</bdi>" }
            ?? "A browser that did not say its name"
    }

    /// Stands for the page of a provider, where people sign in by themselves.
    private var picker: HTML {
        let options = invitation.people.map { person -> HTML in
            "<option value=\"\(person.number.e164)\">\(person.name), \(person.email?.text ?? person.number.e164)</option>"
        }
        return """
            <div class="code">
            <label for="\(DecideLink.person)">Sign in as</label>
            <p class="help">The sandbox plays the provider. Nobody is asked for a password.</p>
            <select id="\(DecideLink.person)" name="\(DecideLink.person)" required>\(HTML(trusted: options.map(\.text).joined()))</select>
            </div>

            """
    }

    /// `required` lets the browser ask in the person's own language when the field is empty. Its form is judged here
    /// alone, and what is wrong is said in the page.
    private var codeInput: HTML {
        """
        <div class="code\(asksAgain ? " wrong" : "")">
        <label for="\(Self.codeField)">Number on the other screen</label>
        <p class="help" id="\(Self.help)">Type the two digits shown where you started. You have one try.</p>
        \(asksAgain ? message : .empty)
        <input id="\(Self.codeField)" name="\(Self.codeField)" type="text" inputmode="numeric" maxlength="2" size="2" \
        autocomplete="off" autocapitalize="off" spellcheck="false" required \(inputState)>
        </div>
        """
    }

    private var message: HTML {
        """
        <p class="error" id="\(Self.error)"><span class="hidden">Error: </span>Enter two digits, such as 07. Nothing \
        has been decided yet.</p>
        """
    }

    /// The input is announced with its help, and has the focus when there is something to correct.
    private var inputState: HTML {
        asksAgain
            ? "aria-describedby=\"\(Self.error) \(Self.help)\" aria-invalid=\"true\" autofocus"
            : "aria-describedby=\"\(Self.help)\""
    }
}
