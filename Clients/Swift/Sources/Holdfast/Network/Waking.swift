import Foundation

#if canImport(Network)
    import Network
#endif

/// Tells when the app may have slept, or was without a network.
@ClientActor
final class Waking {
    private var wakers: [Int: @ClientActor @Sendable () -> Void] = [:]
    private var wakersMade = 0
    #if canImport(Network)
        private let monitor = NWPathMonitor()
        private var wasNetworkThere = true
    #endif

    init() {
        #if canImport(Network)
            // The names of UIKit and AppKit, without linking either.
            for name in ["UIApplicationWillEnterForegroundNotification", "NSApplicationDidBecomeActiveNotification"] {
                NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) {
                    [weak self] _ in Task { await self?.wake() }
                }
            }
            monitor.pathUpdateHandler = { [weak self] path in
                let isThere = path.status == .satisfied
                Task { await self?.networkChanged(isThere: isThere) }
            }
            monitor.start(queue: DispatchQueue(label: "holdfast.path"))
        #endif
    }

    func onWake(_ wake: @escaping @ClientActor @Sendable () -> Void) -> Cancellation {
        wakersMade += 1
        let number = wakersMade
        wakers[number] = wake
        return Cancellation { self.wakers[number] = nil }
    }

    #if canImport(Network)
        private func networkChanged(isThere: Bool) {
            if isThere && !wasNetworkThere { wake() }
            wasNetworkThere = isThere
        }
    #endif

    func wake() {
        for (_, waker) in wakers.sorted(by: { $0.key < $1.key }) { waker() }
    }
}
