package dev.holdfast.proveauth.platform;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.Charset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/** Calls by {@code HttpURLConnection}, each on a thread of the executor. */
public final class HttpTransport {
    private static final Charset UTF8 = Charset.forName("UTF-8");
    private static final int CONNECT_MILLISECONDS = 15_000;
    /** The run itself gives up earlier; this frees the thread. */
    private static final int READ_MILLISECONDS = 45_000;
    /** A state document has less than 4 KB. */
    private static final int MOST_BYTES = 256 * 1024;

    private static final boolean IS_ANDROID = "The Android Project".equals(System.getProperty("java.vendor"));

    static {
        // Java repeats a POST behind the library's back when a connection closes early. The server would refuse the copy's proof.
        if (!IS_ANDROID && System.getProperty("sun.net.http.retryPost") == null) {
            System.setProperty("sun.net.http.retryPost", "false");
        }
    }

    private final Executor executor;
    private final CellularNetwork cellular;

    /** @param cellular null: none */
    public HttpTransport(Executor executor, CellularNetwork cellular) {
        this.executor = executor;
        this.cellular = cellular;
    }

    public Cancellable send(Request request, Reply reply) {
        Call call = new Call(request, reply);
        executor.execute(call);
        return call;
    }

    private final class Call implements Runnable, Cancellable {
        private final Request request;
        private final Reply reply;
        private HttpURLConnection connection;
        private boolean isOver;

        Call(Request request, Reply reply) {
            this.request = request;
            this.reply = reply;
        }

        @Override
        public void run() {
            Answer answer;
            try {
                answer = exchange();
            } catch (CellularNetwork.NoCellularException absent) {
                answer = Answer.none("no_cellular");
            } catch (IOException | RuntimeException noAnswer) {
                answer = Answer.none("network");
            }
            if (end()) {
                reply.accept(answer);
            }
        }

        @Override
        public void cancel() {
            if (end()) {
                HttpURLConnection open;
                synchronized (this) {
                    open = connection;
                }
                if (open != null) {
                    // Closing a socket may write to it, which Android refuses on its main thread.
                    executor.execute(open::disconnect);
                }
            }
        }

        private synchronized boolean end() {
            boolean wasOver = isOver;
            isOver = true;
            return !wasOver;
        }

        private Answer exchange() throws IOException {
            URL url = new URL(request.url);
            HttpURLConnection open = request.isCellular && cellular != null
                    ? cellular.open(url) : (HttpURLConnection) url.openConnection();
            synchronized (this) {
                if (isOver) {
                    return Answer.none("network");
                }
                connection = open;
            }
            try {
                return exchange(open);
            } catch (IOException noAnswer) {
                open.disconnect();
                throw noAnswer;
            }
        }

        private Answer exchange(HttpURLConnection open) throws IOException {
            open.setConnectTimeout(CONNECT_MILLISECONDS);
            open.setReadTimeout(READ_MILLISECONDS);
            open.setInstanceFollowRedirects(false);
            open.setUseCaches(false);
            open.setRequestMethod(request.method);
            for (Map.Entry<String, String> header : request.headers.entrySet()) {
                open.setRequestProperty(header.getKey(), header.getValue());
            }
            if (request.body != null) {
                byte[] bytes = request.body.getBytes(UTF8);
                open.setDoOutput(true);
                // Android never repeats a body of fixed length; Java would hide the body of a 401 then.
                if (IS_ANDROID) {
                    open.setFixedLengthStreamingMode(bytes.length);
                }
                try (OutputStream out = open.getOutputStream()) {
                    out.write(bytes);
                }
            }
            int status = open.getResponseCode();
            if (status < 100) {
                throw new IOException("no status");
            }
            Map<String, String> headers = new HashMap<>();
            for (Map.Entry<String, List<String>> header : open.getHeaderFields().entrySet()) {
                if (header.getKey() != null && !header.getValue().isEmpty()) {
                    headers.put(header.getKey(), header.getValue().get(0));
                }
            }
            try (InputStream in = status >= 400 ? open.getErrorStream() : open.getInputStream()) {
                return new Answer(status, headers, in == null ? "" : text(in));
            }
        }

        private String text(InputStream in) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[4096];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                out.write(part, 0, count);
                if (out.size() > MOST_BYTES) {
                    throw new IOException("the answer is too long");
                }
            }
            return new String(out.toByteArray(), UTF8);
        }
    }
}
