internal import StrictJSON

extension Input {
    /// Objects with their own members. A defect in one names its position.
    package static func list<Element>(of shape: Shape<Element>, most: Int) -> Input where Value == [Element] {
        list(shape.schema, most: most) { (item, place) throws(FieldDefect) in
            guard let object = item.object else { throw FieldDefect(place, "must be an object") }
            do throws(FieldDefect) { return try shape.read(FieldReader(object)) } catch {
                throw FieldDefect("\(place).\(error.field)", error.reason)
            }
        }
    }

    /// Texts that are not empty.
    package static func list(of rule: TextRule, most: Int) -> Input where Value == [String] {
        list(rule.schema.filled, most: most) { (item, place) throws(FieldDefect) in
            guard let text = item.string else { throw FieldDefect(place, "must be a string") }
            guard !text.utf8.isEmpty else { throw FieldDefect(place, "is empty") }
            if let defect = rule.defect(of: text) { throw FieldDefect(place, defect) }
            return text
        }
    }

    private static func list<Element>(
        _ element: @escaping @autoclosure @Sendable () -> Schema, most: Int,
        _ read: @escaping @Sendable (_ item: JSONValue, _ place: String) throws(FieldDefect) -> Element
    ) -> Input where Value == [Element] {
        Input(Schema.list(of: element()).with("maxItems", .integer(Int64(most)))) {
            (fields, name) throws(FieldDefect) in
            guard let items = try fields.array(name) else { return nil }
            guard items.count <= most else { throw FieldDefect(name, "has more than \(most) entries") }
            var values: [Element] = []
            values.reserveCapacity(items.count)
            for (index, item) in items.enumerated() { values.append(try read(item, "\(name)[\(index)]")) }
            return values
        }
    }
}
