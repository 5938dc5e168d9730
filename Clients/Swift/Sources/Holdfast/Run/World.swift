import Foundation

/// All that a run uses of the world around it. A test plays it; `LiveWorld` is the real one.
@ClientActor
package protocol World: AnyObject, Sendable {
    /// Whether Mobile Auth has a network to go over.
    var cellular: MobileNetworkAvailability { get }
    var keys: KeyStore { get }
    /// The device's clock, in seconds since 1970.
    func now() -> Double
    /// Seconds of a clock that nobody sets.
    func elapsed() -> Double
    /// 0 up to 1, for the spread of repeats.
    func random() -> Double
    /// Calls back once after so many seconds.
    func timer(seconds: Double, _ fire: @escaping @ClientActor @Sendable () -> Void) -> Cancellation
    /// Calls back whenever the app may have slept.
    func onWake(_ wake: @escaping @ClientActor @Sendable () -> Void) -> Cancellation
    /// One call to the server; `nil` if there is no answer.
    func send(_ request: HTTPRequest, _ answer: @escaping @ClientActor @Sendable (HTTPResponse?) -> Void)
        -> Cancellation
    /// One hop of Mobile Auth, over the mobile network.
    func hop(to url: URL, _ answer: @escaping @ClientActor @Sendable (HopAnswer) -> Void) -> Cancellation
}

package enum HopAnswer: Sendable {
    case response(HTTPResponse)
    /// There is no mobile network.
    case noCellular
    case lost
}
