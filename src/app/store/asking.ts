/** How actions ask the worker: what it is about to do is shown at once, and what it refuses becomes the page's fault. */
import { initialRunState, reduceRun, type RunEvent } from "../protocol/run-machine.ts";
import type { EngineChoice } from "../protocol/model-messages.ts";
import type { ModelChoice } from "../protocol/model-messages.ts";
import type { Shop } from "./shop.ts";

/** Shows the phase the worker is about to be in, before it answers. */
export function expectPhase(shop: Shop, event: RunEvent): void {
  shop.store.setState((state) => ({ run: reduceRun(state.run, event) }));
}

/** A fault becomes the page's. */
export async function guarded(shop: Shop, where: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    shop.fail(error, where);
    return false;
  }
}

/** The same for what changes the run: when it is refused, the worker knows how the run stands; without a model it failed. */
export async function changing(shop: Shop, where: string, work: () => Promise<unknown>): Promise<boolean> {
  if (await guarded(shop, where, work)) return true;
  shop.store.setState(({ model, fault }) => ({
    opening: null,
    run: model === null ? { ...initialRunState, phase: "failed", fault } : shop.toldRun(),
  }));
  return false;
}

/** A model, by default the present one, on an engine; what was there before stays until it has loaded, and after it could not be. */
export async function loadModel(shop: Shop, engine: EngineChoice, choice?: ModelChoice): Promise<boolean> {
  const before = shop.store.getState();
  const wanted = choice ?? before.modelChoice;
  shop.store.setState({
    engineChoice: engine,
    modelChoice: wanted,
    model: null,
    msPerAnswer: null,
    fault: null,
  });
  expectPhase(shop, { type: "load" });
  const loaded = await changing(shop, "loadModel", async () => {
    shop.store.setState({
      model: await shop.client.request("loadModel", { engine, model: wanted }),
      progress: null,
      wantedModel: null,
    });
  });
  // a person who gives up loading knows it
  if (!loaded && shop.store.getState().fault?.code === "aborted") shop.store.setState({ fault: null });
  const run = shop.toldRun();
  const { model, engineChoice, modelChoice, msPerAnswer } = before;
  const stands = run.phase === "idle" || run.phase === "paused";
  if (!loaded && stands && model !== null)
    shop.store.setState({ model, engineChoice, modelChoice, msPerAnswer, run });
  return loaded;
}
