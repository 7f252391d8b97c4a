/** Actions on adapters made elsewhere: look into files, start a fresh run from one, or from none again. */
import type { OfferedAdapter } from "../protocol/adapter-messages.ts";
import type { Result } from "../protocol/messages.ts";
import type { LocalFile } from "../protocol/model-messages.ts";
import type { RunActions } from "./run-actions.ts";
import type { Shop } from "./shop.ts";

export interface AdapterActions {
  /** Every adapter in the files, or why it cannot be used. @throws RequestError where there is none */
  readonly readAdapters: (files: readonly LocalFile[]) => Promise<Result<"readAdapters">["adapters"]>;
  /** A fresh run from an adapter; null = from a fresh one. */
  readonly startFrom: (adapter: OfferedAdapter | null) => Promise<void>;
}

export function createAdapterActions(
  { client }: Shop,
  { restart }: Pick<RunActions, "restart">,
): AdapterActions {
  return {
    readAdapters: async (files) => (await client.request("readAdapters", { files })).adapters,
    startFrom: (adapter) =>
      restart({ startAdapter: adapter && { start: adapter.start, values: adapter.values } }),
  };
}
