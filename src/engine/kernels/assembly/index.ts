/** The exports of the kernels' module. Built by scripts/kernels/build.ts. */
export { pack, gemm, products } from "./gemm";
export { blockGemm, unpackBlocks } from "./blocks";
export * from "./elementwise";
export * from "./rows";
export * from "./move";
export { attend } from "./attention";
export { setThreads, serve, helpedPieces, dismiss } from "./share";

/** Where the module's own data ends. */
export function ownBytes(): usize {
  return __heap_base;
}
