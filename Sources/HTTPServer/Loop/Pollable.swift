/// Something with a descriptor in a loop's event set. All calls are made on the loop.
protocol Pollable: AnyObject {
    func ready(_ readiness: Poller.Readiness)
    /// The turn ends: send the collected output.
    func flush()
}
