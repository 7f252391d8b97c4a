/** What the hub's refusals mean, by status and X-Error-Code, and what a person can do about each. */
import type { Explain } from "./download.ts";

export interface HubCaller {
  readonly repo: string;
  readonly endpoint: string;
  readonly withToken: boolean;
}

/** null for what is no refusal of the hub's own: a file that is not there, a server that fails. */
export function explainHub({ repo, endpoint, withToken }: HubCaller): Explain {
  const base = endpoint.replace(/\/+$/, "");
  const words = wordsFor(`${base}/${repo}`, `${base}/settings/tokens`);
  return ({ status, headers, url }) => {
    // a download host's refusals are its own
    if (url !== "" && new URL(url).origin !== new URL(base).origin) return null;
    const kind = kindOf(status, headers.get("x-error-code"));
    return kind === null ? null : words[kind](status)[withToken ? "withToken" : "without"];
  };
}

type Refusal = "no-revision" | "gate" | "no-model";
type Words = NonNullable<ReturnType<Explain>>;

function kindOf(status: number, code: string | null): Refusal | null {
  if (code === "RevisionNotFound") return "no-revision";
  if (code === "GatedRepo" || (status === 403 && code === null)) return "gate";
  if (code === "RepoNotFound" || status === 401) return "no-model";
  return status === 404 && code === null ? "no-model" : null;
}

function wordsFor(
  page: string,
  tokens: string,
): Readonly<Record<Refusal, (status: number) => { readonly withToken: Words; readonly without: Words }>> {
  const revision = {
    expected: "a branch, tag or commit of the model",
    got: "a revision that it does not have",
    next: 'Check the revision; "main" is there as a rule.',
  };
  return {
    "no-revision": () => ({ withToken: revision, without: revision }),
    gate: (status) => ({
      withToken: {
        expected: "a token that this model's gate lets in",
        got: `${status}, the gate is closed to it`,
        next: `Ask for access at ${page} with the account of the token, and load again once it is granted.`,
      },
      without: {
        expected: "access to a model behind a gate",
        got: `${status}, no token`,
        next: `Accept its terms at ${page}, make a token that may read at ${tokens}, and enter it beside the hub's address.`,
      },
    }),
    "no-model": (status) => ({
      withToken: {
        expected: "a model of this id that may be read",
        got: `${status}: none, or one that this token does not open`,
        next: `Check the id and the token (${tokens}).`,
      },
      without: {
        expected: "a model of this id that may be read",
        got: `${status}: none, or a private one`,
        next: "Check the id: owner, slash, name. A private model needs a token, beside the hub's address.",
      },
    }),
  };
}
