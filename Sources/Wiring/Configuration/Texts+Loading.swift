internal import Administration
internal import Glibc
internal import Possession
internal import SQLiteStorage
internal import Text

extension Configuration {
    /// The texts of messages that the configuration names, read and checked, with what each costs.
    ///
    /// - Throws: `.configuration` with every error of the file, and every text that is too long.
    func messageTexts() throws(StartFault) -> (texts: MessageTexts, check: CatalogCheck) {
        var catalog = MessageCatalog.english
        if let path = texts.file {
            guard let bytes = SmallFile.read(path) else {
                throw .configuration("messaging.textsFile: \(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            do { catalog = try TextsFile(bytes).catalog } catch { throw Self.fault(path, error.all) }
        }
        if texts.brand == nil,
            let entry = catalog.entries.firstIndex(where: {
                $0.text.namesBrand || $0.subject?.namesBrand == true
            })
        {
            throw .configuration("messaging.brand: missing; texts[\(entry)] of messaging.textsFile names it")
        }
        let check = CatalogCheck(catalog, textSurroundings)
        if !check.mistakes.isEmpty { throw Self.fault(texts.file ?? "the program's own texts", check.mistakes) }
        return (MessageTexts(catalog: catalog, brand: texts.brand ?? ""), check)
    }

    private static func fault(_ path: String, _ mistakes: [String]) -> StartFault {
        .configuration("messaging.textsFile: \(path):\n" + mistakes.map { "    \($0)" }.joined(separator: "\n"))
    }

    /// Names and hosts that the configuration has.
    private var textSurroundings: CatalogCheck.Surroundings {
        let clients = sandbox?.clients.map(\.rules) ?? []
        // Of a sandbox without one: the longest port.
        let publicURL = server.publicURL ?? "http://127.0.0.1:65535"
        return CatalogCheck.Surroundings(
            brands: [texts.brand].compactMap { $0 } + clients.compactMap(\.displayName),
            hosts: [PublicURL.domain(publicURL)].compactMap { $0 } + clients.compactMap(\.messageHost),
            linkURL: link.publicURL ?? publicURL, codeLifetimeSeconds: otp.lifetimeSeconds,
            linkLifetimeSeconds: link.lifetimeSeconds)
    }

    /// What the API clients of the database make too long: no reason to keep the others out.
    func textWarnings(of catalog: MessageCatalog) -> [String] {
        let stored = DatabaseLook.messageNames(in: DataDirectory.databasePath(in: data.directory))
        guard !stored.brands.isEmpty || !stored.hosts.isEmpty else { return [] }
        var surroundings = textSurroundings
        surroundings.brands += stored.brands
        surroundings.hosts += stored.hosts
        return CatalogCheck(catalog, surroundings).mistakes.map {
            "messaging.textsFile: with the displayName or messageHost of an API client, \($0)"
        }
    }
}
