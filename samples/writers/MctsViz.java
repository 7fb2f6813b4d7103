import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Tells mcts_viz what a search in Java does. One file, no dependency, Java 11: copy it into your project.
 *
 * <pre>
 * try (MctsViz trace = new MctsViz("run.ndjson", "{\"game\": \"tic_tac_toe\"}")) {
 *     int child = trace.node(parent, action);  // a node that the search has made; the root is 0 and there already
 *     trace.update(node, value);               // what backpropagation added to it; root first
 *     trace.iteration(leaf, outcome);          // the iteration is over
 * }
 * </pre>
 *
 * then {@code mcts-viz import run.ndjson -o run.mcts}, or write to "-" and pipe it. The document is the trace's metadata
 * (docs/trace-format.md); values are in the view of the player who moved into the node, outcomes in that of player 0.
 * Not for several threads at once: a writer each, or a lock of yours.
 */
public final class MctsViz implements AutoCloseable {
    public static final double NONE = Double.NaN;
    private static final int FULL = 1 << 16;
    private static final long QUARTER_SECOND = 250_000_000L;

    /** What may be known of a new node; what is not set is not written. */
    public static final class Node {
        /** Player to move at it: 0 or 1, -2 for chance; -1: not said. */
        public int toMove = -1;
        public double prior = NONE;
        /** Where the game is over at it, view of player 0. */
        public double outcome = NONE;
        /** Readable name of the move into it. */
        public String label;
        /** The position, as text. */
        public String state;
    }

    private final OutputStream file;
    private final long began = System.nanoTime();
    private long written = began;
    private final StringBuilder lines = new StringBuilder(2 * FULL);
    private final StringBuilder nodes = new StringBuilder();
    private final StringBuilder updates = new StringBuilder();
    private final StringBuilder rollout = new StringBuilder();
    private boolean hasRollout;
    private int count = 1;

    /** path: the file, or "-" for standard output. metadata: a JSON object. */
    public MctsViz(String path, String metadata) throws IOException {
        file = path.equals("-") ? System.out : new BufferedOutputStream(new FileOutputStream(path), FULL);
        String rest = metadata.substring(metadata.indexOf('{') + 1).strip().replaceAll("[\r\n]", " ");
        lines.append("{\"format_version\": 2").append(rest.startsWith("}") ? "" : ", ").append(rest).append('\n');
        write();
    }

    /** A node that the search has made below another one, by its move's number; its number. */
    public int node(int parent, long action) {
        return node(parent, action, null);
    }

    public int node(int parent, long action, Node known) {
        begin(parent).append(action);
        return end(known);
    }

    /** The same by its move's name. */
    public int node(int parent, String action, Node known) {
        text(begin(parent), action);
        return end(known);
    }

    /** What backpropagation added to a node: call it for each node of the path, the root first. */
    public void update(int node, double value) {
        update(node, value, 1);
    }

    public void update(int node, double value, long visits) {
        updates.append(updates.length() == 0 ? "{\"node\":" : ",{\"node\":").append(node);
        if (visits != 1) updates.append(",\"visits\":").append(visits);
        number(updates.append(",\"value\":"), value);
        updates.append('}');
    }

    /** A move of the simulation; -1 stands between two simulations of a leaf. */
    public void rollout(long move) {
        if (rollout.length() > 0) rollout.append(',');
        rollout.append(move);
        hasRollout = true;
    }

    /** The iteration is over. leaf: the node that was evaluated; outcome: of it, view of player 0, or NONE. */
    public void iteration(int leaf, double outcome) throws IOException {
        lines.append("{\"leaf\":").append(leaf);
        list(",\"new_nodes\":[", nodes, false);
        list(",\"updates\":[", updates, false);
        if (!Double.isNaN(outcome)) number(lines.append(",\"outcome\":"), outcome);
        list(",\"rollout\":[", rollout, hasRollout);
        long now = System.nanoTime();
        lines.append(",\"elapsed\":").append(now - began).append("}\n");
        // who follows the file sees an iteration after a quarter of a second
        if (lines.length() >= FULL || now - written > QUARTER_SECOND) write();
    }

    @Override
    public void close() throws IOException {
        write();
        if (file != System.out) file.close();
    }

    private StringBuilder begin(int parent) {
        nodes.append(nodes.length() == 0 ? "{\"parent\":" : ",{\"parent\":").append(parent);
        return nodes.append(",\"action\":");
    }

    private int end(Node known) {
        if (known != null) {
            if (known.toMove != -1) nodes.append(",\"to_move\":").append(known.toMove);
            if (!Double.isNaN(known.prior)) number(nodes.append(",\"prior\":"), known.prior);
            if (!Double.isNaN(known.outcome)) number(nodes.append(",\"outcome\":"), known.outcome);
            if (known.label != null) text(nodes.append(",\"label\":"), known.label);
            if (known.state != null) text(nodes.append(",\"state\":"), known.state);
        }
        nodes.append('}');
        return count++;
    }

    private void list(String key, StringBuilder items, boolean always) {
        if (items.length() == 0 && !always) return;
        lines.append(key).append(items).append(']');
        items.setLength(0);
    }

    private static void number(StringBuilder to, double x) {
        if (x == Math.rint(x) && Math.abs(x) < 1e15) to.append((long) x);
        else if (Double.isInfinite(x) || Double.isNaN(x)) to.append("null"); // JSON has no other; the import names the line
        else to.append(x);
    }

    private static void text(StringBuilder to, String words) {
        to.append('"');
        for (int i = 0; i < words.length(); i++) {
            char c = words.charAt(i);
            if (c == '"' || c == '\\') to.append('\\').append(c);
            else if (c < 0x20) to.append(String.format("\\u%04x", (int) c));
            else to.append(c);
        }
        to.append('"');
    }

    private void write() throws IOException {
        file.write(lines.toString().getBytes(StandardCharsets.UTF_8));
        file.flush();
        lines.setLength(0);
        written = System.nanoTime();
    }
}
