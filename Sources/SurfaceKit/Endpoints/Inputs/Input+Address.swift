package import Text

extension Input {
    /// The address of a person's device, stated by a backend: plain, with a port, or in brackets. It only determines
    /// the address under which a message is counted, so a text without an address (`unknown`) counts as absent.
    package static func addressHint() -> Input where Value == IPAddress {
        Input(Schema.text()) { (fields, name) throws(FieldDefect) in
            try fields.text(name, .any).flatMap { IPAddress(hint: $0) }
        }
    }
}
