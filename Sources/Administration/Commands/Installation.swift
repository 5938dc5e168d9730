package import Possession

/// A server's files and sockets, as one configuration names them: what a command of administration works on.
package struct Installation: Sendable {
    /// The number that an operator means by a text; `nil` when nobody can have it.
    package typealias ReadNumber = (String) -> PhoneNumber?

    /// The data directory, opened by this process because no server runs on it.
    package struct OpenedStore: Sendable {
        let administrator: Administrator
        let close: @Sendable () async -> Void

        package init(_ administrator: Administrator, close: @escaping @Sendable () async -> Void) {
            self.administrator = administrator
            self.close = close
        }
    }

    package typealias OpenStore = @Sendable () async throws(StartFault) -> OpenedStore

    let isLive: Bool
    /// Kinds of the credentials that onboarding finds people by.
    let credentialKinds: CredentialKinds
    /// Where a running server takes orders.
    let controlSocket: String
    let readNumber: @Sendable () throws(StartFault) -> ReadNumber
    let openStore: OpenStore

    /// - Parameters:
    ///   - controlSocket: the path of the socket; nobody listens there while no server runs.
    ///   - readNumber: asked once by a command that takes numbers.
    ///   - openStore: asked when nobody listens.
    package init(
        isLive: Bool, credentialKinds: CredentialKinds = CredentialKinds(), controlSocket: String,
        readNumber: @escaping @Sendable () throws(StartFault) -> ReadNumber, openStore: @escaping OpenStore
    ) {
        self.isLive = isLive
        self.credentialKinds = credentialKinds
        self.controlSocket = controlSocket
        self.readNumber = readNumber
        self.openStore = openStore
    }
}
