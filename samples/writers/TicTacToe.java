import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A whole small UCT for Tic-Tac-Toe that tells mcts_viz what it does.
 *
 * <pre>
 * javac -d /tmp/classes samples/writers/*.java
 * java -cp /tmp/classes TicTacToe 1000 - | mcts-viz import - -o tic_tac_toe.mcts
 * </pre>
 *
 * The page knows the game by its name and draws its boards; cells are numbered 0 to 8, row by row. With `counts`
 * behind the path, what the search itself counted goes to standard error at the end, to be compared with the trace.
 */
final class TicTacToe {
    private static final int[][] LINES = {
        {0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
    private static final double C = 1.4;
    private static final int EMPTY = -1, GOES_ON = 2;
    private static final String METADATA = "{\"game\": \"tic_tac_toe\", \"policies\": {\"selection\": {\"name\": \"ucb1\","
        + " \"c\": 1.4, \"unvisited\": \"first\"}, \"final_move\": {\"name\": \"most_visits\"}}}";

    private static final class TreeNode {
        final int id;
        final int[] board;
        final TreeNode parent;
        final List<Integer> untried;
        final List<TreeNode> children = new ArrayList<>();
        int visits;
        double value; // view of the player who moved here

        TreeNode(int id, int[] board, TreeNode parent) {
            this.id = id;
            this.board = board;
            this.parent = parent;
            untried = outcomeOf(board) == GOES_ON ? emptyCells(board) : new ArrayList<>();
        }

        double ucb1() {
            return value / visits + C * Math.sqrt(Math.log(parent.visits) / visits);
        }
    }

    private final Random random = new Random(12345);
    private final List<TreeNode> nodes = new ArrayList<>();
    private final MctsViz trace; // null: not recorded

    private TicTacToe(MctsViz trace) {
        this.trace = trace;
    }

    private static List<Integer> emptyCells(int[] board) {
        List<Integer> cells = new ArrayList<>();
        for (int cell = 0; cell < 9; cell++) if (board[cell] == EMPTY) cells.add(cell);
        return cells;
    }

    private static int toMove(int[] board) {
        return (9 - emptyCells(board).size()) % 2;
    }

    /** 1 when player 0 has won, -1 when player 1 has, 0 for a draw. */
    private static int outcomeOf(int[] board) {
        for (int[] line : LINES) {
            int first = board[line[0]];
            if (first != EMPTY && first == board[line[1]] && first == board[line[2]]) return first == 0 ? 1 : -1;
        }
        return emptyCells(board).isEmpty() ? 0 : GOES_ON;
    }

    private static int[] after(int[] board, int cell) {
        int[] next = board.clone();
        next[cell] = toMove(board);
        return next;
    }

    private TreeNode makeNode(int[] board, TreeNode parent) {
        nodes.add(new TreeNode(nodes.size(), board, parent));
        return nodes.get(nodes.size() - 1);
    }

    private static TreeNode select(TreeNode node) {
        while (node.untried.isEmpty() && !node.children.isEmpty()) {
            TreeNode best = node.children.get(0);
            for (TreeNode child : node.children) if (child.ucb1() > best.ucb1()) best = child;
            node = best;
        }
        return node;
    }

    private void iterate() throws IOException {
        TreeNode leaf = select(nodes.get(0));
        if (!leaf.untried.isEmpty()) {
            int action = leaf.untried.remove(random.nextInt(leaf.untried.size()));
            TreeNode child = makeNode(after(leaf.board, action), leaf);
            leaf.children.add(child);
            if (trace != null) {
                MctsViz.Node known = new MctsViz.Node();
                if (outcomeOf(child.board) != GOES_ON) known.outcome = outcomeOf(child.board);
                trace.node(leaf.id, action, known);
            }
            leaf = child;
        }
        int[] board = leaf.board;
        while (outcomeOf(board) == GOES_ON) {
            List<Integer> cells = emptyCells(board);
            int cell = cells.get(random.nextInt(cells.size()));
            board = after(board, cell);
            if (trace != null) trace.rollout(cell);
        }
        int outcome = outcomeOf(board);
        Deque<TreeNode> path = new ArrayDeque<>();
        for (TreeNode node = leaf; node != null; node = node.parent) path.push(node);
        for (TreeNode node : path) {
            double value = toMove(node.board) == 1 ? outcome : -outcome;
            node.visits++;
            node.value += value;
            if (trace != null) trace.update(node.id, value);
        }
        if (trace != null) trace.iteration(leaf.id, outcome);
    }

    public static void main(String[] given) throws IOException {
        int iterations = given.length > 0 ? Integer.parseInt(given[0]) : 1000;
        String path = given.length > 1 ? given[1] : "-"; // "" records nothing
        try (MctsViz trace = path.isEmpty() ? null : new MctsViz(path, METADATA)) {
            TicTacToe search = new TicTacToe(trace);
            int[] empty = new int[9];
            Arrays.fill(empty, EMPTY);
            search.makeNode(empty, null);
            long began = System.nanoTime();
            for (int i = 0; i < iterations; i++) search.iterate();
            double seconds = (System.nanoTime() - began) / 1e9;
            if (given.length < 3 || !given[2].equals("counts")) return;
            List<Integer> visits = search.nodes.stream().map(node -> node.visits).collect(Collectors.toList());
            List<Double> sums = search.nodes.stream().map(node -> node.value).collect(Collectors.toList());
            System.err.println("{\"seconds\": " + seconds + ", \"visits\": " + visits + ", \"value_sum\": " + sums + "}");
        }
    }
}
