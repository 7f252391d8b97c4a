/**
 * Which language a text in capitals is in, as langdetect 1.0.9 tells it: naive Bayes over n-grams of up to 3 letters, seven trials
 * of random draws. Its n-grams leave out capitals inside a word, so only first letters and the last of a word count, and English in
 * capitals is at times taken for Vietnamese: the reference's verdict, which no better detector gives.
 * Departures: 1. its random numbers are ours. 2. Only profiles of capital letters are held; a text with letters that have no case
 * is not for it.
 */
import { defined } from "../../../../base/assert.ts";
import { createRng } from "../../../../base/rng.ts";

const TRIALS = 7;
const ALPHA = 0.5;
const ALPHA_WIDTH = 0.05;
const BASE_FREQUENCY = 10_000;
const MOST_DRAWS = 1000;
const SURE = 0.99999;
const LEAST = 0.1;
const MOST_CHARACTERS = 10_000;

interface Profiles {
  readonly languages: readonly string[];
  /** n-gram to a share for every language. */
  readonly shares: ReadonlyMap<string, Float64Array>;
}

let profiles: Profiles | null = null;

export async function loadCapitals(): Promise<void> {
  if (profiles !== null) return;
  const { capitalLanguages, capitalShares } = await import("../generated/capital-letters.ts");
  const languages = capitalLanguages.split(" ");
  const lines = capitalShares.trim().split("\n");
  const shares = lines.map((line): [string, Float64Array] => {
    const [gram = "", ...entries] = line.split(" ");
    const of = new Float64Array(languages.length);
    for (const entry of entries) {
      const [at, share] = entry.split(":").map(Number);
      of[at ?? 0] = share ?? 0;
    }
    return [gram.replaceAll("_", " "), of];
  });
  profiles = { languages, shares: new Map(shares) };
}

/** Letters without a case (Chinese, Arabic ...) have no profile here. */
export function isForCapitals(text: string): boolean {
  return !/\p{Lo}/u.test(text);
}

/** The language's two letters; "unknown" where none is likely; null where nothing of the text is in any profile. */
export function capitalLanguage(text: string): string | null {
  const { languages, shares } = defined(
    profiles ?? undefined,
    "capital letters, loaded before they are read",
  );
  const grams = gramsOf(cleaned(text), shares);
  if (grams.length === 0) return null;
  const rng = createRng(0, "language of capitals");
  const total = new Float64Array(languages.length);
  for (let trial = 0; trial < TRIALS; trial++) {
    // a normal deviate, by Box and Muller
    const normal = Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
    const draw = (): Float64Array => defined(grams[rng.below(grams.length)], "an n-gram");
    trialOf(draw, ALPHA + ALPHA_WIDTH * normal, languages.length).forEach((share, i) => {
      total[i] = (total[i] ?? 0) + share / TRIALS;
    });
  }
  const best = total.indexOf(Math.max(...total));
  return (total[best] ?? 0) > LEAST ? (languages[best] ?? null) : "unknown";
}

function trialOf(draw: () => Float64Array, alpha: number, languages: number): Float64Array {
  let shares = new Float64Array(languages).fill(1 / languages);
  for (let i = 0; ; i++) {
    const gram = draw();
    shares = shares.map((share, at) => share * (alpha / BASE_FREQUENCY + (gram[at] ?? 0)));
    if (i % 5 !== 0) continue;
    const sum = shares.reduce((a, b) => a + b, 0);
    shares = shares.map((share) => share / sum);
    if (Math.max(...shares) > SURE || i >= MOST_DRAWS) return shares;
  }
}

/** Without addresses; without Latin letters where most are of another script. */
function cleaned(text: string): string {
  const plain = text
    .replaceAll(/https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g, " ")
    .replaceAll(/[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g, " ")
    .slice(0, MOST_CHARACTERS);
  const latin = plain.match(/[A-z]/g)?.length ?? 0;
  const others = plain.match(/[\u0300-\u1dff\u1f00-\uffff]/g)?.length ?? 0;
  return latin * 2 < others ? plain.replaceAll(/[A-z]/g, "") : plain;
}

/** The shares of every n-gram that is in a profile, a capital that follows a capital left out. */
function gramsOf(text: string, shares: Profiles["shares"]): Float64Array[] {
  const found: Float64Array[] = [];
  let last = " ";
  for (const raw of text) {
    const letter = /[^A-Za-z\u0080-\u{10ffff}]|[\xa0\xab\xb0\xbb\u2000-\u206f]/u.test(raw) ? " " : raw;
    const before = last.at(-1) ?? " ";
    if (before === " " && letter === " ") {
      last = " ";
      continue;
    }
    last = before === " " ? ` ${letter}` : (last + letter).slice(-3);
    if (isCapital(letter) && isCapital(before)) continue;
    for (let n = 1; n <= last.length; n++) {
      const share = shares.get(last.slice(-n));
      if (share !== undefined) found.push(share);
    }
  }
  return found;
}

function isCapital(letter: string): boolean {
  return /\p{Lu}/u.test(letter);
}
