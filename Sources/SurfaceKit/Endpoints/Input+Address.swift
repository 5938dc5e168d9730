package import Text

extension Input {
    /// The address of a person's device, as a backend names it: plain, with a port, or in brackets. It only decides under which
    /// address a message counts, so a text that names none (`unknown`) counts as absent.
    package static func addressHint() -> Input where Value == IPAddress {
        Input(Schema.text()) { (fields, name) throws(FieldDefect) in
            try fields.text(name, .any).flatMap { IPAddress(hint: $0) }
        }
    }
}
