package import Text

/// The texts of messages by purpose, channel, language and country.
///
///     let found = catalog.text(.code, over: .sms, to: "AT", for: [LanguageTag("de-AT")])
///
/// If a country has its own texts for a purpose and channel, only those are used, because operators there accept only
/// registered texts. A channel without texts for a purpose uses those of SMS.
package struct MessageCatalog: Sendable, Equatable {
    package enum Purpose: String, Sendable, CaseIterable { case code, link }

    /// Named as in `OutgoingMessage.Channel`.
    package enum Channel: String, Sendable, CaseIterable {
        case sms, voice, whatsapp, viber, email

        /// A channel without its own case uses the texts of SMS.
        package init(_ channel: OutgoingMessage.Channel) {
            self = .spelled(channel.rawValue) ?? .sms
        }
    }

    package struct Entry: Sendable, Equatable {
        package let purpose: Purpose
        package let channel: Channel
        /// At least one.
        package let locales: [LanguageTag]
        /// ISO 3166-1, two capital letters; `nil`: every country without its own texts.
        package let country: String?
        package let text: MessageText
        /// The subject of an e-mail; `nil`: the standard subject.
        package let subject: MessageText?
        /// Replaces the country's sender.
        package let sender: String?
        /// ID of a registered text (DLT, 10DLC campaigns, WhatsApp). It is sent unchanged: no line is added.
        package let templateID: String?

        package init(
            purpose: Purpose, channel: Channel, locales: [LanguageTag], country: String? = nil, text: MessageText,
            subject: MessageText? = nil, sender: String? = nil, templateID: String? = nil
        ) {
            self.purpose = purpose
            self.channel = channel
            self.locales = locales
            self.country = country
            self.text = text
            self.subject = subject
            self.sender = sender
            self.templateID = templateID
        }
    }

    /// Sender and company registered in a country.
    package struct Registration: Sendable, Equatable {
        package let sender: String?
        /// The company's DLT id.
        package let entityID: String?

        package init(sender: String? = nil, entityID: String? = nil) {
            self.sender = sender
            self.entityID = entityID
        }
    }

    /// A mistake in the catalog as a whole. `entry` is the index of an entry, or `nil` for the catalog itself.
    package struct Defect: Error, Sendable, Equatable {
        package let entry: Int?
        package let reason: String
    }

    package struct Defects: Error, Sendable, Equatable {
        package let all: [Defect]
    }

    package let defaultLocale: LanguageTag
    package let entries: [Entry]
    /// By region.
    package let countries: [ByteText: Registration]
    /// Texts that a call selects, by their ids.
    package let templates: [ByteText: CallTemplates]
    private let groups: [Group: [LanguageTag: Int]]

    private struct Group: Sendable, Hashable {
        let purpose: Purpose
        let channel: Channel
        let country: ByteText?
    }

    /// - Throws: every duplicate text, and every missing text of the default language.
    package init(
        defaultLocale: LanguageTag, entries: [Entry], countries: [ByteText: Registration] = [:],
        templates: [ByteText: CallTemplates] = [:]
    ) throws(Defects) {
        var defects: [Defect] = []
        var groups: [Group: [LanguageTag: Int]] = [:]
        for (index, entry) in entries.enumerated() {
            let group = Group(
                purpose: entry.purpose, channel: entry.channel, country: entry.country.map { ByteText($0) })
            for locale in entry.locales {
                if let other = groups[group]?[locale] {
                    defects.append(Defect(entry: index, reason: "is for \(locale), as texts[\(other)] is already"))
                } else {
                    groups[group, default: [:]][locale] = index
                }
            }
        }
        for purpose in Purpose.allCases {
            for channel in Channel.allCases {
                let texts = groups[Group(purpose: purpose, channel: channel, country: nil)]
                guard channel == .sms || texts != nil else { continue }
                if texts?[defaultLocale] == nil {
                    let what = "\(purpose.rawValue) over \(channel.rawValue)"
                    defects.append(
                        Defect(entry: nil, reason: "has no text for \(what) in the default language \(defaultLocale)"))
                }
            }
        }
        guard defects.isEmpty else { throw Defects(all: defects) }
        self.init(trusted: defaultLocale, entries, countries, templates, groups)
    }

    private init(
        trusted defaultLocale: LanguageTag, _ entries: [Entry], _ countries: [ByteText: Registration],
        _ templates: [ByteText: CallTemplates], _ groups: [Group: [LanguageTag: Int]]
    ) {
        self.defaultLocale = defaultLocale
        self.entries = entries
        self.countries = countries
        self.templates = templates
        self.groups = groups
    }

    // MARK: Look-up

    /// The text for a message.
    package struct Found: Sendable {
        package let entry: Entry
        /// The language that was found.
        package let locale: LanguageTag
    }

    /// - Parameters:
    ///   - country: the number's country, ISO 3166-1.
    ///   - languages: the preferred one first. All shorter forms of a tag are tried before the next tag.
    /// - Returns: `nil` only if the catalog has no texts for the purpose.
    package func text(
        _ purpose: Purpose, over channel: Channel, to country: String?, for languages: [LanguageTag]
    ) -> Found? {
        let wanted = languages + [defaultLocale]
        let channels: [Channel] = channel == .sms ? [.sms] : [channel, .sms]
        for channel in channels {
            if let country,
                let texts = groups[Group(purpose: purpose, channel: channel, country: ByteText(country))]
            {
                if let found = found(wanted, in: texts) { return found }
                // Registered only in another language.
                guard let first = texts.values.min() else { continue }
                return Found(entry: entries[first], locale: entries[first].locales.first ?? defaultLocale)
            }
            if let texts = groups[Group(purpose: purpose, channel: channel, country: nil)],
                let found = found(wanted, in: texts)
            {
                return found
            }
        }
        return nil
    }

    private func found(_ wanted: [LanguageTag], in texts: [LanguageTag: Int]) -> Found? {
        LanguageTag.lookUp(wanted, in: texts).map { Found(entry: entries[$0.value], locale: $0.tag) }
    }

    /// Sender of a message with an entry's text.
    package func sender(of entry: Entry?, to country: String?) -> MessageSender {
        let registration = country.flatMap { countries[ByteText($0)] }
        return MessageSender(
            sender: entry?.sender ?? registration?.sender, entityID: registration?.entityID,
            templateID: entry?.templateID)
    }

    // MARK: Built-in texts

    /// The subject of an e-mail whose text has none. It does not contain the code, because mail servers log subjects.
    /// servers.
    static let standardSubject = MessageText(trusted: "Your verification")

    /// English texts for a server without a file of texts. They contain no brand.
    package static let english: MessageCatalog = {
        let locale = LanguageTag.english
        let texts: [(Purpose, Channel, String)] = [
            (.code, .sms, "Your verification code is {code}. Do not share it with anyone; we will never ask for it."),
            (.code, .voice, "Hello. Your code is: {code}. Once more: {code}. Do not share it with anyone."),
            (.code, .email, "Your verification code is {code}. If you have not asked for it, ignore this message."),
            (.link, .sms, "Open this link to complete your verification, if you have asked for it: {link}"),
        ]
        var groups: [Group: [LanguageTag: Int]] = [:]
        var entries: [Entry] = []
        for (purpose, channel, text) in texts {
            groups[Group(purpose: purpose, channel: channel, country: nil)] = [locale: entries.count]
            entries.append(
                Entry(purpose: purpose, channel: channel, locales: [locale], text: MessageText(trusted: text)))
        }
        return MessageCatalog(trusted: locale, entries, [:], [:], groups)
    }()
}

/// Name and registration of a message's sender. The gateway decides values that are not set.
package struct MessageSender: Sendable, Equatable {
    package var sender: String?
    package var entityID: String?
    package var templateID: String?

    package init(sender: String? = nil, entityID: String? = nil, templateID: String? = nil) {
        self.sender = sender
        self.entityID = entityID
        self.templateID = templateID
    }
}

/// The current texts, and the brand for tenants without a name.
package struct MessageTexts: Sendable, Equatable {
    package let catalog: MessageCatalog
    /// Empty only if no text of the catalog contains a brand.
    package let brand: String
    /// Whether characters that GSM-7 lacks are replaced by look-alikes in an SMS.
    package let hasLookalikes: Bool

    package init(catalog: MessageCatalog, brand: String, hasLookalikes: Bool = false) {
        self.catalog = catalog
        self.brand = brand
        self.hasLookalikes = hasLookalikes
    }

    package static let english = MessageTexts(catalog: .english, brand: "")
}
