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
  const page = `${base}/${repo}`;
  const tokens = `${base}/settings/tokens`;
  return ({ status, headers, url }) => {
    // a download host's refusals are its own
    if (url !== "" && new URL(url).origin !== new URL(base).origin) return null;
    const code = headers.get("x-error-code");
    if (code === "RevisionNotFound") {
      return {
        expected: "a branch, tag or commit of the model",
        got: "a revision that it does not have",
        next: 'Check the revision; "main" is there as a rule.',
      };
    }
    if (code === "GatedRepo" || (status === 403 && code === null)) {
      return withToken
        ? {
            expected: "a token that this model's gate lets in",
            got: `${status}, the gate is closed to it`,
            next: `Ask for access at ${page} with the account of the token, and load again once it is granted.`,
          }
        : {
            expected: "access to a model behind a gate",
            got: `${status}, no token`,
            next: `Accept its terms at ${page}, make a token that may read at ${tokens}, and enter it beside the hub's address.`,
          };
    }
    if (code === "RepoNotFound" || (status === 404 && code === null) || status === 401) {
      return {
        expected: "a model of this id that may be read",
        got: withToken
          ? `${status}: none, or one that this token does not open`
          : `${status}: none, or a private one`,
        next: withToken
          ? `Check the id and the token (${tokens}).`
          : "Check the id: owner, slash, name. A private model needs a token, beside the hub's address.",
      };
    }
    return null;
  };
}
