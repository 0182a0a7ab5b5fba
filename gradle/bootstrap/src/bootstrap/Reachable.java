package bootstrap;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;

/** Exits with 0 if there is something to download at the address, asking as the wrapper would; run from source. */
final class Reachable {
    private static final int PATIENCE_MILLIS = 3000;

    private Reachable() {
    }

    public static void main(String[] args) {
        System.exit(isReachable(args[0]) ? 0 : 1);
    }

    private static boolean isReachable(String address) {
        try {
            var connection = (HttpURLConnection) new URL(address).openConnection();
            connection.setRequestMethod("HEAD");
            connection.setConnectTimeout(PATIENCE_MILLIS);
            connection.setReadTimeout(PATIENCE_MILLIS);
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }
}
