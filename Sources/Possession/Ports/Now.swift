/// The wall clock, or one that is moved by hand.
package typealias Now = @Sendable () -> Timestamp
