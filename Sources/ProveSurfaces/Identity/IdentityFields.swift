internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Text
internal import SurfaceKit

extension TextRule {
    static let attributeName = freeText(Identity.Limit.attributeNameCharacters)
    static let attributeValue = freeText(Identity.Limit.attributeValueCharacters)
    static let userAgent = freeText(512)
}

extension FieldReader {
    /// The elements of an array that must be there, 1 to `most`.
    func requiredItems(_ name: String, most: Int) throws(FieldDefect) -> [JSONValue] {
        guard let items = try array(name) else { throw .missing(name) }
        guard !items.isEmpty else { throw FieldDefect(name, "is empty") }
        guard items.count <= most else { throw FieldDefect(name, "has more than \(most) entries") }
        return items
    }

    /// `[{"attributeType":"loyaltyTier","attributeValue":"gold"}]`, each type once; empty without.
    func attributes(_ name: String) throws(FieldDefect) -> [IdentityAttribute] {
        let items = try array(name) ?? []
        guard items.count <= Identity.Limit.attributes else {
            throw FieldDefect(name, "has more than \(Identity.Limit.attributes) entries")
        }
        var attributes: [IdentityAttribute] = []
        for (index, item) in items.enumerated() {
            let place = "\(name)[\(index)]"
            guard let object = item.object else { throw FieldDefect(place, "must be an object") }
            let members = FieldReader(object)
            do throws(FieldDefect) {
                attributes.append(
                    IdentityAttribute(
                        name: try members.requiredText("attributeType", .attributeName),
                        value: try members.requiredText("attributeValue", .attributeValue)))
            } catch {
                throw FieldDefect("\(place).\(error.field)", error.reason)
            }
        }
        guard [].merging(attributes).count == attributes.count else {
            throw FieldDefect(name, "has one attributeType twice")
        }
        return attributes
    }

    /// The scopes of a link; empty without.
    func scopes(_ name: String) throws(FieldDefect) -> [String] {
        let items = try array(name) ?? []
        let most = DomainLink.Limit.scopes
        guard items.count <= most else { throw FieldDefect(name, "has more than \(most) entries") }
        let rule = TextRule.freeText(DomainLink.Limit.scopeCharacters)
        var words: [String] = []
        for (index, item) in items.enumerated() {
            let place = "\(name)[\(index)]"
            guard let word = item.string else { throw FieldDefect(place, "must be a string") }
            guard !word.isEmpty else { throw FieldDefect(place, "is empty") }
            if let defect = rule.defect(of: word) { throw FieldDefect(place, defect) }
            words.append(word)
        }
        return words
    }

    /// An identifier that must be there; an empty one counts as missing.
    func requiredIdentifier<ID: Identifier>(_ name: String, _ type: ID.Type) throws(FieldDefect) -> ID {
        let text = try requiredText(name, .any)
        guard let id = ID(text) else { throw FieldDefect(name, "must be a UUID") }
        return id
    }
}

/// What stands in the path or behind the question mark. An empty value counts as absent.
struct QueryReader: Sendable {
    let request: Request

    init(_ request: Request) {
        self.request = request
    }

    func text(_ name: String, _ rule: TextRule) throws(FieldDefect) -> String? {
        guard let text = request.query(name), !text.isEmpty else { return nil }
        if let defect = rule.defect(of: text) { throw FieldDefect(name, defect) }
        return text
    }

    func requiredText(_ name: String, _ rule: TextRule) throws(FieldDefect) -> String {
        guard let text = try text(name, rule) else { throw .missing(name) }
        return text
    }

    func identifier<ID: Identifier>(_ name: String, _ type: ID.Type) throws(FieldDefect) -> ID? {
        guard let text = try text(name, .any) else { return nil }
        guard let id = ID(text) else { throw FieldDefect(name, "must be a UUID") }
        return id
    }

    func flag(_ name: String) throws(FieldDefect) -> Bool? {
        guard let text = try text(name, .any) else { return nil }
        // In any case: Python writes True.
        let word = text.utf8.prefix(6).map { (65...90).contains($0) ? $0 + 32 : $0 }
        if word.elementsEqual("true".utf8) { return true }
        guard word.elementsEqual("false".utf8) else { throw FieldDefect(name, "must be true or false") }
        return false
    }

    func wholeNumber(_ name: String, in range: ClosedRange<Int>) throws(FieldDefect) -> Int? {
        guard let text = try text(name, .any) else { return nil }
        let isDecimal = text.utf8.count <= 18 && text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
        guard isDecimal, let number = Int(text), range.contains(number) else {
            throw FieldDefect(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The caller's own name of the call, which these calls check and do not answer.
    func checkRequestID() throws(FieldDefect) {
        _ = try text("clientRequestId", .reference)
    }

    /// The identity that the path names. What is no identifier names none.
    func identity(_ parameter: String) throws(PlatformError) -> HolderID {
        guard let id = HolderID(request.parameters[parameter] ?? "") else { throw .notFound(what: "identity") }
        return id
    }
}
