import Foundation

/// The world as it is: network, clock, keys.
@ClientActor
package final class LiveWorld: World {
    private static let longestTimerSeconds = 86_400.0

    package let keys: KeyStore
    private let transport: any HTTPTransport
    private let mobileNetwork: (any HTTPTransport)?
    private lazy var waking = Waking()

    /// - Parameter mobileNetwork: what Mobile Auth goes over.
    nonisolated init(transport: any HTTPTransport, mobileNetwork: (any HTTPTransport)?, keys: KeyStore) {
        self.transport = transport
        self.mobileNetwork = mobileNetwork
        self.keys = keys
    }

    package var cellular: MobileNetworkAvailability {
        guard let mobileNetwork else { return .no }
        return (mobileNetwork as? any MobileNetworkTransport)?.availability ?? .yes
    }

    package func now() -> Double {
        Date().timeIntervalSince1970
    }

    package func elapsed() -> Double {
        // The one that goes on while the device sleeps.
        #if os(Linux) || os(Android)
            let clock = CLOCK_BOOTTIME
        #else
            let clock = CLOCK_MONOTONIC
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    package func random() -> Double {
        Double.random(in: 0..<1)
    }

    package func timer(seconds: Double, _ fire: @escaping @ClientActor @Sendable () -> Void) -> Cancellation {
        let nanoseconds = UInt64(min(max(0, seconds), Self.longestTimerSeconds) * 1_000_000_000)
        let task = Task { @ClientActor in
            guard (try? await Task.sleep(nanoseconds: nanoseconds)) != nil else { return }
            fire()
        }
        return Cancellation { task.cancel() }
    }

    package func onWake(_ wake: @escaping @ClientActor @Sendable () -> Void) -> Cancellation {
        waking.onWake(wake)
    }

    package func send(
        _ request: HTTPRequest, _ answer: @escaping @ClientActor @Sendable (HTTPResponse?) -> Void
    ) -> Cancellation {
        let task = Task { @ClientActor [transport] in answer(try? await transport.response(to: request)) }
        return Cancellation { task.cancel() }
    }

    package func hop(
        to url: URL, _ answer: @escaping @ClientActor @Sendable (HopAnswer) -> Void
    ) -> Cancellation {
        let task = Task { @ClientActor [mobileNetwork] in
            guard let mobileNetwork else { return answer(.noCellular) }
            do {
                answer(.response(try await mobileNetwork.response(to: HTTPRequest(method: "GET", url: url))))
            } catch is NoMobileNetwork {
                answer(.noCellular)
            } catch {
                answer(.lost)
            }
        }
        return Cancellation { task.cancel() }
    }
}
