internal import Administration
internal import Tokens

extension SharedSecret {
    /// The key that signs questions to a service of the operator's own; `nil` without one.
    ///
    /// - Parameters:
    ///   - service: as the settings name it, such as `identity`.
    ///   - url: of the service.
    ///   - file: with its secret.
    /// - Throws: `.configuration` when the file cannot be used.
    static func key(ofService service: String, url: String?, file: String?) throws(StartFault) -> KeyedHash? {
        guard url != nil, let file else { return nil }
        do { return KeyedHash(key: try SharedSecret.load(file)) } catch {
            throw .configuration("\(service).secretFile: \(error.reason)")
        }
    }
}
