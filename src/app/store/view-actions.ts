/** Actions on what is looked at: focused arm and seed, highlighted criterion, followed prompt, earlier rollouts, the prompt box. */
import type { Params, Result } from "../protocol/messages.ts";
import { guarded } from "./asking.ts";
import { saveIntroSeen } from "./page-storage.ts";
import type { Shop } from "./shop.ts";
import { groupsByArm, latestSteps } from "./worker-events.ts";

export interface ViewActions {
  readonly focusArm: (arm: string) => void;
  /** Shows another seed's rubric table, rollouts, strips and sentence. */
  readonly focusSeed: (seed: number) => Promise<void>;
  /** The arm that the others are compared with. */
  readonly compareWith: (arm: string) => void;
  /** Lights a criterion up everywhere; null = none. */
  readonly hover: (id: string | null) => void;
  /** Opens a criterion's story; null = closes it. */
  readonly pinCriterion: (id: string | null) => void;
  /** Follows a prompt through training; null = none. */
  readonly pinPrompt: (promptId: string | null) => Promise<void>;
  /** Shows the rollouts of an earlier step; null = follows the newest. */
  readonly showRollouts: (step: number | null) => Promise<void>;
  /** `onText` is told of each unfinished answer. @throws RequestError */
  readonly chat: (
    params: Params<"chat">,
    onText: (arm: string | null, text: string) => void,
  ) => Promise<Result<"chat">["answers"]>;
  /** Ends a chat where it is. */
  readonly stopChat: (id: number) => Promise<void>;
  readonly dismissIntro: () => void;
  readonly dismissFault: () => void;
  readonly dismissKeptFault: () => void;
  readonly dismissWentOn: () => void;
}

async function showSeed(shop: Shop, seed: number): Promise<void> {
  const { store, buffer, client } = shop;
  buffer.focus(seed);
  store.setState((state) => ({
    focusSeed: seed,
    latest: latestSteps({}, buffer.rows(), seed),
    groups: {},
    rolloutStep: null,
    pinnedGroups: [],
    rowsVersion: state.rowsVersion + 1,
  }));
  try {
    const { groups, pinned } = await client.request("focusSeed", { seed });
    if (store.getState().focusSeed !== seed) return;
    store.setState((state) => ({
      groups: groupsByArm(groupsByArm({}, groups), Object.values(state.groups).flat()),
      pinnedGroups: pinned.filter(({ promptId }) => promptId === state.pinnedPromptId),
    }));
  } catch (error) {
    shop.fail(error, "focusSeed");
  }
}

async function showRollouts(shop: Shop, step: number | null): Promise<void> {
  const { store, client } = shop;
  const { spec, run, latest, focusSeed: seed } = store.getState();
  store.setState({ rolloutStep: step });
  try {
    const wanted = step ?? Math.max(run.step, ...Object.values(latest).map((row) => row.step));
    const arms = spec?.arms ?? [];
    const answers = await Promise.all(
      arms.map((arm) => client.request("rollouts", { seed, arm: arm.id, step: wanted })),
    );
    const groups = answers.flatMap((answer) => answer.groups);
    const now = store.getState();
    if (now.rolloutStep !== step || now.focusSeed !== seed) return;
    store.setState((state) => ({ groups: groupsByArm(step === null ? state.groups : {}, groups) }));
  } catch (error) {
    shop.fail(error, "rollouts");
  }
}

export function createViewActions(shop: Shop): ViewActions {
  const { store, client, storage } = shop;
  return {
    focusArm: (focusArm) => {
      store.setState({ focusArm });
    },
    focusSeed: (seed) => showSeed(shop, seed),
    compareWith: (reference) => {
      store.setState({ reference, target: null });
    },
    hover: (hovered) => {
      if (store.getState().hovered !== hovered) store.setState({ hovered });
    },
    pinCriterion: (pinnedCriterion) => {
      store.setState({ pinnedCriterion });
    },
    pinPrompt: async (promptId) => {
      store.setState({ pinnedPromptId: promptId, pinnedGroups: [] });
      try {
        await client.request("pinPrompt", { promptId });
      } catch (error) {
        shop.fail(error, "pinPrompt");
      }
    },
    showRollouts: (step) => showRollouts(shop, step),
    chat: async (params, onText) => {
      const end = client.onEvent((event) => {
        if (event.kind === "chat" && event.id === params.id) onText(event.arm, event.text);
      });
      try {
        return (await client.request("chat", params)).answers;
      } finally {
        end();
      }
    },
    stopChat: async (id) => {
      await guarded(shop, "stopChat", () => client.request("stopChat", { id }));
    },
    dismissIntro: () => {
      store.setState({ introSeen: true });
      try {
        saveIntroSeen(storage);
      } catch (error) {
        shop.fail(error, "storage");
      }
    },
    dismissFault: () => {
      store.setState({ fault: null });
    },
    dismissKeptFault: () => {
      store.setState({ keptFault: null });
    },
    dismissWentOn: () => {
      store.setState({ wentOn: null });
    },
  };
}
