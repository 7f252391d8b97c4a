/**
 * Shares one kernel call among threads. A kernel writes its arguments on a board and runs a function over a range of rows,
 * panels or numbers. Where threads share the memory (ASC_FEATURE_THREADS) and the call is large, the range is cut into pieces
 * that every thread takes until none is left: this one from the front, helpers from the back, so that rows stay in the cache
 * of the core that wrote them. Helpers never leave `serve` until `dismiss`. A piece's numbers do not depend on who computes it.
 */

/** Computes `from` .. `to`-1 of the call whose arguments are on the board. */
export type Piece = (from: i32, to: i32) => void;

/** The most threads of one engine: what each needs for itself has room for so many. */
export const MOST_THREADS: i32 = 8;
/** Work from which a call is shared; handing over costs about one of these thousands. */
const LEAST_WORK: f64 = 4000;
/** Work of a piece: short, since who is done first waits for the last one. */
const PIECE_WORK: f64 = 2000;
const MOST_PIECES: f64 = 64;
/** Looks at the board before a helper lies down: about a millisecond, more than what runs between two shared calls. */
const LOOKS: i32 = 1 << 19;
/** Looks (about a nanosecond each) for the end of the last pieces beyond what they take, before their thread counts as held up. */
const PATIENCE: i32 = 50_000;
const WAIT_NS: i64 = 50_000;
/** Calls that are not shared after that, since another program wants the core: twice as many each time, until all goes well. */
const LEAST_RETREAT: i32 = 64;
const MOST_RETREAT: i32 = 2048;
/** Shared calls without being held up after which all goes well. */
const SMOOTH: i32 = 512;

/** What threads wait for has a cache line to itself. */
const BOARD: usize = memory.data(448, 64);
/** The number of the call in the upper half; in the lower one, 16 bits each, the first piece that nobody has taken yet, and their end. */
const TICKET: usize = BOARD;
/** Pieces that helpers have finished. */
const DONE: usize = BOARD + 64;
/** Helpers that lie down and have not been rung for since. */
const SLEEPERS: usize = BOARD + 128;
/** Changes when sleepers are to look at the board. */
const BELL: usize = BOARD + 192;
/** 1: helpers leave, or one has failed. */
const ENDED: usize = BOARD + 256;
const PIECE: usize = BOARD + 320;
const COUNT: usize = BOARD + 324;
const GRAIN: usize = BOARD + 328;
const ARGUMENTS: usize = BOARD + 336;

let threads: i32 = 1;
let mayWait: bool = false;
let me: i32 = 0;
let call: u64 = 0;
let helped: i32 = 0;
/** Calls still to be made alone. */
let alone: i32 = 0;
let retreat: i32 = LEAST_RETREAT;
let smooth: i32 = 0;

/** How many threads there are, and whether this one may wait without working (a window may not). */
export function setThreads(count: i32, waits: bool): void {
  threads = count;
  mayWait = waits;
}

/** This thread's number: 0 runs the graphs. */
// @ts-ignore: decorator
@inline
export function thread(): i32 {
  return ASC_FEATURE_THREADS ? me : 0;
}

// @ts-ignore: decorator
@inline
export function put(i: i32, value: usize): void {
  store<usize>(ARGUMENTS + (i << 2), value);
}

// @ts-ignore: decorator
@inline
export function argument(i: i32): i32 {
  return load<i32>(ARGUMENTS + (i << 2));
}

/**
 * Runs `piece` over 0 .. `count`-1, on this thread or on all. `work` is what the whole call takes one thread, in nanoseconds or
 * so. Pieces begin at multiples of `unit`, so that whole vectors written at the end of one do not reach into the next.
 */
export function run(piece: Piece, count: i32, unit: i32, work: f64): void {
  if (ASC_FEATURE_THREADS) {
    if (threads > 1 && work >= LEAST_WORK && count > unit) {
      if (alone == 0) {
        const pieces = min(MOST_PIECES, work / PIECE_WORK);
        const most = <i32>pieces * unit;
        share(piece, count, ((count + most - 1) / most) * unit, PATIENCE + <i32>min(1e9, 4 * work / pieces));
        return;
      }
      alone--;
    }
  }
  piece(0, count);
}

function share(piece: Piece, count: i32, grain: i32, patience: i32): void {
  const pieces = (count + grain - 1) / grain;
  store<i32>(PIECE, piece.index);
  store<i32>(COUNT, count);
  store<i32>(GRAIN, grain);
  atomic.store<i32>(DONE, 0);
  call++;
  atomic.store<u64>(TICKET, (call << 32) | pieces);
  if (atomic.load<i32>(SLEEPERS) != 0 && atomic.xchg<i32>(SLEEPERS, 0) != 0) ring();
  let own = 0;
  while (takePiece(false)) own++;
  awaitHelpers(pieces - own, patience);
  helped += pieces - own;
}

/** Computes a piece; false where none is left. */
function takePiece(last: bool): bool {
  let ticket = atomic.load<u64>(TICKET);
  while (piecesLeft(ticket) > 0) {
    const seen = atomic.cmpxchg<u64>(TICKET, ticket, last ? ticket - 1 : ticket + 0x10000);
    if (seen == ticket) {
      // while a piece is out nobody changes what else is on the board
      const grain = load<i32>(GRAIN);
      const from = (last ? <i32>(ticket & 0xffff) - 1 : <i32>((ticket >> 16) & 0xffff)) * grain;
      call_indirect<void>(load<u32>(PIECE), from, min(load<i32>(COUNT), from + grain));
      return true;
    }
    ticket = seen;
  }
  return false;
}

// @ts-ignore: decorator
@inline
function piecesLeft(ticket: u64): i32 {
  return <i32>(ticket & 0xffff) - <i32>((ticket >> 16) & 0xffff);
}

function awaitHelpers(pieces: i32, patience: i32): void {
  let looks = 0;
  let done = atomic.load<i32>(DONE);
  while (done < pieces) {
    if (++looks == patience) heldUp();
    if (looks > patience) {
      if (atomic.load<i32>(ENDED) != 0) unreachable();
      if (mayWait) atomic.wait<i32>(DONE, done, WAIT_NS);
    }
    done = atomic.load<i32>(DONE);
  }
  if (++smooth == SMOOTH) retreat = LEAST_RETREAT;
}

function heldUp(): void {
  alone = retreat;
  retreat = min(MOST_RETREAT, 2 * retreat);
  smooth = 0;
}

function ring(): void {
  atomic.add<i32>(BELL, 1);
  atomic.notify(BELL, -1);
}

/** A helper's life. */
export function serve(number: i32): void {
  if (!ASC_FEATURE_THREADS) return;
  me = number;
  let looks = 0;
  while (atomic.load<i32>(ENDED) == 0) {
    if (takePiece(true)) {
      atomic.add<i32>(DONE, 1);
      looks = 0;
    } else if (++looks > LOOKS) {
      sleep();
      looks = 0;
    }
  }
}

function sleep(): void {
  const bell = atomic.load<i32>(BELL);
  atomic.add<i32>(SLEEPERS, 1);
  // a call that is put up after this sees the sleeper, and rings
  if (piecesLeft(atomic.load<u64>(TICKET)) == 0 && atomic.load<i32>(ENDED) == 0) {
    atomic.wait<i32>(BELL, bell, -1);
  }
}

/** Pieces that helpers have computed. */
export function helpedPieces(): i32 {
  return helped;
}

/** Helpers leave; a call that waits for one fails. */
export function dismiss(): void {
  if (!ASC_FEATURE_THREADS) return;
  atomic.store<i32>(ENDED, 1);
  ring();
}
