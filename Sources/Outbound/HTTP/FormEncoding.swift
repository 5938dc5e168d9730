internal import Text

/// Query and form parameters (`application/x-www-form-urlencoded`), encoded so that all readers agree: a blank is
/// `%20`.
enum FormEncoding {
    static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
    }
}
