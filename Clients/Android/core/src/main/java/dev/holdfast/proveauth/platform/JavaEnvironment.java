package dev.holdfast.proveauth.platform;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** The real environment, as far as Java alone knows it. The Android module adds what only Android has. */
public class JavaEnvironment implements Environment {
    private final ExecutorService executor = Executors.newCachedThreadPool(new DaemonThreads());
    private final Set<Runnable> wakers = new CopyOnWriteArraySet<>();
    private final KeyStorage keys;
    private final CellularNetwork cellular;
    private final HttpTransport transport;

    /** @param cellular null: none */
    public JavaEnvironment(KeyStorage keys, CellularNetwork cellular) {
        this.keys = keys;
        this.cellular = cellular;
        transport = new HttpTransport(executor, cellular);
    }

    @Override
    public long now() {
        return System.currentTimeMillis();
    }

    @Override
    public long elapsed() {
        return System.nanoTime() / 1_000_000;
    }

    @Override
    public double random() {
        return Math.random();
    }

    @Override
    public String uuid() {
        return UUID.randomUUID().toString();
    }

    @Override
    public void await(Bell bell, long milliseconds) throws InterruptedException {
        bell.await(milliseconds);
    }

    @Override
    public void run(Runnable step) {
        executor.execute(step);
    }

    @Override
    public Cancellable send(Request request, Reply reply) {
        return transport.send(request, reply);
    }

    @Override
    public KeyStorage keys() {
        return keys;
    }

    @Override
    public boolean hasCellular() {
        return cellular != null && cellular.isPresent();
    }

    @Override
    public void endCellular() {
        if (cellular != null) {
            cellular.release();
        }
    }

    @Override
    public Cancellable onWake(Runnable callback) {
        wakers.add(callback);
        return () -> wakers.remove(callback);
    }

    /** The device has woken, or a network has come. */
    public void wake() {
        for (Runnable waker : wakers) {
            waker.run();
        }
    }

    private static final class DaemonThreads implements ThreadFactory {
        @Override
        public Thread newThread(Runnable work) {
            Thread thread = new Thread(work, "holdfast");
            thread.setDaemon(true);
            return thread;
        }
    }
}
