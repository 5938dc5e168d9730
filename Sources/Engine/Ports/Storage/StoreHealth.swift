/// Whether the store can take a durable write now. Used by `/readyz`.
package protocol StoreHealth: Sendable {
    func probe() async throws(StorageFault)
}
