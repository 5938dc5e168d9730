package import Engine
package import Possession

/// The texts with which the apps of a sandbox's API client are built. All of them are public.
package struct SandboxApplication: Sendable {
    package let client: ClientID
    package let credentials: ApplicationCredentials

    package init(client: ClientID, credentials: ApplicationCredentials) {
        self.client = client
        self.credentials = credentials
    }
}
