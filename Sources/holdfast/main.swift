import Wiring

await runHoldfast()
