package import Possession

/// The texts that the apps of a sandbox's API client are built with. All of it is public.
package struct SandboxApplication: Sendable {
    package let client: ClientID
    package let credentials: ApplicationCredentials

    package init(client: ClientID, credentials: ApplicationCredentials) {
        self.client = client
        self.credentials = credentials
    }
}
