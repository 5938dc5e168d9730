/// Converts md4c's HTML in one pass: gives headings the same anchors as GitHub, changes links to the URLs of the site,
/// and collects the text of each section.
///
/// md4c writes each element in the same form: names in lower case, attributes in double quotes, no raw HTML from the
/// source.
struct RenderedMarkdown {
    private let input: [UInt8]
    private let address: (String) -> String?
    private var place = 0
    private(set) var output: [UInt8] = []
    private(set) var sections: [Markdown.Section] = []
    private(set) var lead = ""
    /// Text of the current section.
    private var text: [UInt8] = []
    /// Start of the current heading in `output`, and of the first paragraph in `text`; `nil`: neither is being read.
    private var headingStart: Int?
    private var leadStart: Int?
    /// Whether each open link has a target, on this site or another.
    private var links: [Bool] = []

    init(_ input: [UInt8], address: @escaping (String) -> String?) {
        self.input = input
        self.address = address
        output.reserveCapacity(input.count + input.count / 8)
    }

    mutating func readAll() {
        while place < input.count {
            if input[place] == UInt8(ascii: "<") { readTag() } else { readText() }
        }
        endSection()
    }

    private mutating func readText() {
        let end = input[place...].firstIndex(of: UInt8(ascii: "<")) ?? input.count
        output += input[place..<end]
        text += input[place..<end]
        place = end
    }

    private mutating func readTag() {
        let end = input[place...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? input.count
        let tag = String(decoding: input[place..<end], as: UTF8.self)
        place = end
        if let level = Self.level(ofHeading: tag) {
            tag.hasPrefix("</") ? endHeading(level) : startHeading()
        } else if let link = Self.value(of: "href", in: tag) {
            startLink(link)
        } else if tag == "</a>" {
            if links.popLast() ?? false { append(tag) }
        } else if let source = Self.value(of: "src", in: tag) {
            append(address(source).map { tag.replacing(source, with: $0) } ?? "")
        } else {
            markLead(tag)
            append(isEmptyHeader(tag) ? "<td>" : tag == "</th>" && isAfterEmptyHeader ? "</td>" : tag)
            // Separates the words of two cells or two lines.
            if !Self.isInline(tag) { text.append(UInt8(ascii: " ")) }
        }
    }

    /// The empty corner cell of a table is not a header.
    private func isEmptyHeader(_ tag: String) -> Bool {
        tag.hasPrefix("<th")
            && tag.utf8.dropFirst(3).first.map { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: " ") } == true
            && input[place...].starts(with: "</th>".utf8)
    }

    private var isAfterEmptyHeader: Bool { output.suffix(4).elementsEqual("<td>".utf8) }

    /// The first paragraph below the title is the lead.
    private mutating func markLead(_ tag: String) {
        if tag == "<p>", sections.count == 1, lead.isEmpty { leadStart = text.count }
        if tag == "</p>", let start = leadStart {
            lead = Self.words(text[start...])
            leadStart = nil
        }
    }

    private mutating func startLink(_ link: String) {
        let isElsewhere = link.hasPrefix("http:") || link.hasPrefix("https:")
        let target = isElsewhere ? link : address(link)
        links.append(target != nil)
        if let target { append("<a href=\"\(target)\">") }
    }

    // MARK: Sections

    private mutating func startHeading() {
        endSection()
        headingStart = output.count
    }

    private mutating func endHeading(_ level: Int) {
        guard let start = headingStart else { return }
        headingStart = nil
        let heading = Self.words(text[...])
        let anchor = unusedAnchor(Self.anchor(of: heading))
        let content = Array(output[start...])
        output.removeSubrange(start...)
        append("<h\(level) id=\"\(anchor)\">")
        output += content
        append("</h\(level)>")
        text = []
        sections.append(Markdown.Section(anchor: anchor, heading: heading, level: level, text: ""))
    }

    private mutating func endSection() {
        if !sections.isEmpty { sections[sections.count - 1].text = Self.words(text[...]) }
        text = []
    }

    private func unusedAnchor(_ anchor: String) -> String {
        var (name, number) = (anchor, 0)
        while sections.contains(where: { $0.anchor == name }) {
            number += 1
            name = "\(anchor)-\(number)"
        }
        return name
    }

    /// In the form of GitHub: lower case, only letters, digits, `_` and `-`, and a `-` for each blank.
    static func anchor(of heading: String) -> String {
        String(
            heading.lowercased().compactMap { sign -> Character? in
                sign == " " ? "-" : sign.isLetter || sign.isNumber || sign == "_" || sign == "-" ? sign : nil
            })
    }

    private mutating func append(_ markup: String) { output += markup.utf8 }

    /// Decodes the entities that md4c writes, and replaces each run of white space by one blank.
    private static func words(_ bytes: ArraySlice<UInt8>) -> String {
        var text = String(decoding: bytes, as: UTF8.self)
        for (entity, sign) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
            text = text.replacing(entity, with: sign)
        }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    // MARK: Tags

    private static func isInline(_ tag: String) -> Bool {
        let name = tag.drop { $0 == "<" || $0 == "/" }.prefix { $0.isLetter }
        return ["code", "em", "strong", "del"].contains(String(name))
    }

    /// 1 to 6, for `<h2>` and `</h2>`.
    private static func level(ofHeading tag: String) -> Int? {
        let name = tag.utf8.drop { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "/") }
        guard name.count == 3, name.first == UInt8(ascii: "h"), let digit = name.dropFirst().first,
            (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(digit)
        else { return nil }
        return Int(digit - UInt8(ascii: "0"))
    }

    private static func value(of attribute: String, in tag: String) -> String? {
        guard let start = tag.firstRange(of: " \(attribute)=\"")?.upperBound,
            let end = tag[start...].firstIndex(of: "\"")
        else { return nil }
        return String(tag[start..<end])
    }
}
