package import Possession

/// The files and sockets of a server, as a configuration names them. Commands for administration work on it.
package struct Installation: Sendable {
    /// Reads the number that an operator typed; `nil`: no telephone can have it.
    package typealias ReadNumber = (String) -> PhoneNumber?

    /// The data directory, which this process has opened because no server runs on it.
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
    /// The kinds of the credentials by which onboarding finds people.
    let credentialKinds: CredentialKinds
    /// The path of the socket on which a running server takes orders.
    let controlSocket: String
    let readNumber: @Sendable () throws(StartFault) -> ReadNumber
    let openStore: OpenStore

    /// - Parameters:
    ///   - controlSocket: the path of the socket; no process listens on it unless a server runs.
    ///   - readNumber: called once by a command that takes numbers.
    ///   - openStore: called if no server runs.
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
