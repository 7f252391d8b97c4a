/** A run goes on with the model it was made on. Where another is loaded, that one is, if it is the bundled one or kept here. */
import type { ModelIdentity } from "../../domain/run/spec.ts";
import type { KeptModelInfo, ModelChoice } from "../protocol/model-messages.ts";
import { loadModel } from "./asking.ts";
import type { Shop } from "./shop.ts";

/**
 * False where its model could not be loaded (the page says why). Of a model that is not kept here nothing is loaded: the
 * worker's refusal of the run names it.
 * @param wanted null = the bundled model
 */
export async function loadModelOf(shop: Shop, wanted: ModelIdentity | null): Promise<boolean> {
  const { engineChoice } = shop.store.getState();
  const choice = wanted === null ? ({ kind: "bundled" } as const) : await keptChoice(shop, wanted);
  return choice === null || loadModel(shop, engineChoice, choice);
}

async function keptChoice(shop: Shop, wanted: ModelIdentity): Promise<ModelChoice | null> {
  const { models } = await shop.client.request("listKeptModels", {});
  const kept = models.find((model) => isModel(model, wanted));
  if (kept === undefined) {
    shop.store.setState({ wantedModel: wanted });
    return null;
  }
  const { place, storage } = kept;
  const use = { storage, thinking: wanted.thinking };
  return place.kind === "url" ? { ...place, ...use } : { ...place, ...use, token: null };
}

/** Whole, of the same place, the same commit where there is one, and held alike. */
function isModel({ place, storage, commit, complete }: KeptModelInfo, wanted: ModelIdentity): boolean {
  if (!complete) return false; // its rest is elsewhere, maybe behind a token
  const id =
    place.kind === "url" ? place.url : place.file === null ? place.repo : `${place.repo}/${place.file}`;
  const revision = commit ?? (place.kind === "hub" ? place.revision : null);
  return id === wanted.id && storage === wanted.storage && revision === wanted.revision;
}
