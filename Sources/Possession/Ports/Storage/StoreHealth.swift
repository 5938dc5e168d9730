/// Whether the store can take a durable write now; what `/readyz` asks.
package protocol StoreHealth: Sendable {
    func probe() async throws(StorageFault)
}
