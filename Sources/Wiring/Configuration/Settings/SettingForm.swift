internal import Outbound
internal import Possession
internal import PostgresStorage
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// How the values of a setting are written in the sources, read and printed.
struct SettingForm<Value: Sendable>: Sendable {
    let form: ConfigurationKey.Form
    /// The value from the sources; `nil`: there was a mistake, which the reader has recorded, or the text is empty and
    /// means none.
    let read: @Sendable (ConfigurationKey, inout ConfigurationReader) -> Value?
    /// The value in the form of the file; `nil`: there is nothing to print.
    let print: @Sendable (Value) -> JSONValue?

    var optional: SettingForm<Value?> {
        SettingForm<Value?>(form: form, read: { read($0, &$1).map { .some($0) } }, print: { $0.flatMap(print) })
    }

    /// The same form, refusing values in which `defect` finds a mistake.
    func refusing(_ defect: @escaping @Sendable (Value) -> String?) -> Self {
        Self(
            form: form,
            read: { key, reader in
                guard let value = read(key, &reader) else { return nil }
                guard let reason = defect(value) else { return value }
                reader.refuse(key, reason)
                return nil
            }, print: print)
    }

    /// The value in words.
    func words(_ value: Value) -> String {
        switch print(value) {
        case .string(let text): form == .list ? text.replacing(",", with: ", ") : text
        case let value?: String(decoding: value.serialized(), as: UTF8.self)
        case nil: "none"
        }
    }

    /// Texts separated by commas. An empty list is not printed.
    static func list(
        _ read: @escaping @Sendable (ConfigurationKey, inout ConfigurationReader) -> Value?,
        print: @escaping @Sendable (Value) -> [String]
    ) -> Self {
        Self(
            form: .list, read: read,
            print: {
                let entries = print($0)
                return entries.isEmpty ? nil : .string(entries.joined(separator: ","))
            })
    }
}

extension SettingForm<Int> {
    /// - Parameter unit: the member is the number in the file multiplied by this.
    static func integer(_ range: ClosedRange<Int>, times unit: Int = 1) -> Self {
        Self(form: .integer(range), read: { $1.integer($0).map { $0 * unit } }, print: { .integer(Int64($0 / unit)) })
    }
}

extension SettingForm<Bool> {
    static var flag: Self { Self(form: .flag, read: { $1.flag($0) }, print: { .bool($0) }) }

    /// One of two words.
    static func choice(no: String, yes: String) -> Self {
        Self(form: .choice([no, yes]), read: { $1.text($0).map { $0 == yes } }, print: { .string($0 ? yes : no) })
    }
}

extension SettingForm where Value: RawRepresentable<String> {
    static func choice(_ values: Value...) -> Self { choice(values) }

    static func choice(_ values: [Value]) -> Self {
        Self(
            form: .choice(values.map(\.rawValue)), read: { $1.text($0).flatMap(Value.init) },
            print: { .string($0.rawValue) })
    }
}

extension SettingForm<String> {
    static var text: Self { Self(form: .text, read: { $1.text($0) }, print: { .string($0) }) }

    static var path: Self { Self(form: .path, read: { $1.text($0) }, print: { .string($0) }) }

    /// A path without a slash at the end.
    static var directory: Self {
        Self(
            form: .path,
            read: { key, reader in
                guard var path = reader.text(key) else { return nil }
                while path.hasSuffix("/") && path.utf8.count > 1 { path.removeLast() }
                return path
            }, print: path.print)
    }

    /// Scheme and authority at which clients reach this server, in canonical form.
    static var serverURL: Self {
        Self(
            form: .text,
            read: { key, reader in
                guard let text = reader.text(key) else { return nil }
                guard let url = PublicURL.canonical(text) else {
                    reader.refuse(key, "must be http:// or https:// with host and optional port, and no path")
                    return nil
                }
                if reader.mode == .live, !PublicURL.isConfidential(url) {
                    reader.refuse(key, "must begin with https:// in live, unless the host is loopback")
                }
                return url
            }, print: text.print)
    }

    static var postgresURL: Self { text.refusing { PostgresAddress.defect(of: $0) } }

    static func choice(_ words: String...) -> Self {
        Self(form: .choice(words), read: { $1.text($0) }, print: { .string($0) })
    }
}

extension SettingForm<[String]> {
    static var list: Self { .list({ $1.list($0) }, print: { $0 }) }

    static var hostNames: Self { .list({ $1.hostNames($0) }, print: { $0 }) }

    /// Origins of web pages. Only a sandbox accepts origins with private addresses.
    static var origins: Self {
        .list(
            { key, reader in
                let origins = reader.list(key)
                let isLive = reader.mode == .live
                for origin in origins {
                    if WebOrigin.mayBeListed(origin) { continue }
                    if !isLive, PublicURL.canonical(origin) == origin, PublicURL.isPrivate(origin) { continue }
                    let places = isLive ? "loopback" : "loopback or a private address"
                    reader.refuse(
                        key,
                        "the entry '\(origin)' must be https:// and a host in lower case, http on \(places), or a web view's "
                            + "such as capacitor://localhost or http://tauri.localhost, without a path")
                }
                return origins
            }, print: { $0 })
    }
}

extension SettingForm<AddressRanges> {
    static var addressRanges: Self { ranges { $1.addressRanges($0) } }

    /// Ranges of trusted callers.
    static var trustedRanges: Self { ranges { $1.trustedRanges($0) } }

    private static func ranges(
        _ read: @escaping @Sendable (ConfigurationKey, inout ConfigurationReader) -> AddressRanges?
    ) -> Self { .list(read, print: { $0.ranges.map(\.text) }) }
}

extension SettingForm<Set<Int>> {
    static var ports: Self {
        .list(
            { key, reader in
                var ports: Set<Int> = []
                for entry in reader.list(key) {
                    if let port = Int(entry), (1...65_535).contains(port) {
                        ports.insert(port)
                    } else {
                        reader.refuse(key, "the entry '\(entry)' must be a number from 1 to 65535")
                    }
                }
                if ports.isEmpty { reader.refuse(key, "must name a port") }
                return ports
            }, print: { $0.sorted().map(String.init) })
    }
}

extension SettingForm<[OutgoingMessage.Channel]> {
    static var channels: Self {
        .list(
            { key, reader in
                let names = reader.list(key)
                var channels: Value = []
                for name in names {
                    guard let channel = OutgoingMessage.Channel.ofNumbers.first(where: { $0.rawValue == name }) else {
                        reader.refuse(key, "the entry '\(name)' must be one of sms, voice, whatsapp, viber")
                        continue
                    }
                    if channels.contains(channel) { reader.refuse(key, "the entry '\(name)' is there twice") }
                    channels.append(channel)
                }
                if names.isEmpty { reader.refuse(key, "must name a channel") }
                return channels
            }, print: { $0.map(\.rawValue) })
    }
}

extension SettingForm<[NumberKind]> {
    /// Line types that messages may go to. An empty list means all of them.
    static var lineTypes: Self {
        Self(
            form: .list,
            read: { key, reader in
                let names = reader.list(key)
                guard !names.isEmpty else { return nil }
                let lines = NumberKind.reachable(names: names)
                if lines == nil { reader.refuse(key, "must be \(NumberKind.demandOfReachable)") }
                return lines
            }, print: { .array($0.map { .string($0.rawValue) }) })
    }
}

extension SettingForm<ClientID> {
    static var clientID: Self {
        Self(
            form: .text,
            read: { key, reader in
                guard let text = reader.text(key) else { return nil }
                let id = ClientID(text)
                if id == nil { reader.refuse(key, "must be a client id (1-64 of A-Z a-z 0-9 . _ -)") }
                return id
            }, print: { .string($0.text) })
    }
}
