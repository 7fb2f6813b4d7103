//! A whole small UCT for Tic-Tac-Toe that tells mcts_viz what it does.
//!
//!     rustc -O -o tic_tac_toe samples/writers/tic_tac_toe.rs
//!     ./tic_tac_toe 1000 - | mcts-viz import - -o tic_tac_toe.mcts
//!
//! The page knows the game by its name and draws its boards; cells are numbered 0 to 8, row by row. With `counts`
//! behind the path, what the search itself counted goes to standard error at the end, to be compared with the trace.
mod mcts_viz;

use mcts_viz::{Action, Node, Writer};
use std::time::Instant;

type Board = [Option<u8>; 9];
const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const C: f64 = 1.4;
const METADATA: &str = r#"{"game": "tic_tac_toe", "policies": {
    "selection": {"name": "ucb1", "c": 1.4, "unvisited": "first"}, "final_move": {"name": "most_visits"}}}"#;

struct Random(u64); // splitmix64
impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn empty_cells(board: &Board) -> Vec<usize> {
    (0..9).filter(|&cell| board[cell].is_none()).collect()
}

fn to_move(board: &Board) -> u8 {
    (board.iter().flatten().count() % 2) as u8
}

/// 1 when player 0 has won, -1 when player 1 has, 0 for a draw, None while the game goes on.
fn outcome_of(board: &Board) -> Option<f64> {
    for [a, b, c] in LINES {
        if board[a].is_some() && board[a] == board[b] && board[b] == board[c] {
            return Some(if board[a] == Some(0) { 1.0 } else { -1.0 });
        }
    }
    board.iter().all(Option::is_some).then_some(0.0)
}

struct TreeNode {
    board: Board,
    parent: Option<usize>,
    untried: Vec<usize>,
    children: Vec<usize>,
    visits: i64,
    value: f64, // view of the player who moved here
}

struct Search {
    nodes: Vec<TreeNode>,
    random: Random,
    trace: Option<Writer>,
}

impl Search {
    fn make_node(&mut self, board: Board, parent: Option<usize>) -> usize {
        let untried = if outcome_of(&board).is_none() { empty_cells(&board) } else { vec![] };
        self.nodes.push(TreeNode { board, parent, untried, children: vec![], visits: 0, value: 0.0 });
        self.nodes.len() - 1
    }

    fn ucb1(&self, id: usize, parent: usize) -> f64 {
        let (node, visits) = (&self.nodes[id], self.nodes[parent].visits as f64);
        node.value / node.visits as f64 + C * (visits.ln() / node.visits as f64).sqrt()
    }

    fn select(&self) -> usize {
        let mut node = 0;
        while self.nodes[node].untried.is_empty() && !self.nodes[node].children.is_empty() {
            let score = |child: usize| self.ucb1(child, node);
            let children = &self.nodes[node].children;
            node = children.iter().copied().reduce(|best, each| if score(each) > score(best) { each } else { best }).unwrap();
        }
        node
    }

    fn iterate(&mut self) -> std::io::Result<()> {
        let mut leaf = self.select();
        let n_untried = self.nodes[leaf].untried.len();
        if n_untried > 0 {
            let place = self.random.below(n_untried);
            let action = self.nodes[leaf].untried.remove(place);
            let mut board = self.nodes[leaf].board;
            board[action] = Some(to_move(&board));
            let child = self.make_node(board, Some(leaf));
            self.nodes[leaf].children.push(child);
            if let Some(trace) = &mut self.trace {
                let known = Node { outcome: outcome_of(&board), ..Node::default() };
                trace.node(leaf, Action::Id(action as i64), &known);
            }
            leaf = child;
        }
        let mut board = self.nodes[leaf].board;
        while outcome_of(&board).is_none() {
            let cells = empty_cells(&board);
            let cell = cells[self.random.below(cells.len())];
            board[cell] = Some(to_move(&board));
            if let Some(trace) = &mut self.trace {
                trace.rollout(cell as i64);
            }
        }
        let outcome = outcome_of(&board).unwrap();
        let mut path = vec![leaf];
        while let Some(parent) = self.nodes[path[path.len() - 1]].parent {
            path.push(parent);
        }
        for &id in path.iter().rev() {
            let node = &mut self.nodes[id];
            let value = if to_move(&node.board) == 1 { outcome } else { -outcome };
            node.visits += 1;
            node.value += value;
            if let Some(trace) = &mut self.trace {
                trace.update(id, value, 1);
            }
        }
        match &mut self.trace {
            Some(trace) => trace.iteration(leaf, Some(outcome)),
            None => Ok(()),
        }
    }
}

fn main() -> std::io::Result<()> {
    let given: Vec<String> = std::env::args().collect();
    let iterations = given.get(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let path = given.get(2).map_or("-", String::as_str); // "" records nothing
    let trace = if path.is_empty() { None } else { Some(Writer::create(path, METADATA)?) };
    let mut search = Search { nodes: vec![], random: Random(12345), trace };
    search.make_node([None; 9], None);
    let began = Instant::now();
    for _ in 0..iterations {
        search.iterate()?;
    }
    if let Some(trace) = search.trace.take() {
        trace.finish()?;
    }
    let seconds = began.elapsed().as_secs_f64();
    if given.get(3).map(String::as_str) != Some("counts") {
        return Ok(());
    }
    let visits: Vec<i64> = search.nodes.iter().map(|node| node.visits).collect();
    let sums: Vec<f64> = search.nodes.iter().map(|node| node.value).collect();
    eprintln!("{{\"seconds\": {seconds}, \"visits\": {visits:?}, \"value_sum\": {sums:?}}}");
    Ok(())
}
