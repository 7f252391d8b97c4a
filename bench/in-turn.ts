/** Measures two contenders in turn after a warm-up of each, so that both see the same machine. */

/** The first seconds of WASM run at half speed, until its better code is compiled. */
const WARM_UP_MS = 2500;

/** A contender gives the number of one run: seconds or tokens/s. */
export type Contender = () => Promise<number>;

export async function warmUp(contender: Contender): Promise<void> {
  const until = performance.now() + WARM_UP_MS;
  do await contender();
  while (performance.now() < until);
}

/** Pairs of numbers; who goes first alternates. */
export async function measureInTurn(
  ours: Contender,
  peer: Contender,
  count: number,
): Promise<{ readonly ours: number; readonly peer: number }[]> {
  await warmUp(ours);
  await warmUp(peer);
  const pairs = [];
  for (let i = 0; i < count; i++) {
    const first = i % 2 === 0 ? await ours() : null;
    const theirs = await peer();
    pairs.push({ ours: first ?? (await ours()), peer: theirs });
  }
  return pairs;
}
