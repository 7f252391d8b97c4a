/** What a server can do wrong on purpose, so that a person or a test can see a download survive it, or say why it does not. */

/** A request as it came. */
export interface Asked {
  /** The hub itself, or the host that it sends downloads on to. */
  readonly server: "hub" | "cdn";
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly range: string | null;
  readonly authorization: string | null;
}

export type Misbehaviour =
  /** Another status, e.g. 429 with Retry-After. */
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection ends after so many bytes of the body. */
  | { readonly kind: "cut"; readonly afterBytes: number }
  /** Nothing is answered, and the connection stays open. */
  | { readonly kind: "silent" }
  /** The body stays away after so many bytes. */
  | { readonly kind: "stall"; readonly afterBytes: number }
  /** An error page where a file should be, with the status of success. */
  | { readonly kind: "page"; readonly type: string }
  /** 200 and the whole file where a part was asked for. */
  | { readonly kind: "whole" }
  /** The bytes of another version of the file, of the same size. */
  | { readonly kind: "other-version"; readonly etag: string };

/** Asked at each request; null = answer well. */
export type Misbehave = (asked: Asked) => Misbehaviour | null;

export const PAGE = "<!DOCTYPE html><html><body><h1>Please sign in to this network</h1></body></html>";
