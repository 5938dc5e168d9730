internal import Engine
internal import Possession
internal import SurfaceKit

/// The page with the question: who asks, from which browser, since when; the match code if one is needed; approve and
/// deny. If the person continues in this browser, approve is called continue.
struct InvitationPage: Sendable {
    private static let codeField = DecideLink.matchCode
    private static let help = "matchCode-help"
    private static let error = "matchCode-error"

    private let invitation: LinkInvitation
    private let texts: LinkTexts
    private let asksAgain: Bool
    private let requester: String

    /// - Parameter asksAgain: the match code was missing or malformed.
    init(_ invitation: LinkInvitation, asksAgain: Bool = false, in texts: LinkTexts) {
        self.invitation = invitation
        self.texts = texts
        self.asksAgain = asksAgain && invitation.needsMatchCode
        requester = SanitizedDisplayName(invitation.requester ?? "", orElse: texts.asking.someApp).text
    }

    var document: HTML {
        let asking = texts.asking
        let title = texts.filled(asking.title, [("name", "\(requester)")])
        return PageFrame(
            title: asksAgain ? "\(texts.code.error) \(title)" : title,
            mark: .question,
            heading: texts.filled(asking.heading, [("name", "<bdi>\(requester)</bdi>")]),
            content: """
                <dl>
                \(waiting)<div><dt>\(asking.asked)</dt><dd>\(time(invitation.requestedAt).dayAndTime)</dd></div>
                <div><dt>\(asking.answerBy)</dt><dd>\(time(invitation.expiresAt).time)</dd></div>
                </dl>
                <p class="warning" id="warning"><strong>\(asking.question)</strong> \(consequence)</p>
                <form method="post">
                \(invitation.needsMatchCode ? codeInput : .empty)\(invitation.people.isEmpty ? .empty : picker)
                <button class="approve" type="submit" name="\(DecideLink.decision)" \
                value="\(DecideLink.Choice.approve.rawValue)" aria-describedby="warning">\
                \(invitation.goesOnHere ? asking.goOn : asking.approve)</button>
                <button class="deny" type="submit" name="\(DecideLink.decision)" \
                value="\(DecideLink.Choice.deny.rawValue)" formnovalidate>\(asking.deny)</button>
                </form>
                """, language: texts.locale, showsTimes: true
        ).document
    }

    private func time(_ moment: Timestamp) -> ReadableTime { ReadableTime(moment, in: texts.locale) }

    /// No other browser is waiting if the person continues in this one.
    private var waiting: HTML {
        invitation.goesOnHere ? .empty : "<div><dt>\(texts.asking.startedIn)</dt><dd>\(browser)</dd></div>\n"
    }

    private var consequence: HTML {
        texts.filled(invitation.goesOnHere ? texts.asking.warningHere : texts.asking.warning)
    }

    private var browser: HTML {
        guard let name = invitation.browser else { return "\(texts.asking.unknownBrowser)" }
        guard let (browser, system) = BrowserName.parts(of: name) else { return isolated(name) }
        return texts.filled(texts.asking.browserOn, [("browser", isolated(browser)), ("system", isolated(system))])
    }

    private func isolated(_ name: String) -> HTML {
        "<bdi>\(SanitizedDisplayName(name, orElse: texts.asking.unknownBrowser).text)</bdi>"
    }

    /// Replaces the page of a provider, where people would sign in themselves.
    private var picker: HTML {
        let options = invitation.people.map { person -> HTML in
            "<option value=\"\(person.number.e164)\">\(person.name), \(person.email?.text ?? person.number.e164)</option>"
        }
        return """
            <div class="code">
            <label for="\(DecideLink.person)">\(texts.played.signInAs)</label>
            <p class="help">\(texts.played.explanation)</p>
            <select id="\(DecideLink.person)" name="\(DecideLink.person)" required>\(HTML(trusted: options.map(\.text).joined()))</select>
            </div>

            """
    }

    /// `required` lets the browser show its own message when the field is empty. The server alone checks the form, and
    /// the page shows its error.
    private var codeInput: HTML {
        """
        <div class="code\(asksAgain ? " wrong" : "")">
        <label for="\(Self.codeField)">\(texts.code.label)</label>
        <p class="help" id="\(Self.help)">\(texts.code.help)</p>
        \(asksAgain ? message : .empty)
        <input id="\(Self.codeField)" name="\(Self.codeField)" type="text" inputmode="numeric" maxlength="2" size="2" \
        dir="ltr" autocomplete="off" autocapitalize="off" spellcheck="false" required \(inputState)>
        </div>
        """
    }

    private var message: HTML {
        """
        <p class="error" id="\(Self.error)"><span class="hidden">\(texts.code.error) </span>\(texts.code.mistake)</p>
        """
    }

    /// Screen readers read the help with the input. It has the focus when there is something to correct.
    private var inputState: HTML {
        asksAgain
            ? "aria-describedby=\"\(Self.error) \(Self.help)\" aria-invalid=\"true\" autofocus"
            : "aria-describedby=\"\(Self.help)\""
    }
}
