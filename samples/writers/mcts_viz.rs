//! Tells mcts_viz what a search in Rust does. One file, no dependency: copy it into your crate and say `mod mcts_viz;`.
//!
//! ```ignore
//! let mut trace = mcts_viz::Writer::create("run.ndjson", r#"{"game": "tic_tac_toe"}"#)?;
//! let child = trace.node(parent, Action::Id(4), &Node::default());  // a node that the search has made; the root is 0
//! trace.update(node, value, 1);     // what backpropagation added to it; root first
//! trace.iteration(leaf, outcome)?;  // the iteration is over
//! ```
//!
//! then `mcts-viz import run.ndjson -o run.mcts`, or write to "-" and pipe it. The document is the trace's metadata
//! (docs/trace-format.md); values are in the view of the player who moved into the node, outcomes in that of player 0.
#![allow(dead_code)]

use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// What may be known of a new node; what is None is not written.
#[derive(Default)]
pub struct Node<'a> {
    /// Player to move at it: 0 or 1, -2 for chance.
    pub to_move: Option<i32>,
    pub prior: Option<f64>,
    /// Where the game is over at it, view of player 0.
    pub outcome: Option<f64>,
    /// Readable name of the move into it.
    pub label: Option<&'a str>,
    /// The position, as text.
    pub state: Option<&'a str>,
}

/// A move, by its number or its name.
pub enum Action<'a> {
    Id(i64),
    Name(&'a str),
}

/// Writes one line an iteration. What is left is written when it is dropped; `finish` says whether that worked.
pub struct Writer {
    file: Box<dyn Write + Send>,
    began: Instant,
    written: Instant,
    lines: Vec<u8>,
    nodes: Vec<u8>,
    updates: Vec<u8>,
    rollout: Vec<u8>,
    has_rollout: bool,
    n_nodes: usize,
}

impl Writer {
    /// path: the file, or "-" for standard output. metadata: a JSON object.
    pub fn create(path: &str, metadata: &str) -> io::Result<Writer> {
        let file: Box<dyn Write + Send> =
            if path == "-" { Box::new(io::stdout()) } else { Box::new(File::create(path)?) };
        let now = Instant::now();
        let mut writer = Writer {
            file,
            began: now,
            written: now,
            lines: Vec::with_capacity(1 << 17),
            nodes: Vec::new(),
            updates: Vec::new(),
            rollout: Vec::new(),
            has_rollout: false,
            n_nodes: 1,
        };
        let rest = metadata.find('{').map_or("}", |first| &metadata[first + 1..]).trim_start();
        writer.lines.extend_from_slice(b"{\"format_version\": 2");
        if !rest.starts_with('}') {
            writer.lines.extend_from_slice(b", ");
        }
        writer.lines.extend(rest.bytes().map(|byte| if byte == b'\n' || byte == b'\r' { b' ' } else { byte }));
        writer.lines.push(b'\n');
        writer.write()?;
        Ok(writer)
    }

    /// A node that the search has made below another one; its number.
    pub fn node(&mut self, parent: usize, action: Action, known: &Node) -> usize {
        let to = &mut self.nodes;
        to.extend_from_slice(if to.is_empty() { b"{\"parent\":" } else { b",{\"parent\":" });
        whole(to, parent as i64);
        to.extend_from_slice(b",\"action\":");
        match action {
            Action::Id(id) => whole(to, id),
            Action::Name(name) => text(to, name),
        }
        if let Some(player) = known.to_move {
            to.extend_from_slice(b",\"to_move\":");
            whole(to, player as i64);
        }
        for (key, value) in [(",\"prior\":", known.prior), (",\"outcome\":", known.outcome)] {
            if let Some(value) = value {
                to.extend_from_slice(key.as_bytes());
                number(to, value);
            }
        }
        for (key, words) in [(",\"label\":", known.label), (",\"state\":", known.state)] {
            if let Some(words) = words {
                to.extend_from_slice(key.as_bytes());
                text(to, words);
            }
        }
        to.push(b'}');
        self.n_nodes += 1;
        self.n_nodes - 1
    }

    /// What backpropagation added to a node: call it for each node of the path, the root first.
    pub fn update(&mut self, node: usize, value: f64, visits: i64) {
        let to = &mut self.updates;
        to.extend_from_slice(if to.is_empty() { b"{\"node\":" } else { b",{\"node\":" });
        whole(to, node as i64);
        if visits != 1 {
            to.extend_from_slice(b",\"visits\":");
            whole(to, visits);
        }
        to.extend_from_slice(b",\"value\":");
        number(to, value);
        to.push(b'}');
    }

    /// A move of the simulation; -1 stands between two simulations of a leaf.
    pub fn rollout(&mut self, step: i64) {
        if !self.rollout.is_empty() {
            self.rollout.push(b',');
        }
        whole(&mut self.rollout, step);
        self.has_rollout = true;
    }

    /// The iteration is over. leaf: the node that was evaluated; outcome: of it, view of player 0.
    pub fn iteration(&mut self, leaf: usize, outcome: Option<f64>) -> io::Result<()> {
        self.lines.extend_from_slice(b"{\"leaf\":");
        whole(&mut self.lines, leaf as i64);
        list(&mut self.lines, ",\"new_nodes\":[", &mut self.nodes, false);
        list(&mut self.lines, ",\"updates\":[", &mut self.updates, false);
        if let Some(outcome) = outcome {
            self.lines.extend_from_slice(b",\"outcome\":");
            number(&mut self.lines, outcome);
        }
        list(&mut self.lines, ",\"rollout\":[", &mut self.rollout, self.has_rollout);
        self.lines.extend_from_slice(b",\"elapsed\":");
        let now = Instant::now();
        whole(&mut self.lines, (now - self.began).as_nanos() as i64);
        self.lines.extend_from_slice(b"}\n");
        // who follows the file sees an iteration after a quarter of a second
        if self.lines.len() >= 1 << 16 || now - self.written > Duration::from_millis(250) {
            self.write()?;
        }
        Ok(())
    }

    /// Write the rest.
    pub fn finish(mut self) -> io::Result<()> {
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let done = self.file.write_all(&self.lines).and_then(|()| self.file.flush());
        self.lines.clear();
        self.written = Instant::now();
        done
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.write();
    }
}

fn list(to: &mut Vec<u8>, key: &str, items: &mut Vec<u8>, always: bool) {
    if items.is_empty() && !always {
        return;
    }
    to.extend_from_slice(key.as_bytes());
    to.append(items);
    to.push(b']');
}

fn whole(to: &mut Vec<u8>, n: i64) {
    let mut digits = [0u8; 20];
    let mut place = digits.len();
    let mut rest = n.unsigned_abs();
    loop {
        place -= 1;
        digits[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        to.push(b'-');
    }
    to.extend_from_slice(&digits[place..]);
}

fn number(to: &mut Vec<u8>, x: f64) {
    if x.fract() == 0.0 && x.abs() < 1e15 {
        whole(to, x as i64);
    } else if x.is_finite() {
        let _ = write!(to, "{x:e}");
    } else {
        to.extend_from_slice(b"null"); // JSON has no other; the import names the line
    }
}

fn text(to: &mut Vec<u8>, words: &str) {
    to.push(b'"');
    for byte in words.bytes() {
        match byte {
            b'"' | b'\\' => to.extend_from_slice(&[b'\\', byte]),
            0..=0x1f => {
                let _ = write!(to, "\\u{byte:04x}");
            }
            _ => to.push(byte),
        }
    }
    to.push(b'"');
}
