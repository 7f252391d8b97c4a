/** What judges need of the world; the entry that composes a run makes it. */
import type { JudgeBudget } from "../../domain/run/judge-usage.ts";
import type { Fetch } from "./chat-call.ts";
import type { JudgeMeter } from "./judge-meter.ts";
import type { VerdictCache } from "./verdict-cache.ts";

export type CacheFor = (name: string) => Promise<VerdictCache>;

export interface EndpointTools {
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Ends early, without an error, when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** The key of an API's address, as it is now; null = none. */
  readonly keyFor: (url: string) => string | null;
  /** As it is now: a person may raise it while the run stands. */
  readonly budget: () => JudgeBudget;
  readonly meter: JudgeMeter;
  /** Verdicts of judges that would give the same ones share a cache, by their name; it may come from a storage. */
  readonly cacheFor: CacheFor;
  /** Of the jitter between tries. */
  readonly seed: number;
}
