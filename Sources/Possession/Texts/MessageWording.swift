/// Makes the text of a session's message: the tenant's own text, else one of the catalog in the person's language.
package struct MessageWording {
    struct Worded {
        let text: String
        /// The subject of an e-mail.
        var subject: String?
        /// `nil`: it is the tenant's own text.
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
    ///   - rules: the rules of the session's tenant; `nil`: they cannot be read.
    ///   - country: the number's country, ISO 3166-1.
    ///   - linkURL: the part of links before `/l/`.
    ///   - ownHost: the host in the last line, if the tenant has none of its own.
    ///   - carriedLink: the token of a link below the code.
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

    /// The URL of an instant link.
    package static func link(_ token: String, below linkURL: String) -> String { "\(linkURL)/l/\(token)" }

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
            // Every catalog has its default texts, so this is not expected.
            return Worded(text: secret + lastLine(), subject: subject, locale: nil, sender: MessageSender())
        }
        let text = heard(found.entry.text.filled(with: values), isForVoice: found.entry.channel == .voice)
        // A registered text is sent unchanged.
        return Worded(
            text: found.entry.templateID == nil ? plain(text) + lastLine() : text, subject: subject,
            locale: found.locale,
            sender: texts.catalog.sender(of: found.entry, to: country))
    }

    private func plain(_ text: String) -> String {
        channel == .sms && texts.hasLookalikes ? GSMAlphabet.lookalikes(of: text) : text
    }

    // MARK: Voice

    /// Voice calls speak the text twice, because the person cannot read it again. Texts that were written for voice are
    /// spoken once.
    private func heard(_ text: String, isForVoice: Bool) -> String {
        channel == .voice && !isForVoice ? "\(text) \(text)" : text
    }

    /// The digits one by one, as any voice reads them: `1, 2, 3, 4`.
    private static func spoken(_ digits: String) -> String {
        digits.utf8.map { String(decoding: [$0], as: UTF8.self) }.joined(separator: ", ")
    }

    // MARK: The last line

    /// Starts with a line break. Empty for voice, because a spoken link cannot be opened.
    private var linkLine: String {
        guard let carriedLink, channel != .voice else { return "" }
        return "\n" + link(carriedLink)
    }

    /// The machine-readable last line by platform: origin-bound for web and iOS, the app hash for Android (client
    /// protocol 3.6). It names only apps and pages that the tenant registered, because any other could be a stranger's
    /// and would read the code.
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

    /// Starts with a line break; `nil` if browsers would not read the line: it is longer than 140 characters.
    static func lastLine(_ host: String, _ code: String) -> String? {
        let line = "@\(host) #\(code)"
        return line.utf8.count <= maxLastLineBytes ? "\n" + line : nil
    }

    static let maxLastLineBytes = 140
}
