// Names of what the page's scripts hand each other; tsc checks the scripts' JSDoc with them. Nothing of it runs.

type Theme = "light" | "dark";
type Phase = "select" | "expand" | "simulate" | "backpropagate";
type Direction = "up" | "down" | "left" | "right";
type Part = "node" | "handle" | "stub" | "ancestor"; // of an item under the mouse, or a node above the focus
type Span = [number, number];
type Pen = CanvasRenderingContext2D;
type Terms = [value: number, exploration: number];

/** An answer of a binary route: a JSON header and columns (web/routes/binary.py). */
interface Message {
  meta: any;
  columns: Record<string, any>;
}

interface Scale {
  mode: string;
  title: string;
  stops: Record<Theme, string[]>;
  categorical: boolean;
  logarithmic: boolean;
  low: number;
  high: number;
  low_text: string;
  high_text: string;
}

interface Selection {
  name: string;
  c?: number;
  unvisited?: number | string;
}

/** The header of a view (web/routes/views.py). */
interface Meta {
  n_iterations: number;
  n_nodes: number;
  n_visible: number;
  first?: number; // iteration
  view?: Record<string, string>; // as a query
  recording?: string;
  complete: boolean;
  players: string[];
  mirrors: boolean; // what one player gains the only other one loses
  player_values?: boolean; // the values of each player are the server's to give
  collects?: number | null; // the one player whose moves collect values, if not all do
  labels: string[];
  colour_modes: string[];
  scales: Record<string, Scale>;
  unvisited: Record<Theme, string>; // colours
  value_range: Span;
  focus_path: {node: number; label: string}[];
  has_phases: boolean;
  has_results: boolean;
  noun: string; // what a node is
  selection: Selection | null;
  shared?: string; // "nodes": nodes that are shared have numbers of their own
  game?: {name: string; title: string}; // built in; null: another one
  final_move: {name: string; known: boolean}; // the rule by which the search would play
  no_rerun?: string; // why the search cannot be run again; "" where it can
}

/** Columns that a view and an icicle share, by item: [M]. Items are nodes, then stubs ("+k more" of a node's children). */
interface ItemColumns {
  node: Int32Array; // of a stub: its parent's
  parent: Int32Array; // item, -1: none
  mover: Int8Array; // player who moved into the node, -1: nobody
  prior: Float32Array;
  outcome: Float32Array; // of a finished game, view of player 0, nan: not finished
  label: Int32Array; // in labels
  n_children: Int32Array; // of the whole tree
  chance?: Uint8Array;
  together?: Uint8Array; // all players choose at once
  failed?: Float32Array; // 1: the node has an error
  same_as?: Int32Array; // of a further way to a shared node: that node, -1: a node of its own
  proven?: Float32Array; // view of player 0
  proven_at?: Int32Array; // iteration
  proven_score?: Float32Array;
  order: Int32Array; // items by level, left to right
  level_start: Int32Array; // [levels + 1] in order
}

interface ViewColumns extends ItemColumns {
  x: Float64Array;
  depth: Int32Array;
}

type ItemSource = ReturnType<typeof mcts.geometry.items>;
type Geometry = ReturnType<typeof mcts.geometry.create>;
type TreeView = Geometry & {meta: Meta; gap: Float64Array};
type Stage = ReturnType<typeof mcts.phases.stage>;
type Replay = ReturnType<typeof mcts.replay.create>;

/** Statistics of items at iteration t; -1: none yet. */
interface Numbers {
  t: number;
  visits: Int32Array;
  valueSum: Float64Array;
  count: Int32Array; // nodes that an item stands for, 0: it does not exist yet
  squareSum: Float64Array | null; // of each value, where the windows tell it
  lastVisit: Int32Array; // iteration, 0: none
}

/** What one iteration did, in items. */
interface Iteration {
  path: number[]; // the focus first
  leaf: number; // node
  depth: number; // edges from the root to the leaf
  outcome: number; // view of player 0
  updated: Int32Array;
  made: Int32Array;
  hasTail?: boolean;
  end: HiddenEnd;
}

/** The n nodes of a selected path that no item shows. */
interface HiddenEnd {
  n: number;
  labels?: string[];
  node?: Int32Array;
  label?: Int32Array; // in labels
  mover?: Int8Array;
  prior?: Float32Array;
  result?: Float32Array; // of a finished game
  visits?: Int32Array; // after the iteration
  valueSum?: Float64Array;
  visitsBefore?: Int32Array;
  valueBefore?: Float64Array;
  isNew?(i: number): boolean;
}

/** Where it hangs in the last picture, in pixels; its nodes are the items from 1 on of a chain. */
interface PlacedEnd {
  above: number; // item that it hangs under
  last: number; // last item of the path
  x: number;
  y: number[]; // of the nodes shown, the last ones
  skipped: number;
  radius: number;
  room?: Box; // that it takes with its texts, once it is drawn
  isNew(i: number): boolean;
  c: ItemSource;
  state: Numbers;
}

/** Pixels of a picture. */
interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Where a graph's plot area is in the graph, in CSS pixels, and the ranges that it shows; y[0] is the lower edge. */
interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  x: Span;
  y: Span;
}

interface Graph extends HTMLElement {
  on(event: string, listener: (event?: any) => void): void;
  mctsPane?: {frame(): Frame; relayout(changes: Record<string, any>): Promise<unknown>};
  _fullLayout?: any;
  data?: unknown[];
}

/** What the colour of an item shows; nan for none. */
type Measure = (item: number, state: Numbers) => number;

interface Colouring {
  table: {fills: string[]; inks: string[]};
  place(value: number): number;
  measure: Measure;
}

interface ViewOptions {
  colour: string;
  size: string;
  numbers: number; // 1: written beside the first two levels
  theme: Theme;
  show: string;
  hits?: number[]; // nodes in which words were found
}

interface PaintReport {
  t: number | null;
  milliseconds: number;
  at: number;
  drawn: number;
  skipped: number;
  sinceInput?: number; // milliseconds
}

/** What lies under the mouse; item -1: a node that is no item. */
type Found = {item: number, node: number, part: Part, end?: PlacedEnd & {place: number}};

interface MouseHandlers {
  onHover(item: number, event: MouseEvent | null, found?: Found | null): void;
  onClick(found: Found): void;
  onDoubleClick(found: Found): void;
}

interface TreeHandlers extends MouseHandlers {
  onZoom?(times: number): void; // a person has zoomed: times as large as fitted
  onPaint(report: PaintReport): void;
}

interface TreePicture {
  pen: Pen;
  view: TreeView;
  stage: Stage;
  state: Numbers;
  options: ViewOptions;
  ink: Record<string, string>;
  colouring: Colouring;
  frame: Frame;
  kx: number; // pixels a unit of x
  ky: number; // pixels a level
  bottom: number; // where the legend begins
  px: Float32Array; // [M] of the last picture
  py: Float32Array;
  radius: Float32Array;
  stubWidth: Float32Array;
  labelEnd: Float32Array; // 0: no label
  drawnAt: Int32Array; // paintId
  paintId: number;
  important: Uint8Array;
  selected: number; // item
  hovered: number; // item
  end: PlacedEnd | null;
  written: Box[]; // where labels of the last picture stand
}

type IcicleWindow = ItemSource & {from: number; to: number; replay: Replay; stage: Stage; nBelow: Int32Array};

interface IcicleBox {
  item: number; // -1: a node above the focus
  node: number;
  x: number;
  width: number;
}

/** Which part of the width is seen: that many times as wide, from that part of it on. */
interface IcicleZoom {
  times: number;
  from: number; // in [0, 1 - 1 / times]
}

interface IciclePicture {
  pen: Pen;
  current: IcicleWindow;
  meta: Meta;
  options: ViewOptions;
  ink: Record<string, string>;
  colouring: Colouring;
  selected: number; // node
  scroll: number; // rows scrolled away at the top
  zoom: IcicleZoom;
  drawn: IcicleBox[][]; // by row, from left to right
  place: {x: number; width: number; row: number; height: number; right: number; y(row: number): number; rowAt(y: number): number};
}

interface IcicleReport {
  t: number | null;
  phase: Phase | null;
  drawn: number;
  narrow: number;
  rows: number;
  hiddenRows: number;
  milliseconds: number;
  at: number;
}

interface IcicleHandlers {
  fetchWindow(trace: string, query: string): Promise<Message>;
  onSelect(node: number): void;
  onFocus(node: number): void;
  onHover(item: number, c: ItemSource | null, state: Numbers | null, event: MouseEvent | null): void;
  onDraw(): void;
  onError(error: Error): void;
  iteration(): number | null; // the tree's
  phase(): Phase | null;
  isPlaying(): boolean;
}

/** The part of the cursor that says what is in view and how. */
interface View {
  budget: number;
  colour: string;
  size: string;
  viewpoint: string;
  show: string;
  opened: number[];
  closed: number[];
  whole: number[];
  focus: number;
  least: number;
  top: number;
  levels: number;
  pv: number;
  wide: number;
  high: number;
  numbers: number;
}

/** A field of the view, as views/view_spec.py lists it. */
interface ViewField {
  name: keyof View;
  kind: string;
  value: any; // default
  choices: string[];
  selects: boolean; // whether it chooses nodes
  filters: boolean;
}

interface Cursor {
  trace: string | null;
  iteration: number;
  phase: Phase | null;
  node: number;
  view: View;
}

/** Where to open a trace; what is missing is as at first. */
interface Place {
  trace?: string;
  iteration?: number | "middle";
  phase?: Phase | null;
  node?: number;
  view?: Partial<View>;
}

interface ViewParts {
  message: Message;
  first: Message;
  t: number;
}

/** What shows the end of a trace that grows, and the view that it was asked for with. */
interface EndParts extends ViewParts {
  run: Message; // the timeline
  query: string;
}

interface EndAnswer {
  standing: LiveAnswer;
  parts: EndParts | null; // none of a trace that has not grown
}

interface Card {
  node: number;
  isStub: boolean;
  title: string;
  subtitle: string;
  rows: [string, string][];
}

interface Reach {
  steps: string; // why there is nothing to step through; "" where there is
  phases: string;
  again: string; // why it cannot be searched again; "" where it can
}

interface PageParts {
  tree: ReturnType<typeof mcts.treeCanvas.create>;
  icicle: ReturnType<typeof mcts.icicle.create> | null;
  timeline: ReturnType<typeof mcts.timeline.create>;
  hover: ReturnType<typeof mcts.hover.create>;
  player: ReturnType<typeof mcts.player.create>;
  cursor: ReturnType<typeof mcts.cursor.create>;
}

interface Shown {
  geometry: Geometry;
  meta: Meta;
  replay: Replay;
  stage: Stage;
}

interface Session {
  page: PageParts | null;
  shown: Shown | null;
  length: number; // iterations that the trace is known to have: more than the view's while it grows
  phase: Phase | null; // asked for
  theme: Theme;
  reach: Reach;
  riding: boolean; // whether the cursor stays at the end of a growing trace
  tickets: number; // views asked for; an older answer is dropped
  loading: number; // views on their way
  coming: {trace: string, view: View, opens: boolean} | null; // the view on its way; opens: of a trace that is being opened
  beyond: number | null; // the iteration wanted, where the view is shorter
  extending: boolean; // whether a view that has it was asked for
  keyAt: number | null; // milliseconds
  paints: PaintReport[];
}

interface AppEvents {
  onRest(cursor: Cursor, isNew: boolean, goesOn: boolean): void;
  onTimeline(trace: string, meta: any): void;
  onMark(direction: number): void;
  onBookmark(): void;
  onFind(): void;
  onHelp(): void;
  onMount(): void;
  onEarly(parts: ViewParts, view: View, part: Place): void;
  onOpen(): void;
  onNothing(words: string, trace: string): void;
  onFollow(): void;
  onLeaveEnd(): void;
  onView(meta: Meta): void;
  onPlayChange(isPlaying: boolean, speed: number): void;
  onReach(reach: Reach): void;
  onBrush(span: Span): void;
  onSearch(by: number): void; // open another search of the file, where it holds many
  onSpan(direction: number): void; // begin (-1) or end (1) one at the iteration shown
  onPassing(): void;
  onWhy(): void;
  onBack(): boolean; // whether something was closed
}

interface MarkEvent {
  iteration: number;
  kind: string;
  node?: number | null;
  text: string;
}

interface Note {
  id: string;
  iteration: number;
  node: number;
  text: string;
  revision: number;
  where?: string;
  created?: string;
  changed?: string;
  unsaved?: boolean; // whether the server lacks its text
}

/** The parts of a note's row. */
/** Of a table: pixels by column, as long as it shows the same columns of one trace. */
interface ColumnWidths {
  trace: string;
  names: string;
  need: Map<string, number>; // pixels
  filled: Set<string>; // columns that are not empty
}

interface NoteRow {
  row: HTMLElement;
  place: HTMLElement;
  text: HTMLTextAreaElement;
  status: HTMLElement;
}

/** What the notes of a trace tell the tab that shows them. */
interface NoteEvents {
  change(): void;
  edit(id: string): void; // its text
  state(id: string): void; // it is on its way to the server
  adopt(id: string, kept: string): void; // it has become another note
}

interface NoteActions {
  go(iteration: number, node: number): void;
  say(text: string): void;
  save(address: string): Promise<void>;
  place(): Cursor | null;
  onChange(trace: string, notes: Note[]): void;
}

/** What the list of traces says of one (web/summaries.py). */
interface TraceSummary {
  game: string;
  preset: string;
  iterations: string;
  move: string;
  pictures: string[]; // themes
  findings?: string;
}

interface Window {
  React: any;
  dashMantineFunctions?: Record<string, Function>;
  dash_clientside: any;
  dashAgGridFunctions?: Record<string, Function>;
  dashAgGridComponentFunctions?: Record<string, Function>;
  dash_component_api: any;
  dash_stores?: any[];
  dash_ag_grid?: {AgGrid: any, getApi?(id: string): any, getApiAsync?(id: string): Promise<any>};
  Plotly: any;
}

interface ReplayOptions {
  nIterations: number;
  nItems: number;
  parent: ArrayLike<number>; // [M]
  fetchWindow(from: number, to: number): Promise<Message>;
  onMove(t: number): void; // after the state moved
  onError(error: Error): void;
}

/** A window of iterations, with the numbers before each update for the way back. */
interface ReplayWindow {
  from: number;
  to: number;
  base_visits: Int32Array;
  base_value_sum: Float64Array;
  base_count: Int32Array;
  base_last_visit?: Int32Array;
  base_square_sum?: Float64Array;
  update_offset: Int32Array; // [iterations + 1]
  update_item: Int32Array;
  update_visits: Int32Array;
  update_value: Float64Array;
  new_offset: Int32Array; // [iterations + 1]
  new_item: Int32Array;
  leaf: Int32Array; // node
  leaf_item: Int32Array;
  leaf_depth: Int32Array;
  path_offset?: Int32Array; // [iterations + 1], of the next; where nodes are shared
  path_item?: Int32Array;
  outcome: Float32Array; // view of player 0
  chosen: Int32Array; // node, -1: none
  node_count: Int32Array;
  end_labels: string[];
  end_offset: Int32Array; // [iterations + 1], of the columns of hidden ends
  end_node: Int32Array;
  end_label: Int32Array;
  end_mover: Int8Array;
  end_prior: Float32Array;
  end_result: Float32Array;
  end_visits: Int32Array;
  end_visits_before: Int32Array;
  end_value_sum: Float64Array;
  end_value_sum_before: Float64Array;
  beforeVisits: Int32Array;
  beforeValue: Float64Array;
  beforeSquares: Float64Array | null;
  beforeLast: Int32Array;
}

interface PlayerOptions {
  position(): number; // iteration
  ahead(t: number, steps: number): number; // that many steps further, t at the end
  seek(t: number): boolean; // whether t is shown already
  onChange(): void;
}

/** The iterations through a node, which steps go through alone. */
interface Passing {
  trace: string;
  node: number;
  move: string;
  last: number; // iteration up to which they were looked for
  iterations: Int32Array; // rising
}

/** What the timeline shows of the iterations that are asked about. */
interface Brush {
  bins: number[]; // iterations that made a number, in parts of the search of equal length
  span: Span | null; // first and last iteration
}

/** A number of a node, and where it was asked: `earlier` where it was shown as before the iteration. */
interface AskedNumber {
  node: number;
  number: string;
  earlier: boolean;
  inB: {trace: string; t: number} | null; // of the other search in Compare, at an iteration of it
}

interface OriginRow {
  iteration: number;
  through: string;
  visits: number;
  value: number;
  added: number | null;
  after: number | null;
  infinite: boolean;
}

/** Where a number comes from (web/routes/origin.py). */
interface OriginAnswer {
  node: number;
  move: string;
  number: string;
  name: string;
  view?: string; // the player whose view it is
  of_score: boolean;
  t: number;
  total: number | null;
  infinite: boolean;
  kept: number | null;
  kept_visits: number;
  single: boolean; // whether the trace has single iterations
  n: number;
  bins: number[];
  curve: {iteration: number[]; after: (number | null)[]};
  children: {node: number; move: string; n: number}[];
  more_children: number;
  first: number;
  rows: OriginRow[];
}

/** What a range of iterations did (analysis/origin/span.py). */
interface TotalsAnswer {
  first: number;
  last: number;
  node: number;
  iterations: number;
  moves: {node: number; move: string; iterations: number}[];
  ended: number;
  reasons: Record<string, number>;
  step: number;
  new_nodes: number;
  outcomes: Record<string, number>;
  mean_outcome: number | null;
  view: string; // of the outcomes, in words
}

/** What the panel of a number's origin shows. */
interface OriginShown {
  answer: OriginAnswer | null;
  totals: TotalsAnswer | null;
  span: Span | null;
  cursor: Cursor;
  passing: Passing | null;
  isOfB: boolean; // of the other search in Compare
}

/** What the panel of a number's origin asks of the page. */
interface OriginActions {
  go(iteration: number): void;
  select(node: number): void;
  page(first: number): void; // row
  span(next: Span | null): void;
  passing(): void;
  close(): void;
}

interface MarkActions {
  go(iteration: number, node: number | null): void;
  threshold(value: number | null): void;
  say(text: string): void;
}

/** A range of iterations with one leader, in iterations. */
interface Reign {
  node: number;
  from: number;
  to: number;
}

interface Leader {
  node: number;
  share: number; // of the search
}

/** A run of a search as the timeline draws it. */
interface Run {
  n: number; // iterations
  iteration: Float64Array;
  value: Float64Array; // of the root; nan: none
  range: Span;
  words: string; // whose view the values are
  stretches: Reign[];
  led: Leader[];
  nameOf(node: number): string;
  colourOf(node: number): string;
}

type VerdictRange = [first: number, last: number, verdict: number];

/** A child compared at a level of the path. */
interface Compared {
  item: number;
  terms: Terms;
  score: number;
  digits: number;
  isChosen: boolean;
  isTied: boolean;
}

interface CompareState {
  b: string | null; // key of a trace
  at: number | null; // iteration, null: in step with A
  colour?: string;
  rank?: string;
  selected?: number | null;
}


/* what the page's selectors find are HTML elements */
interface ParentNode {
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}
interface Element {
  closest<E extends Element = HTMLElement>(selectors: string): E | null;
}

interface Cluster {
  x: number; // pixels
  events: MarkEvent[];
}

interface MarkChoice {
  off: Set<string>; // kinds that are not shown
  threshold: number | null;
}

interface MarksAnswer {
  events: MarkEvent[];
  found: Record<string, number>; // by kind
  hidden: Record<string, number>;
}

interface FindingMarks {
  events: MarkEvent[];
  elsewhere: number; // findings of no iteration
}

/** What the page shows of a trace that may grow. */
interface LiveShown {
  trace: string;
  recording?: string;
  n: number; // iterations
  complete: boolean;
}

/** How a recording stands (web/routes/live.py). */
interface LiveAnswer {
  state: string;
  words: string;
  recording?: string;
  n_iterations: number;
}

/** Exact results of a trace's nodes (web/routes/truth.py). */
interface WorkersAnswer {
  workers: number[];
  lanes: number[][]; // by worker, of each step
  step: number; // iterations
  n_iterations: number;
}

interface TruthAnswer {
  n_iterations: number;
  stretches: VerdictRange[];
  nodes: number[];
  results: number[]; // view of player 0
}

/** What an HTML file that steps by itself is about (web/one_file). */
interface FileAbout {
  name: string;
  game: string;
  first: number; // iterations
  last: number;
  shown: number;
  n_iterations: number;
  status: string; // how far a recording that broke off or is damaged goes; empty for a whole one
  most: number; // iterations in a file
  view: Partial<View>;
}

type DebugItem = NonNullable<ReturnType<typeof mcts.app.debug>>["items"][number];

/** What the page on a fleet shows (web/fleet_page/query.py). */
interface FleetAsked {
  filter: Record<string, any>; // AG Grid's, by column
  sort: {colId: string; sort: string}[];
  columns: string[]; // none: those of the beginning
  bars: string[]; // columns with a histogram
  question: string;
  brush: Record<string, any>[]; // rows of its answer
  check: string;
  picked: string[]; // ids of searches
  tab: string;
}
