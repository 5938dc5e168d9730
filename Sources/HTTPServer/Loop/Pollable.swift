/// Something with a descriptor in a loop's set. All calls come on the loop.
protocol Pollable: AnyObject {
    func ready(_ readiness: Poller.Readiness)
    /// The turn ends: hand the output that was collected to the system.
    func flush()
}
