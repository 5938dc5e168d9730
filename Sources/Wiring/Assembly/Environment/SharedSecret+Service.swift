internal import Administration
internal import Tokens

extension SharedSecret {
    /// The key that signs calls to an operator's own service; `nil`: there is no service.
    ///
    /// - Parameters:
    ///   - service: the service's name in the settings, such as `identity`.
    ///   - url: the URL of the service.
    ///   - file: the file with its secret.
    /// - Throws: `.configuration`: the file cannot be used.
    static func key(ofService service: String, url: String?, file: String?) throws(StartFault) -> KeyedHash? {
        guard url != nil, let file else { return nil }
        do { return KeyedHash(key: try SharedSecret.load(file)) } catch {
            throw .configuration("\(service).secretFile: \(error.reason)")
        }
    }
}
