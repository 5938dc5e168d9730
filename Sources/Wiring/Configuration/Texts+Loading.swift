internal import Administration
internal import Glibc
internal import Possession
internal import SQLiteStorage
internal import Text

extension Configuration {
    /// The texts of messages that the configuration names, read and checked, with the cost of each.
    ///
    /// - Throws: `.configuration`: all errors of the file, and all texts that are too long.
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
        return (MessageTexts(catalog: catalog, brand: texts.brand ?? "", hasLookalikes: texts.lookalikes), check)
    }

    private static func fault(_ path: String, _ mistakes: [String]) -> StartFault {
        .configuration("messaging.textsFile: \(path):\n" + mistakes.map { "    \($0)" }.joined(separator: "\n"))
    }

    /// The names and hosts of the configuration.
    private var textSurroundings: CatalogCheck.Surroundings {
        let clients = sandbox?.clients ?? []
        // A sandbox may have no public URL. Then check with the longest port number.
        let publicURL = server.publicURL ?? "http://127.0.0.1:65535"
        var surroundings = CatalogCheck.Surroundings(
            brands: [texts.brand].compactMap { $0.map { .init($0) } },
            hosts: [PublicURL.domain(publicURL)].compactMap { $0.map { .init($0) } },
            linkURL: link.publicURL ?? publicURL, codeLifetimeSeconds: otp.lifetimeSeconds,
            linkLifetimeSeconds: link.lifetimeSeconds)
        surroundings.hasLookalikes = texts.lookalikes
        for client in clients { surroundings.add(client.rules.displayName, client.rules.messageHost, of: client.id) }
        return surroundings
    }

    /// Checks the texts with the names of all API clients, including those in the database. A text that a name makes
    /// too long must not keep the server from starting for the others.
    func fullCheck(of catalog: MessageCatalog) -> CatalogCheck {
        var surroundings = textSurroundings
        for names in DatabaseLook.messageNames(in: DataDirectory.databasePath(in: data.directory)) {
            surroundings.add(names.displayName, names.messageHost, of: names.client)
        }
        return CatalogCheck(catalog, surroundings)
    }
}

extension CatalogCheck.Surroundings {
    fileprivate mutating func add(_ displayName: String?, _ messageHost: String?, of client: String) {
        let owner = "the displayName of the API client \(client)"
        if let displayName, !brands.contains(where: { $0.owner?.utf8.elementsEqual(owner.utf8) == true }) {
            brands.append(.init(displayName, of: owner))
        }
        if let messageHost { hosts.append(.init(messageHost, of: "the messageHost of the API client \(client)")) }
    }
}
