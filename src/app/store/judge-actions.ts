/**
 * Actions on judges. Keys are here and in the worker's memory; in the tab's session storage only where a person asks for it, and
 * in nothing that is shown, kept or exported.
 */
import { judgesOf, type JudgeSpec, type RunJudges } from "../../domain/run/judge-spec.ts";
import type { JudgeBudget } from "../../domain/run/judge-usage.ts";
import type { Compared, HumanLabel } from "../protocol/judge-messages.ts";
import type { Result } from "../protocol/messages.ts";
import type { ModelChoice } from "../protocol/model-messages.ts";
import { guarded } from "./asking.ts";
import type { KeyValueStorage } from "./page-storage.ts";
import type { RunActions } from "./run-actions.ts";
import type { Settings } from "./set-up.ts";
import type { Shop } from "./shop.ts";

const KEPT_KEYS = "rubric-playground/judge-keys";

export interface JudgeActions {
  readonly askJudge: (asked: boolean) => void;
  /** A fresh run with these judges. */
  readonly applyJudges: (judges: RunJudges) => Promise<void>;
  /** The key of an address, and whether the tab's session keeps it. */
  readonly judgeKey: (url: string) => { readonly key: string; readonly kept: boolean };
  /** "" forgets it. */
  readonly setJudgeKey: (url: string, key: string, keep: boolean) => Promise<void>;
  /** The keys again, to a worker that does not know them. */
  readonly sendJudgeKeys: () => void;
  readonly setJudgeBudget: (of: "training" | "heldOut", budget: JudgeBudget) => Promise<void>;
  /** Name of the second model that judges; null = none. @throws RequestError */
  readonly loadJudgeModel: (model: ModelChoice | null) => Promise<string | null>;
  /** @throws RequestError */
  readonly tryJudge: (
    judge: JudgeSpec,
    promptId: string | null,
    answer: string,
  ) => Promise<Result<"tryJudge">>;
  /** On labels, or on the newest rollouts where there are none. @throws RequestError */
  readonly compareJudge: (
    judge: JudgeSpec,
    labels: readonly HumanLabel[] | null,
    mostAnswers: number,
  ) => Promise<readonly Compared[]>;
  readonly stopJudgeTrial: () => Promise<void>;
  /** Bytes of verdicts that are remembered in the browser; null = none beyond this page. */
  readonly judgeMemory: () => Promise<number | null>;
  readonly forgetVerdicts: () => Promise<void>;
}

/** @param openTab the tab's session storage; may throw where site data is blocked */
export function createJudgeActions(
  shop: Shop,
  { applySettings }: Pick<RunActions, "applySettings">,
  openTab: () => KeyValueStorage,
): JudgeActions {
  const { client, store } = shop;
  const tab = openedTab(openTab);
  const kept = keptKeys(tab);
  const keys = new Map<string, string>(Object.entries(kept));
  return {
    askJudge: (askedJudge) => {
      store.setState({ askedJudge });
    },
    applyJudges: async (judges) => {
      const { settings, prompts, engineChoice: engine } = store.getState();
      await applySettings({ settings: withJudges(settings, judges), prompts, engine });
    },
    judgeKey: (url) => ({ key: keys.get(url) ?? "", kept: Object.hasOwn(kept, url) }),
    setJudgeKey: async (url, key, keep) => {
      if (key === "") keys.delete(url);
      else keys.set(url, key);
      if (keep && key !== "") kept[url] = key;
      else delete kept[url]; // eslint-disable-line @typescript-eslint/no-dynamic-delete
      keepKeys(tab, kept);
      await guarded(shop, "setJudgeKey", () =>
        client.request("setJudgeKey", { url, key: key === "" ? null : key }),
      );
    },
    sendJudgeKeys: () => {
      for (const [url, key] of keys)
        void guarded(shop, "setJudgeKey", () => client.request("setJudgeKey", { url, key }));
    },
    setJudgeBudget: async (of, budget) => {
      await guarded(shop, "setJudgeBudget", () => client.request("setJudgeBudget", { of, budget }));
    },
    loadJudgeModel: async (model) => (await client.request("loadJudgeModel", { model })).name,
    tryJudge: (judge, promptId, answer) =>
      client.request("tryJudge", { judge, rubric: store.getState().rubric, promptId, answer }),
    compareJudge: async (judge, labels, mostAnswers) => {
      const { rubric } = store.getState();
      return (await client.request("compareJudge", { judge, rubric, labels, mostAnswers })).compared;
    },
    stopJudgeTrial: async () => {
      await guarded(shop, "stopJudgeTrial", () => client.request("stopJudgeTrial", {}));
    },
    judgeMemory: async () => (await client.request("judgeMemory", {})).keptBytes,
    forgetVerdicts: async () => {
      await guarded(shop, "forgetVerdicts", () => client.request("forgetVerdicts", {}));
    },
  };
}

function withJudges(settings: Settings, judges: RunJudges): Settings {
  const others = { ...settings };
  delete others.judge;
  delete others.heldOutJudge;
  return { ...others, ...judgesOf(judges) };
}

/** null where the browser gives none: then nothing is kept. */
function openedTab(openTab: () => KeyValueStorage): KeyValueStorage | null {
  try {
    return openTab();
  } catch {
    return null;
  }
}

function keptKeys(tab: KeyValueStorage | null): Record<string, string> {
  try {
    const value: unknown = JSON.parse(tab?.getItem(KEPT_KEYS) ?? "{}");
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}

function keepKeys(tab: KeyValueStorage | null, kept: Readonly<Record<string, string>>): void {
  try {
    if (Object.keys(kept).length === 0) tab?.removeItem(KEPT_KEYS);
    else tab?.setItem(KEPT_KEYS, JSON.stringify(kept));
  } catch {
    // full or blocked: it counts until the page closes
  }
}
