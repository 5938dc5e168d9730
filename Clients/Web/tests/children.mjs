// The end of a process that a test started.

const END_MILLISECONDS = 5_000;

/** Ends a child and waits for that. It may have ended before; one that does not heed `kill` is killed. */
export function ended(child, kill = () => child.kill("SIGTERM")) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), END_MILLISECONDS);
    child.once("exit", () => (clearTimeout(timer), resolve()));
    kill();
  });
}
