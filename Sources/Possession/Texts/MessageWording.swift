/// Words a message of a session: in the tenant's own text, else in one of the catalog, in the person's language.
struct MessageWording {
    struct Worded {
        let text: String
        /// The subject of an e-mail.
        var subject: String?
        /// `nil`: the tenant's own text.
        let locale: LanguageTag?
        let sender: MessageSender
    }

    private let texts: MessageTexts
    private let session: Session
    private let rules: TenantRules?
    private let channel: MessageCatalog.Channel
    private let country: String?
    private let linkURL: String
    private let ownHost: String?
    private let carriedLink: String?

    /// - Parameters:
    ///   - rules: of the session's tenant; `nil`: they cannot be read.
    ///   - country: of the number, ISO 3166-1.
    ///   - linkURL: what stands before `/l/`.
    ///   - ownHost: of the last line, where the tenant has none of its own.
    ///   - carriedLink: the token of a link that stands below the code.
    init(
        _ texts: MessageTexts, _ session: Session, _ rules: TenantRules?, over channel: MessageCatalog.Channel,
        to country: String?, linkURL: String, ownHost: String?, carriedLink: String? = nil
    ) {
        self.texts = texts
        self.session = session
        self.rules = rules
        self.channel = channel
        self.country = country
        self.linkURL = linkURL
        self.ownHost = ownHost
        self.carriedLink = carriedLink
    }

    private func link(_ token: String) -> String { Self.link(token, below: linkURL) }

    /// The address of an instant link.
    static func link(_ token: String, below linkURL: String) -> String { "\(linkURL)/l/\(token)" }

    func words(of message: Session.PendingMessage) -> Worded {
        switch message.content {
        case .code(let code, _, _):
            let shown = channel == .voice ? Self.spoken(code.text) : code.text
            let seconds = session.request.policy.code.lifetimeSeconds
            return words(.code, own: session.request.template(for: .code), secret: shown, seconds: seconds) {
                linkLine + (channel == .sms ? lastLine(code) : "")
            }
        case .link(let token, _, _):
            let seconds = session.request.policy.link.lifetimeSeconds
            return words(.link, own: session.request.template(for: .link), secret: link(token), seconds: seconds) {
                ""
            }
        }
    }

    private func words(
        _ purpose: MessageCatalog.Purpose, own: MessageTemplate?, secret: String, seconds: Int,
        _ lastLine: () -> String
    ) -> Worded {
        let languages = session.wantedLanguages + (rules?.locale.map { [$0] } ?? [])
        let found = texts.catalog.text(purpose, over: channel, to: country, for: languages)
        let values = MessageText.Values(
            secret: secret, brand: session.request.options.brand?.name ?? rules?.displayName ?? texts.brand,
            minutes: max(1, seconds / 60))
        let subject =
            channel == .email ? (found?.entry.subject ?? MessageCatalog.standardSubject).filled(with: values) : nil
        if let own {
            return Worded(
                text: plain(heard(own.filled(with: secret), isForVoice: false)) + lastLine(), subject: subject,
                locale: nil,
                sender: texts.catalog.sender(of: nil, to: country))
        }
        guard let found else {
            // No catalog is without its default texts.
            return Worded(text: secret + lastLine(), subject: subject, locale: nil, sender: MessageSender())
        }
        let text = heard(found.entry.text.filled(with: values), isForVoice: found.entry.channel == .voice)
        // A registered text is sent to the letter.
        return Worded(
            text: found.entry.templateID == nil ? plain(text) + lastLine() : text, subject: subject,
            locale: found.locale,
            sender: texts.catalog.sender(of: found.entry, to: country))
    }

    private func plain(_ text: String) -> String {
        channel == .sms && texts.hasLookalikes ? GSMAlphabet.lookalikes(of: text) : text
    }

    // MARK: What is heard

    /// A person cannot look again at what was said: a text that was written to be read is said twice.
    private func heard(_ text: String, isForVoice: Bool) -> String {
        channel == .voice && !isForVoice ? "\(text) \(text)" : text
    }

    /// The digits one by one, as any voice reads them: `1, 2, 3, 4`.
    private static func spoken(_ digits: String) -> String {
        digits.utf8.map { String(decoding: [$0], as: UTF8.self) }.joined(separator: ", ")
    }

    // MARK: The last line

    /// With the line break before it. Nobody can open what a voice reads out.
    private var linkLine: String {
        guard let carriedLink, channel != .voice else { return "" }
        return "\n" + link(carriedLink)
    }

    /// The machine-readable last line by platform: origin-bound for web and iOS, the app hash for Android (client
    /// protocol 3.6). An app or a page that the tenant did not register would let anybody's read the code, so it is left out.
    private func lastLine(_ code: OTP) -> String {
        guard let declaration = session.declaration else { return "" }
        let reader = declaration.codeReader.flatMap {
            rules?.registers($0, on: declaration.platform) == true ? $0 : nil
        }
        switch declaration.platform {
        case .web, .ios: return (reader ?? rules?.messageHost ?? ownHost).flatMap { Self.lastLine($0, code.text) } ?? ""
        case .android: return reader.map { "\n\($0)" } ?? ""
        }
    }

    /// With the line break before it; `nil` for a line that browsers do not read: longer than 140 characters.
    static func lastLine(_ host: String, _ code: String) -> String? {
        let line = "@\(host) #\(code)"
        return line.utf8.count <= maxLastLineBytes ? "\n" + line : nil
    }

    static let maxLastLineBytes = 140
}
