/// The command line.
struct Options {
    struct Unify {
        var database = ""
        var migrations = ""
        var groupCommit = false
        var remembersTokens = false
    }

    enum Kind {
        case hello
        case unify(Unify)
    }

    let kind: Kind
    let port: Int

    /// `nil`: not as it must be.
    init?(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)[...]
        guard let word = arguments.popFirst() else { return nil }
        var port: Int?
        var unify = Unify()
        while let name = arguments.popFirst() {
            switch name {
            case "--port": port = arguments.popFirst().flatMap { Int($0) }
            case "--database": unify.database = arguments.popFirst() ?? ""
            case "--migrations": unify.migrations = arguments.popFirst() ?? ""
            case "--group-commit": unify.groupCommit = true
            case "--remember-tokens": unify.remembersTokens = true
            default: return nil
            }
        }
        guard let port, (1...65535).contains(port) else { return nil }
        self.port = port
        switch word {
        case "hello": kind = .hello
        case "unify" where !unify.database.isEmpty && !unify.migrations.isEmpty: kind = .unify(unify)
        default: return nil
        }
    }
}
