/** What turns texts into vectors whose angle says how alike they are. The one that needs no model stands in similarity/. */
export interface Embedder {
  /** Said beside every verdict that it decides. */
  readonly name: string;
  /** [N][D], each of length 1, or all zeros for a text without words. @throws PlaygroundError when the model cannot be had */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}
