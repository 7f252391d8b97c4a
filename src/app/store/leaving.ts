/** What is lost from sight when another run takes the place of the present one, and how the page offers it again. */
import type { RunState } from "../protocol/run-machine.ts";
import type { Shop } from "./shop.ts";

/** Fewer steps are no work to speak of. */
const FEW_STEPS = 3;

/** True for a run that is neither finished nor stopped, and more than a few steps old: it is asked before it is left. */
export function isUnfinished({ phase, step, maxSteps }: RunState): boolean {
  return step > FEW_STEPS && step < maxSteps && phase !== "stopped" && phase !== "loading";
}

export interface LeaveActions {
  /** Offers the runs that are kept in the browser. */
  readonly offerSaved: () => Promise<void>;
}

export function createLeaveActions(shop: Shop): LeaveActions {
  return {
    offerSaved: async () => {
      try {
        const { runs } = await shop.client.request("listRuns", {});
        shop.store.setState({ savedRuns: runs.filter((run) => run.step > 0) });
      } catch (error) {
        shop.fail(error, "listRuns");
      }
    },
  };
}
