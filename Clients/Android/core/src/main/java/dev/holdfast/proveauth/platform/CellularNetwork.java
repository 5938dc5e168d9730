package dev.holdfast.proveauth.platform;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;

/** The mobile network of a device, whatever else the device is connected by. */
public interface CellularNetwork {
    /** Whether the device has one. */
    boolean isPresent();

    /**
     * Opens a connection over it, and brings it up before if needed.
     *
     * @throws NoCellularException if it does not come up
     */
    HttpURLConnection open(URL url) throws IOException;

    /** It is not needed for now. */
    void release();

    /** The mobile network did not come up. */
    class NoCellularException extends IOException {
        private static final long serialVersionUID = 1L;

        public NoCellularException() {
            super("no mobile network");
        }
    }
}
