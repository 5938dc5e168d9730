internal import Possession
internal import StrictJSON
internal import Text

extension SettingForm<Configuration.Identity.Credentials> {
    private static var mostKeys: Int { 16 }

    static var credentials: Self {
        Self(
            form: .list, read: { read($0, &$1) },
            print: { credentials in
                let entries = credentials.keys.map { key in
                    key.names.map { $0 + (credentials.kinds[$0].map { ":" + $0.rawValue } ?? "") }
                        .joined(separator: "+")
                }
                return entries.isEmpty ? nil : .array(entries.map { .string($0) })
            })
    }

    /// Each entry is a key: names joined by `+`. A name may be followed by its kind: `email:address`.
    private static func read(_ key: ConfigurationKey, _ reader: inout ConfigurationReader) -> Value {
        let entries = reader.list(key)
        guard entries.count <= mostKeys else {
            reader.refuse(key, "has more than \(mostKeys) entries")
            return Value()
        }
        var credentials = Value()
        for entry in entries {
            let parts = entry.utf8.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false).map { part in
                part.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
                    .map { String(decoding: $0, as: UTF8.self) }
            }
            let declared = parts.map { (name: $0[0], kind: $0.count == 2 ? CredentialKind.spelled($0[1]) : nil) }
            guard zip(parts, declared).allSatisfy({ $0.count == 1 || $1.kind != nil }) else {
                let words = CredentialKind.allCases.map(\.rawValue).joined(separator: " or ")
                reader.refuse(key, "the entry '\(entry)' must have \(words) behind a colon")
                continue
            }
            guard let names = IdentificationKey(declared.map { $0.name }) else {
                reader.refuse(
                    key,
                    "the entry '\(entry)' must be 1 to \(IdentificationKey.mostNames) names with + between them, each "
                        + "once and of at most \(Identification.longestName) bytes")
                continue
            }
            guard !credentials.keys.contains(names) else {
                reader.refuse(key, "the entry '\(entry)' has the names of an earlier one")
                continue
            }
            let known = credentials.keys.flatMap(\.names)
            if let other = declared.first(where: { part in
                known.contains { $0.isSame(as: part.name) } && credentials.kinds[part.name] != part.kind
            }) {
                reader.refuse(
                    key, "the entry '\(entry)' declares '\(other.name)' otherwise than an earlier one")
                continue
            }
            credentials.keys.append(names)
            for part in declared { credentials.kinds[part.name] = part.kind }
        }
        return credentials
    }
}
