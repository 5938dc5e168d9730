/// Something that happens, and that any number of tasks may wait for, or stop waiting for.
@ClientActor
package class Signal {
    package private(set) var isSet = false
    private var observers: [Int: () -> Void] = [:]
    private var observersMade = 0

    package init() {}

    package func set() {
        guard !isSet else { return }
        isSet = true
        let waiting = observers.sorted { $0.key < $1.key }
        observers = [:]
        for (_, observer) in waiting { observer() }
    }

    /// As if it had not happened.
    package func reset() {
        isSet = false
    }

    fileprivate func observe(_ observer: @escaping () -> Void) -> Int {
        observersMade += 1
        observers[observersMade] = observer
        return observersMade
    }

    fileprivate func forget(_ observer: Int) {
        observers[observer] = nil
    }
}

/// A value that comes later. The first one counts.
@ClientActor
package final class Promise<Value: Sendable>: Signal {
    package private(set) var value: Value?

    package func resolve(_ value: Value) {
        guard !isSet else { return }
        self.value = value
        set()
    }
}

/// Waits until one of these is set. The others are no longer observed then.
@ClientActor
package func anyOf(_ signals: [Signal]) async {
    guard !signals.contains(where: \.isSet) else { return }
    var observers: [(Signal, Int)] = []
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        var isOver = false
        for signal in signals {
            let observer = signal.observe {
                guard !isOver else { return }
                isOver = true
                continuation.resume()
            }
            observers.append((signal, observer))
        }
    }
    for (signal, observer) in observers { signal.forget(observer) }
}
