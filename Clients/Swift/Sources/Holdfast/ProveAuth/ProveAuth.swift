import Foundation

/// Proves that the person holds the number, with the names of the published guides.
///
/// Thread-safe; nothing blocks. Make one, and keep it.
public final class ProveAuth: Sendable {
    private let client: PossessionClient

    init(_ client: PossessionClient) {
        self.client = client
    }

    /// - Parameter authFinish: run once when a session is over, however it went.
    public static func builder(authFinish: any AuthFinishStep) -> Builder {
        Builder(authFinish)
    }

    /// Begins the checks of one session, and returns at once.
    ///
    /// - Parameter onError: called on failure only, on a thread of the library. After success the finish step has run.
    public func authenticate(_ authToken: String, _ onError: @escaping @Sendable (ProveAuthError) -> Void) {
        Task {
            do throws(ProveAuthError) {
                try await authenticate(authToken)
            } catch {
                onError(error)
            }
        }
    }

    /// Runs the checks of one session. To cancel the task cancels the session.
    public func authenticate(_ authToken: String) async throws(ProveAuthError) {
        do {
            try await client.authenticate(authToken)
        } catch let error as PossessionError {
            throw ProveAuthError(error)
        } catch {
            throw .finishStepError(error)
        }
    }

    /// Takes the URL by which the app was opened, with its `asc` and `authId`.
    ///
    /// - Parameter onError: called if the URL is not meant for a session under way.
    public func finishInstantLink(redirectUrl: String, _ onError: @escaping @Sendable (ProveAuthError) -> Void) {
        Task {
            if await !client.open(redirectUrl) { onError(.redirectUrlError) }
        }
    }

    /// Cancels what is under way.
    public func cancel() {
        Task { await client.cancel() }
    }
}
