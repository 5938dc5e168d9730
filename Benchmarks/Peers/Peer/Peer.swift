import Foundation
import Hummingbird
import Logging

/// The server that a Swift team would build instead, on Hummingbird, GRDB and jwt-kit.
///
///     Peer hello --port 9090
///     Peer unify --port 9091 --database FILE --migrations FOLDER [--group-commit] [--remember-tokens]
///
/// Prints one line of JSON when it is about to listen; for `unify` with an access token to call it with.
@main
struct Peer {
    static func main() async throws {
        guard let command = Options(CommandLine.arguments.dropFirst()) else {
            print(
                "usage: Peer hello|unify --port N [--database FILE --migrations FOLDER --group-commit --remember-tokens]"
            )
            return
        }
        let router = Router()
        switch command.kind {
        case .hello:
            addHello(to: router)
            print(#"{"ready":true}"#)
        case .unify(let options):
            let tokens = try await Tokens(
                publicURL: "http://127.0.0.1:\(command.port)", remembers: options.remembersTokens)
            let store = try SessionStore(path: options.database, migrations: options.migrations)
            let writer: any SessionWriter = options.groupCommit ? GroupCommit(store) : store
            addHello(to: router)
            Unify(tokens: tokens, store: store, writer: writer).add(to: router)
            print(#"{"ready":true,"token":"\#(try await tokens.accessToken(for: SessionStore.tenant))"}"#)
        }
        // The process that waits for the line reads a pipe or a file.
        fflush(nil)
        var logger = Logger(label: "peer")
        logger.logLevel = .error
        let app = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: command.port)), logger: logger)
        try await app.runService()
    }

    /// The two answers that need no storage.
    private static func addHello(to router: Router<BasicRequestContext>) {
        struct Health: ResponseEncodable { let status: String }
        struct Echo: ResponseCodable {
            let message: String
            let count: Int
        }
        router.get("/healthz") { _, _ in Health(status: "ok") }
        router.post("/echo") { request, context in
            try await request.decode(as: Echo.self, context: context)
        }
    }
}
