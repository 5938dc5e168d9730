@testable import PhoneNumbers
@testable import Possession

extension FuzzTarget {
    /// Templates of messages.
    static let template = FuzzTarget("template", maxBytes: 1024) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        wording(text, bytes)
        let holdsLink = LinkFinder.holdsLink(String(text.unicodeScalars.prefix(MessageTemplate.maxCharacters)))
        guard let template = try? MessageTemplate(text) else { return }
        require(!holdsLink, "a template has no link")
        require(template.text.utf8.elementsEqual(text.withLineFeeds.utf8), "a template is its text, line ends apart")
        require(Policy.Code.lengths.contains(template.placeholderLength), "a run of its length")
        let code = String(repeating: "7", count: template.placeholderLength)
        let filled = template.filled(with: code)
        require(filled.utf8.count == template.text.utf8.count, "a code takes the place of the run")
        require(!filled.utf8.contains(UInt8(ascii: "#")), "all of it")
        let run = Array(template.text.utf8).firstIndex(of: UInt8(ascii: "#")) ?? 0
        require(filled.utf8.dropFirst(run).starts(with: code.utf8), "the code stands where the run was")
        // In capitals or not, a link is a link.
        let capitals = String(decoding: bytes.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
        require((try? MessageTemplate(capitals)) != nil, "the same in capitals")
    }

    /// The operator's texts, parts of an SMS, and language tags: of the same bytes.
    private static func wording(_ text: String, _ bytes: [UInt8]) {
        let parts = MessageParts(text)
        require((parts.foreign == nil) == (parts.alphabet == .gsm7), "one foreign character is enough")
        require(parts.count >= 1, "a message is one part or more")
        require(parts.count == 1 || parts.units > parts.alphabet.single, "what fits one message is one")
        let room = parts.count == 1 ? parts.alphabet.single : parts.alphabet.part
        require(parts.units <= parts.count * room, "the parts hold the text")
        // No character takes more than two units, so a part leaves one free at most.
        require(parts.count == 1 || parts.units > (parts.count - 1) * (room - 1), "and no part is empty")
        if let tag = LanguageTag(text) {
            require(LanguageTag(tag.text) == tag, "a tag is written in one way")
            require(tag.andShorter.first == tag, "a look-up begins with the tag")
            require(tag.andShorter.allSatisfy { $0.text.utf8.count <= LanguageTag.maxBytes }, "and gets shorter")
        }
        if let languages = Languages(text: text) {
            require(Languages(text: languages.text) == languages, "languages come back")
        }
        for purpose in MessageCatalog.Purpose.allCases {
            guard let message = try? MessageText(text, for: purpose, over: .sms) else { continue }
            let values = MessageText.Values(secret: "{SECRET}", brand: "", minutes: 1)
            let filled = message.filled(with: values)
            require(filled.utf8.count { $0 == UInt8(ascii: "{") } == 1, "every placeholder is filled")
            require(!message.plainText.utf8.contains(UInt8(ascii: "{")), "no brace is left")
        }
    }

    /// Phone numbers: the first byte says whose national form is understood.
    static let phone = FuzzTarget("phone", maxBytes: 80) { bytes in
        var choices = Choices(bytes)
        let plan = plans[choices.number(below: plans.count)]
        let text = choices.text()
        if let dialled = plan.dialledAbroad(text) {
            require(text.utf8.allSatisfy { (0x30...0x39).contains($0) }, "digits alone are dialled")
            require(plan.read(dialled.e164)?.number == dialled, "a number that is dialled is one that can be read")
            require(plan.read(text)?.number != dialled, "and no number that a backend may write so")
        }
        guard let reading = plan.read(text) else {
            require(plan.number(text) == nil && plan.planned(text) == nil, "what cannot be read is no number")
            return
        }
        let number = reading.number
        require(PhoneNumber(e164: number.e164) == number, "E.164")
        let again = plan.read(number.e164)
        require(again?.number == number, "what was read is read again as the same")
        require(again?.isValid == reading.isValid, "and is as valid")
        require((plan.number(text) != nil) == reading.isValid, "a number is a valid one")
        require(!number.description.utf8.elementsEqual(number.e164.utf8), "a description hides digits")
        require(number.masked.utf8.count == number.e164.utf8.count, "a star for a digit")
        require((1...3).contains(number.callingCode.utf8.count), "a calling code")
    }

    private static let plans = ["US", "DE", "GB", "IT", "BR", "AR", "MX", "CI"].map { region in
        guard let plan = try? NumberingPlan(defaultRegion: region) else { fatalError("there is no region \(region)") }
        return plan
    }
}
