/** What people give as a hub's model: its id, one GGUF file behind it, or the address of its page, copied from the browser. Pure. */

export interface HubId {
  /** Owner and name. */
  readonly repo: string;
  /** One GGUF file of it; null = what there is. */
  readonly file: string | null;
  /** What the address says of branch, tag or commit; null = nothing. */
  readonly revision: string | null;
}

const SHORT_HOST = "hf.co";
/** What stands in a page's address between the id and its revision. */
const PAGES: readonly string[] = ["tree", "blob", "resolve"];
const NAME = /^(?!\.+$)[\w.-]+$/;

/** null for what names no model, or one of another hub than `endpoint`: its token is not for others. */
export function readHubId(text: string, endpoint: string): HubId | null {
  const path = pathOf(text.trim(), endpoint);
  if (path === null) return null;
  const [owner = "", name = "", ...rest] = path.split("/").filter((part) => part !== "");
  const inside = NAME.test(owner) && NAME.test(name) ? insideOf(rest) : null;
  return inside === null ? null : { repo: `${owner}/${name}`, ...inside };
}

/** What stands behind the id: nothing, one GGUF file, or what a page shows at a revision. */
function insideOf(rest: readonly string[]): Omit<HubId, "repo"> | null {
  const [page = "", revision = null, ...shown] = rest;
  const isPage = PAGES.includes(page) && revision !== null;
  const file = ggufOf(isPage ? shown : rest);
  if (isPage) return { file, revision };
  return rest.length > 0 && file === null ? null : { file, revision: null };
}

function ggufOf(path: readonly string[]): string | null {
  return !path.includes("..") && /\.gguf$/i.test(path.at(-1) ?? "") ? path.join("/") : null;
}

/** Behind the hub's own address, decoded; the text itself where it is no address. */
function pathOf(text: string, endpoint: string): string | null {
  const host = URL.canParse(endpoint) ? new URL(endpoint).host : "";
  const [first = ""] = text.split("/", 1);
  const whole = first === host || first === SHORT_HOST ? `https://${text}` : text;
  if (!/^https?:\/\//i.test(whole)) return /[\s?#%:\\]/.test(text) ? null : text;
  if (!URL.canParse(whole)) return null;
  const { host: at, pathname } = new URL(whole);
  const own = at === host || (at === SHORT_HOST && host === "huggingface.co");
  try {
    return own ? decodeURIComponent(pathname) : null;
  } catch {
    return null; // a % that is no code
  }
}
