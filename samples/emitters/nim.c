/* A whole small UCT for Nim that tells mcts_viz what it does: one JSON object an iteration, on standard output.

     cc -O2 -o nim samples/emitters/nim.c -lm
     ./nim 1000 | mcts-viz import - -o nim.mcts

   Three heaps; a move takes any number from one of them, and who takes the last one wins. What the search itself
   counted goes to standard error at the end, so that it can be compared with the trace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEAPS = 3, TALLEST = 5, ACTIONS = HEAPS * TALLEST, MOST = 100000 };

typedef struct {
  int heap[HEAPS];
  int to_move;
} State;

typedef struct {
  State state;
  int parent, visits, n_tried, n_children;
  int child[ACTIONS], tried[ACTIONS]; /* by action: was it made into a child yet */
  double value;                       /* sum, view of the player who moved here */
} Node;

static Node node[MOST + 1];
static int n_nodes = 1;
static unsigned long long seed = 88172645463325252ULL;

static int random_below(int n) { /* xorshift */
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (int)((seed >> 11) % (unsigned long long)n);
}

/* action a takes a % TALLEST + 1 from heap a / TALLEST */
static int is_legal(const State *s, int a) { return s->heap[a / TALLEST] > a % TALLEST; }

static int legal(const State *s, int *actions) {
  int n = 0;
  for (int a = 0; a < ACTIONS; a++)
    if (is_legal(s, a)) actions[n++] = a;
  return n;
}

static void play(State *s, int a) {
  s->heap[a / TALLEST] -= a % TALLEST + 1;
  s->to_move = 1 - s->to_move;
}

/* who cannot move has lost: 1 when player 0 has won, -1 when player 1 has, else 0 */
static int result(const State *s) {
  int actions[ACTIONS];
  return legal(s, actions) ? 0 : s->to_move == 0 ? -1 : 1;
}

static int best_child(int v) { /* UCB1 */
  int best = -1;
  double best_score = -1e300;
  for (int i = 0; i < node[v].n_children; i++) {
    const Node *c = &node[node[v].child[i]];
    double score = c->value / c->visits + 1.4 * sqrt(log(node[v].visits) / c->visits);
    if (score > best_score) best = node[v].child[i], best_score = score;
  }
  return best;
}

static int expand(int v) { /* one child, of an action drawn from those not tried yet; prints it */
  int actions[ACTIONS], n = legal(&node[v].state, actions), untried[ACTIONS], n_untried = 0;
  for (int i = 0; i < n; i++)
    if (!node[v].tried[actions[i]]) untried[n_untried++] = actions[i];
  if (!n_untried) return v;
  int a = untried[random_below(n_untried)], made = n_nodes++;
  Node *c = &node[made];
  c->state = node[v].state, c->parent = v;
  play(&c->state, a);
  node[v].tried[a] = 1, node[v].n_tried++;
  node[v].child[node[v].n_children++] = made;
  printf("\"new_nodes\":[{\"parent\":%d,\"action\":%d,\"to_move\":%d,\"state\":\"%d %d %d\"", v, a,
         c->state.to_move, c->state.heap[0], c->state.heap[1], c->state.heap[2]);
  if (result(&c->state)) printf(",\"outcome\":%d", result(&c->state));
  printf("}],");
  return made;
}

static int simulate(State s) { /* random moves to the end; prints them */
  int actions[ACTIONS], n, first = 1;
  printf("\"rollout\":[");
  for (; (n = legal(&s, actions)); first = 0) {
    int a = actions[random_below(n)];
    printf(first ? "%d" : ",%d", a);
    play(&s, a);
  }
  printf("],");
  return result(&s);
}

static void back_up(int v, int outcome) { /* leaf first here, but printed from the root on */
  int path[HEAPS * TALLEST + 1], n = 0;
  for (int u = v; u >= 0; u = node[u].parent) path[n++] = u;
  printf("\"leaf\":%d,\"outcome\":%d,\"updates\":[", v, outcome);
  for (int i = n - 1; i >= 0; i--) {
    Node *u = &node[path[i]];
    double value = u->state.to_move == 1 ? outcome : -outcome; /* the other one moved here */
    u->visits++, u->value += value;
    printf("%s{\"node\":%d,\"value\":%g}", i == n - 1 ? "" : ",", path[i], value);
  }
  printf("]");
}

static void iterate(void) {
  int v = 0, actions[ACTIONS];
  while (node[v].n_children && node[v].n_tried == legal(&node[v].state, actions)) v = best_child(v);
  printf("{");
  v = expand(v);
  back_up(v, simulate(node[v].state));
  printf("}\n");
}

int main(int argc, char **argv) {
  int iterations = argc > 1 ? atoi(argv[1]) : 1000;
  if (iterations < 1 || iterations > MOST) return fprintf(stderr, "give 1 to %d iterations\n", MOST), 1;
  node[0] = (Node){.state = {.heap = {3, 4, 5}}, .parent = -1};
  setvbuf(stdout, NULL, _IOLBF, 1 << 16); /* a line at a time, for whoever follows */
  printf("{\"format_version\":2,\"game\":{\"name\":\"nim\",\"title\":\"Nim 3 4 5\",\"n_actions\":%d},", ACTIONS);
  printf("\"players\":[\"first\",\"second\"],\"root\":{\"to_move\":0,\"state\":\"3 4 5\"},\"action_labels\":[");
  for (int a = 0; a < ACTIONS; a++)
    printf("%s\"%d from heap %d\"", a ? "," : "", a % TALLEST + 1, a / TALLEST + 1);
  printf("],\"policies\":{\"selection\":{\"name\":\"ucb1\",\"c\":1.4,\"unvisited\":\"first\"},");
  printf("\"final_move\":{\"name\":\"most_visits\"}},\"budget\":{\"iterations\":%d}}\n", iterations);
  for (int i = 0; i < iterations; i++) iterate();
  fprintf(stderr, "{\"nodes\":%d,\"visits\":[", n_nodes);
  for (int v = 0; v < n_nodes; v++) fprintf(stderr, "%s%d", v ? "," : "", node[v].visits);
  fprintf(stderr, "],\"value_sum\":[");
  for (int v = 0; v < n_nodes; v++) fprintf(stderr, "%s%g", v ? "," : "", node[v].value);
  fprintf(stderr, "]}\n");
  return 0;
}
