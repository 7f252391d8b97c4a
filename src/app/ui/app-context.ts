/** The page's app in React: one context, narrow selectors. A component reads what it draws and calls actions. */
import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { CheckDef } from "../../domain/rubric/checks/check.ts";
import type { RunRow } from "../../domain/run/records.ts";
import type { SimulatorClient } from "../simulator/client.ts";
import type { App } from "../store/app-store.ts";
import type { AppState } from "../store/app-state.ts";

/** What the composition root gives the page. */
export interface PageDeps {
  readonly app: App;
  /** The checks that exist, by registry name. */
  readonly checks: Readonly<Record<string, CheckDef>>;
  /** Words the bundled model copies well, offered where a person writes. */
  readonly words: { readonly names: readonly string[]; readonly products: readonly string[] };
  /** A simulator with a worker of its own; it starts with its first job. */
  readonly makeSimulator: () => SimulatorClient;
  readonly exporters: {
    readonly csv: (rows: readonly RunRow[]) => string;
    readonly jsonl: (rows: readonly RunRow[]) => string;
  };
}

export const PageContext = createContext<PageDeps | null>(null);

export function usePage(): PageDeps {
  const page = useContext(PageContext);
  if (page === null) throw new Error("PageContext: expected a provider around the page");
  return page;
}

/** One narrow selection of the state. */
export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(usePage().app.store, select);
}

export function useActions(): App["actions"] {
  return usePage().app.actions;
}
