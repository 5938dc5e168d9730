package import Text

/// The texts of messages: by what they are for, over which channel, in which language, and for which country.
///
///     let found = catalog.text(.code, over: .sms, to: "AT", for: [LanguageTag("de-AT")])
///
/// A country that has texts of its own for a purpose and channel gets no others: there operators let only registered
/// texts pass. A channel that has no texts for a purpose uses those of SMS.
package struct MessageCatalog: Sendable, Equatable {
    package enum Purpose: String, Sendable, CaseIterable { case code, link }

    /// By the names of `OutgoingMessage.Channel`.
    package enum Channel: String, Sendable, CaseIterable {
        case sms, voice, whatsapp, viber, email

        /// One that has no texts of its own is worded as an SMS.
        package init(_ channel: OutgoingMessage.Channel) {
            self = .spelled(channel.rawValue) ?? .sms
        }
    }

    package struct Entry: Sendable, Equatable {
        package let purpose: Purpose
        package let channel: Channel
        /// At least one.
        package let locales: [LanguageTag]
        /// ISO 3166-1, two capital letters; `nil`: for every country without texts of its own.
        package let country: String?
        package let text: MessageText
        /// The subject of an e-mail; `nil`: the program's own.
        package let subject: MessageText?
        /// Instead of the country's.
        package let sender: String?
        /// ID of a text that is registered (DLT, 10DLC campaigns, WhatsApp). It goes out as it is: no line is added.
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

    /// Sender and company that are registered for a country.
    package struct Registration: Sendable, Equatable {
        package let sender: String?
        /// ID of the company, as DLT numbers it.
        package let entityID: String?

        package init(sender: String? = nil, entityID: String? = nil) {
            self.sender = sender
            self.entityID = entityID
        }
    }

    /// Defect of the catalog as a whole. The place is that of an entry, `nil` for the catalog itself.
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
    /// Texts that a call names, by their ids.
    package let templates: [ByteText: CallTemplates]
    private let groups: [Group: [LanguageTag: Int]]

    private struct Group: Sendable, Hashable {
        let purpose: Purpose
        let channel: Channel
        let country: ByteText?
    }

    /// - Throws: every text that is there twice, and every one of the default language that is missing.
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
        /// In which of its languages.
        package let locale: LanguageTag
    }

    /// - Parameters:
    ///   - country: of the number, ISO 3166-1.
    ///   - languages: the preferred one first. The longest part of a tag that has a text counts, before the next tag.
    /// - Returns: `nil` only where the catalog has no texts at all.
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
                // Registered in another language only.
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

    /// Sender that a message with an entry's text goes out with.
    package func sender(of entry: Entry?, to country: String?) -> MessageSender {
        let registration = country.flatMap { countries[ByteText($0)] }
        return MessageSender(
            sender: entry?.sender ?? registration?.sender, entityID: registration?.entityID,
            templateID: entry?.templateID)
    }

    // MARK: The program's own

    /// The subject of an e-mail whose text has none. It says nothing of the code, since subjects stand in logs of mail
    /// servers.
    static let standardSubject = MessageText(trusted: "Your verification")

    /// English, for a server that has no file of texts. They name no brand.
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

/// Under which name and registration a message goes out; what is not set is up to the gateway.
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

/// The texts in use, and whom they name where a tenant has no name.
package struct MessageTexts: Sendable, Equatable {
    package let catalog: MessageCatalog
    /// Empty only where no text of the catalog names one.
    package let brand: String
    /// Whether an SMS has look-alikes of the characters that GSM-7 lacks.
    package let hasLookalikes: Bool

    package init(catalog: MessageCatalog, brand: String, hasLookalikes: Bool = false) {
        self.catalog = catalog
        self.brand = brand
        self.hasLookalikes = hasLookalikes
    }

    package static let english = MessageTexts(catalog: .english, brand: "")
}
