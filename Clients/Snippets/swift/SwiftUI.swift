/// Stands in for SwiftUI's, which puts its value on the main actor too.
protocol ObservableObject: AnyObject {}

@propertyWrapper
struct ObservedObject<Object: ObservableObject> {
    @MainActor @preconcurrency var wrappedValue: Object

    init(wrappedValue: Object) {
        self.wrappedValue = wrappedValue
    }
}
