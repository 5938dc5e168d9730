package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.platform.Bell;
import dev.holdfast.proveauth.platform.CellularNetwork;
import dev.holdfast.proveauth.platform.JavaEnvironment;
import dev.holdfast.proveauth.platform.KeyStorage;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;

/** The real environment, in which pauses and limits of time are over ten times as soon. */
final class HurriedEnvironment extends JavaEnvironment {
    private static final int HURRY = 10;

    private final boolean hasCellular;
    private final long clockOffMilliseconds;

    HurriedEnvironment(KeyStorage keys, boolean hasCellular) {
        this(keys, hasCellular, 0);
    }

    /** @param clockOffMilliseconds how far the device's clock is ahead of the true time */
    HurriedEnvironment(KeyStorage keys, boolean hasCellular, long clockOffMilliseconds) {
        super(keys, new Loopback());
        this.hasCellular = hasCellular;
        this.clockOffMilliseconds = clockOffMilliseconds;
    }

    @Override
    public long now() {
        return super.now() + clockOffMilliseconds;
    }

    @Override
    public long elapsed() {
        return super.elapsed() * HURRY;
    }

    @Override
    public double random() {
        return 0;
    }

    @Override
    public void await(Bell bell, long milliseconds) throws InterruptedException {
        super.await(bell, Math.max(1, milliseconds / HURRY));
    }

    @Override
    public boolean hasCellular() {
        return hasCellular;
    }

    /** The sandbox plays the operator, so that any network will do. */
    private static final class Loopback implements CellularNetwork {
        @Override
        public boolean isPresent() {
            return true;
        }

        @Override
        public HttpURLConnection open(URL url) throws IOException {
            return (HttpURLConnection) url.openConnection();
        }

        @Override
        public void release() {}
    }
}
