/// The wall clock, or a simulated clock.
package typealias Now = @Sendable () -> Timestamp
