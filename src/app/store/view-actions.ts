/** Actions on what is looked at: focused arm, highlighted criterion, followed prompt, earlier rollouts, the prompt box. */
import type { Params, Result } from "../protocol/messages.ts";
import { saveIntroSeen } from "./page-storage.ts";
import type { Shop } from "./shop.ts";
import { groupsByArm } from "./worker-events.ts";

export interface ViewActions {
  readonly focusArm: (arm: string) => void;
  /** Lights a criterion up everywhere; null = none. */
  readonly hover: (id: string | null) => void;
  /** Opens a criterion's story; null = closes it. */
  readonly pinCriterion: (id: string | null) => void;
  /** Follows a prompt through training; null = none. */
  readonly pinPrompt: (promptId: string | null) => Promise<void>;
  /** Shows the rollouts of an earlier step; null = follows the newest. */
  readonly showRollouts: (step: number | null) => Promise<void>;
  /** @throws RequestError */
  readonly chat: (params: Params<"chat">) => Promise<Result<"chat">["answers"]>;
  readonly dismissIntro: () => void;
  readonly dismissFault: () => void;
  readonly dismissKeptFault: () => void;
}

export function createViewActions(shop: Shop): ViewActions {
  const { store, client, storage } = shop;
  return {
    focusArm: (focusArm) => {
      store.setState({ focusArm });
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
    showRollouts: async (step) => {
      const { spec, run } = store.getState();
      store.setState({ rolloutStep: step });
      try {
        const wanted = step ?? run.step;
        const arms = spec?.arms ?? [];
        const answers = await Promise.all(
          arms.map((arm) => client.request("rollouts", { arm: arm.id, step: wanted })),
        );
        const groups = answers.flatMap((answer) => answer.groups);
        if (store.getState().rolloutStep !== step) return;
        store.setState((state) => ({ groups: groupsByArm(step === null ? state.groups : {}, groups) }));
      } catch (error) {
        shop.fail(error, "rollouts");
      }
    },
    chat: async (params) => (await client.request("chat", params)).answers,
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
  };
}
