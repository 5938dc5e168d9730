package app;

import android.content.Context;
import dev.holdfast.proveauth.platform.CellularNetwork;
import dev.holdfast.proveauth.platform.Environment;
import dev.holdfast.proveauth.platform.EnvironmentFactory;
import dev.holdfast.proveauth.platform.JavaEnvironment;
import dev.holdfast.proveauth.platform.MemoryKeys;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;

/** What the Android module brings for Android's context: here keys in memory, and no mobile network but in test mode. */
public final class AppEnvironment implements EnvironmentFactory {
    @Override
    public Environment make(Object context) {
        return context instanceof Context ? new JavaEnvironment(new MemoryKeys(), new Loopback()) : null;
    }

    private static final class Loopback implements CellularNetwork {
        @Override
        public boolean isPresent() {
            return false;
        }

        @Override
        public HttpURLConnection open(URL url) throws IOException {
            return (HttpURLConnection) url.openConnection();
        }

        @Override
        public void release() {}
    }
}
